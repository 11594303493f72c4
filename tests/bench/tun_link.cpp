// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/tun_link.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/descriptor.h"
#include "core/base/ensure.h"

namespace arkvory::bench {

namespace {

constexpr const char* kServerAddress = "10.77.0.1";
constexpr const char* kClientAddress = "10.77.0.2";
constexpr const char* kNetwork = "10.77.0.0/24";
constexpr const char* kDevice = "bench0";
constexpr std::size_t kPacketMax = 2048;  // the devices' packets have at most 1,500 bytes

ifreq request_for(const char* device) {
  ifreq request{};
  std::strncpy(request.ifr_name, device, sizeof request.ifr_name - 1);
  return request;
}

bool set_address(int control, unsigned long what, const char* device, const char* address) {
  auto request = request_for(device);
  sockaddr_in internet{};
  internet.sin_family = AF_INET;
  if (inet_pton(AF_INET, address, &internet.sin_addr) != 1) return false;
  std::memcpy(&request.ifr_addr, &internet, sizeof internet);
  return ioctl(control, what, &request) == 0;
}

bool raise(int control, const char* device) {
  auto request = request_for(device);
  if (ioctl(control, SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  return ioctl(control, SIOCSIFFLAGS, &request) == 0;
}

// A TUN device in the namespace in which this thread is, with an address, ready to carry.
Result<Descriptor> make_device(const char* address) {
  Descriptor device(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!device.is_open()) return pass_on(system_failure("/dev/net/tun can't be opened"));
  auto request = request_for(kDevice);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(device.number(), TUNSETIFF, &request) != 0) return pass_on(system_failure("no TUN device can be made"));
  const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const bool is_ready = control.is_open() && set_address(control.number(), SIOCSIFADDR, kDevice, address) &&
                        set_address(control.number(), SIOCSIFNETMASK, kDevice, "255.255.255.0") &&
                        raise(control.number(), kDevice);
  if (!is_ready) return pass_on(system_failure("the TUN device can't be set up"));
  return device;
}

// What one connection has learnt of the link is not for the next one: no client's run is to help another's.
void forget_between_connections() { std::ofstream("/proc/sys/net/ipv4/tcp_no_metrics_save") << "1\n"; }

struct End {
  NetworkSpace place;
  Descriptor device;  // its packets
};

Result<End> make_end(const char* address) {
  auto place = NetworkSpace::make();
  if (!place) return pass_on(place.error());
  const auto visit = place->visit();
  forget_between_connections();
  auto device = make_device(address);
  if (!device) return pass_on(device.error());
  return End{std::move(*place), std::move(*device)};
}

// Packets that come out of one device, go their way, and into the other.
struct Direction {
  int from;
  int to;
  ShapedPath path;

  void take_in(Instant now) {
    std::array<std::byte, kPacketMax> buffer{};
    while (true) {
      const auto count = read(from, buffer.data(), buffer.size());
      if (count <= 0) return;
      path.offer(Packet(buffer.begin(), buffer.begin() + count), now);
    }
  }
  // What a device does not take is lost, as on any link.
  void let_out(Instant now) {
    while (const auto packet = path.take(now)) {
      [[maybe_unused]] const auto written = write(to, packet->data(), packet->size());
    }
  }
};

std::string in_words(const char* name, const ShapedPath& path) {
  return fmt::format("{}: {} packets, {} lost, {} dropped by the full queue", name, path.offered(), path.lost(),
                     path.dropped());
}

}  // namespace

struct TunLink::State {
  State(End server_end, End client_end, const LinkNature& nature, std::uint64_t seed)
      : server(std::move(server_end)),
        client(std::move(client_end)),
        stop(eventfd(0, EFD_CLOEXEC)),
        down{server.device.number(), client.device.number(), ShapedPath(nature, seed)},
        up{client.device.number(), server.device.number(), ShapedPath(nature, seed + 1)} {
    ensure(stop.is_open(), "an event can be made");
  }

  // Returns when it is told to stop.
  void carry() {
    while (true) {
      std::array<pollfd, 3> watched{};
      watched[0] = {stop.number(), POLLIN, 0};
      watched[1] = {down.from, POLLIN, 0};
      watched[2] = {up.from, POLLIN, 0};
      const auto step = time_to_next();
      ppoll(watched.data(), watched.size(), step ? &*step : nullptr, nullptr);
      if (watched[0].revents != 0) return;
      const std::scoped_lock lock(mutex);
      const auto now = clock.now();
      for (auto* direction : {&down, &up}) {
        direction->take_in(now);
        direction->let_out(now);
      }
    }
  }

  std::optional<timespec> time_to_next() {
    const std::scoped_lock lock(mutex);
    std::optional<Instant> next;
    for (const auto& arrival : {down.path.next_arrival(), up.path.next_arrival()})
      if (arrival && (!next || *arrival < *next)) next = arrival;
    if (!next) return std::nullopt;
    const auto left = std::max(*next - clock.now(), Duration::zero());
    const auto whole = std::chrono::floor<std::chrono::seconds>(left);
    return timespec{whole.count(), (left - whole).count()};
  }

  End server;
  End client;
  Descriptor stop;
  Direction down;
  Direction up;
  std::mutex mutex{};
  SystemClock clock{};
  std::thread carrier{};
};

TunLink::TunLink(std::unique_ptr<State> state) : state_(std::move(state)) {
  state_->carrier = std::thread([this] { state_->carry(); });
}

TunLink::~TunLink() {
  const std::uint64_t one = 1;
  ensure(write(state_->stop.number(), &one, sizeof one) == sizeof one, "a thread can be told to stop");
  state_->carrier.join();
}

Result<std::unique_ptr<TunLink>> TunLink::make(const LinkNature& nature, std::uint64_t seed) {
  auto server = make_end(kServerAddress);
  if (!server) return pass_on(server.error());
  auto client = make_end(kClientAddress);
  if (!client) return pass_on(client.error());
  auto state = std::make_unique<State>(std::move(*server), std::move(*client), nature, seed);
  return std::unique_ptr<TunLink>(new TunLink(std::move(state)));
}

NetworkSpace::Visit TunLink::at_server() const { return state_->server.place.visit(); }
NetworkSpace::Visit TunLink::at_client() const { return state_->client.place.visit(); }
std::string TunLink::server_address() const { return kServerAddress; }
std::string TunLink::network() const { return kNetwork; }
std::string TunLink::device() const { return kDevice; }

std::string TunLink::traffic() const {
  const std::scoped_lock lock(state_->mutex);
  return in_words("to the client", state_->down.path) + "; " + in_words("to the server", state_->up.path);
}

}  // namespace arkvory::bench
