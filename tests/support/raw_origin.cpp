// SPDX-License-Identifier: Apache-2.0
#include "tests/support/raw_origin.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::test {

namespace {

// The socket API takes every family through this cast.
sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

// A port that is taken, but on which nobody listens yet.
int bind_port(const std::string& host, std::uint16_t& port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ensure(inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1, "a test names an address by its numbers");
  socklen_t length = sizeof address;
  ensure(descriptor >= 0 && bind(descriptor, generic(address), length) == 0, "a test can bind a port");
  ensure(getsockname(descriptor, generic(address), &length) == 0, "a socket knows its port");
  port = ntohs(address.sin_port);
  return descriptor;
}

// Requests come from our own client: what is not understood is a bug of it, seen as an odd entry in the log.
RawRequest parse_request(std::string_view text) {
  RawRequest request;
  auto line_end = text.find("\r\n");
  const auto first = text.substr(0, line_end);
  const auto method_end = std::min(first.find(' '), first.size());
  request.method = first.substr(0, method_end);
  const auto target = first.substr(std::min(method_end + 1, first.size()));
  request.target = target.substr(0, target.find(' '));
  while (line_end != std::string_view::npos) {
    text.remove_prefix(line_end + 2);
    line_end = text.find("\r\n");
    const auto line = text.substr(0, line_end);
    const auto colon = line.find(':');
    if (colon != std::string_view::npos)
      request.headers.add(std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
  }
  return request;
}

}  // namespace

struct RawOrigin::State {
  Handler handler;
  Greeter greeter;
  RawOriginOptions options;
  std::uint16_t port = 0;
  int listener = -1;
  int stop_event = -1;  // readable from the stop on, for ever
  mutable std::mutex mutex;
  mutable std::condition_variable came;
  std::vector<Served> log;
  std::vector<Instant> accepted;
  std::vector<std::thread> connections;
  std::thread acceptor;

  // True where the descriptor is ready for `events` in time, false for the stop or the end of patience.
  bool wait_for(int descriptor, short events, int milliseconds = -1) const {
    std::array<pollfd, 2> watched{pollfd{descriptor, events, 0}, pollfd{stop_event, POLLIN, 0}};
    const int ready = poll(watched.data(), watched.size(), milliseconds);
    return ready > 0 && watched[1].revents == 0;
  }

  void accept_all();
  void serve(int descriptor, int connection);
};

namespace {

class SocketConnection final : public RawConnection {
 public:
  using Waiter = std::function<bool(int descriptor, short events, int milliseconds)>;
  using Counter = std::function<void(std::uint64_t bytes)>;
  using Step = TlsSession::Step;
  using Wants = TlsSession::Wants;

  SocketConnection(int descriptor, int stop_event, const TlsServer* tls, Waiter waiter, Counter counter)
      : descriptor_(descriptor),
        stop_event_(stop_event),
        tls_(tls != nullptr ? tls->accept(descriptor) : nullptr),
        waiter_(std::move(waiter)),
        counter_(std::move(counter)) {}
  ~SocketConnection() override { close(); }
  SocketConnection(const SocketConnection&) = delete;
  SocketConnection& operator=(const SocketConnection&) = delete;

  bool is_open() const override { return descriptor_ >= 0; }

  using RawConnection::send;
  void send(std::span<const std::byte> bytes) override {
    while (!bytes.empty() && is_open()) {
      const auto step = write_some(bytes);
      if (step.wants != Wants::nothing && !wait_as(step.wants, -1)) return hang_up();
      if (step.bytes == 0) continue;
      counter_(step.bytes);
      bytes = bytes.subspan(step.bytes);
    }
  }

  void close() override {
    if (is_open() && tls_) tls_->say_goodbye();
    hang_up();
  }

  void hang_up() override {
    if (is_open()) ::close(std::exchange(descriptor_, -1));
  }

  void reset() override {
    if (!is_open()) return;
    const linger at_once{1, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    hang_up();
  }

  void stall() override { wait_for_close(std::chrono::milliseconds(-1)); }

  bool wait_for_close(std::chrono::milliseconds patience) override {
    while (is_open()) {
      const auto came = receive(patience);
      if (came && !came->empty()) continue;
      const bool client_closed = !came && ended_by_client_;
      close();
      return client_closed;
    }
    return false;
  }

  void pause(std::chrono::milliseconds time) override {
    pollfd watched{stop_event_, POLLIN, 0};
    poll(&watched, 1, static_cast<int>(time.count()));
  }

  std::optional<std::string> receive(std::chrono::milliseconds patience) override {
    if (!received_.empty()) return std::exchange(received_, {});
    std::array<std::byte, 16384> buffer{};
    while (is_open()) {
      const auto step = read_some(buffer);
      if (step.bytes > 0) return std::string(reinterpret_cast<const char*>(buffer.data()), step.bytes);
      ended_by_client_ = step.wants == Wants::to_end;
      if (ended_by_client_) return std::nullopt;
      if (!wait_as(step.wants, static_cast<int>(patience.count()))) {
        if (is_stopped()) return std::nullopt;
        return std::string();
      }
    }
    return std::nullopt;
  }

  bool wait_for_either(int other) override {
    std::array<pollfd, 3> watched{pollfd{descriptor_, POLLIN, 0}, pollfd{other, POLLIN, 0},
                                  pollfd{stop_event_, POLLIN, 0}};
    return poll(watched.data(), watched.size(), -1) > 0 && watched[2].revents == 0;
  }

  // The head of the next request, or nothing where the connection or the origin ended.
  std::optional<std::string> read_head() {
    std::string text;
    while (true) {
      const auto end = text.find("\r\n\r\n");
      if (end != std::string::npos) {
        received_ = text.substr(end + 4);
        return text.substr(0, end);
      }
      const auto more = receive(std::chrono::milliseconds(-1));
      if (!more) return std::nullopt;
      text += *more;
    }
  }

 private:
  Step read_some(std::span<std::byte> into) {
    if (tls_) return tls_->read(into);
    return outcome(recv(descriptor_, into.data(), into.size(), MSG_DONTWAIT), Wants::to_read);
  }

  Step write_some(std::span<const std::byte> bytes) {
    if (tls_) return tls_->write(bytes);
    return outcome(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT), Wants::to_write);
  }

  static Step outcome(ssize_t count, Wants wanted) {
    if (count > 0) return {static_cast<std::size_t>(count)};
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return {0, wanted};
    return {0, Wants::to_end};
  }

  // False for the end of the connection, of the origin or of patience.
  bool wait_as(Wants wants, int milliseconds) {
    if (wants == Wants::to_end) return false;
    return waiter_(descriptor_, wants == Wants::to_write ? POLLOUT : POLLIN, milliseconds);
  }

  bool is_stopped() const {
    pollfd watched{stop_event_, POLLIN, 0};
    return poll(&watched, 1, 0) > 0;
  }

  int descriptor_;
  int stop_event_;
  std::unique_ptr<TlsSession> tls_;
  Waiter waiter_;
  Counter counter_;
  std::string received_;  // beyond the head that was read last
  bool ended_by_client_ = false;
};

}  // namespace

void RawConnection::send_head(int status, const Headers& headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Scripted\r\n";
  for (const auto& [name, value] : headers.fields()) text += name + ": " + value + "\r\n";
  send(text + "\r\n");
}

void RawOrigin::State::accept_all() {
  int count = 0;
  while (wait_for(listener, POLLIN)) {
    const int descriptor = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) continue;
    ++count;
    if (options.send_buffer > 0)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &options.send_buffer, sizeof options.send_buffer);
    {
      const std::lock_guard lock(mutex);
      accepted.push_back(SystemClock().now());
    }
    connections.emplace_back([this, descriptor, count] { serve(descriptor, count); });
  }
}

void RawOrigin::State::serve(int descriptor, int connection) {
  std::optional<std::size_t> entry;
  SocketConnection client(
      descriptor, stop_event, options.tls.get(),
      [this](int one, short events, int milliseconds) { return wait_for(one, events, milliseconds); },
      [this, &entry](std::uint64_t bytes) {
        const std::lock_guard lock(mutex);
        if (entry) log[*entry].bytes_sent += bytes;
      });
  if (greeter) greeter(connection, client);
  while (const auto head = client.read_head()) {
    auto request = parse_request(*head);
    request.connection = connection;
    {
      const std::lock_guard lock(mutex);
      entry = log.size();
      request.number = static_cast<int>(log.size()) + 1;
      log.push_back({request, SystemClock().now(), 0});
    }
    came.notify_all();
    handler(request, client);
  }
}

RawOrigin::RawOrigin(Handler handler, Greeter greeter, const RawOriginOptions& options)
    : state_(std::make_unique<State>()) {
  state_->handler = std::move(handler);
  state_->greeter = std::move(greeter);
  state_->options = options;
  state_->listener = bind_port(options.address, state_->port);
  state_->stop_event = eventfd(0, EFD_CLOEXEC);
  ensure(state_->stop_event >= 0, "a test can make an eventfd");
  if (!options.opens_later) open();
}

void RawOrigin::open() {
  ensure(!state_->acceptor.joinable(), "an origin is opened once");
  ensure(listen(state_->listener, 64) == 0, "a test can listen");
  state_->acceptor = std::thread([state = state_.get()] { state->accept_all(); });
}

RawOrigin::~RawOrigin() {
  const std::uint64_t one = 1;
  ensure(write(state_->stop_event, &one, sizeof one) == sizeof one, "an eventfd takes a number");
  if (state_->acceptor.joinable()) state_->acceptor.join();
  for (auto& connection : state_->connections) connection.join();
  close(state_->listener);
  close(state_->stop_event);
}

std::uint16_t RawOrigin::port() const { return state_->port; }

std::string RawOrigin::url(std::string_view path) const {
  const auto* scheme = state_->options.tls ? "https://" : "http://";
  return scheme + state_->options.address + ":" + std::to_string(state_->port) + std::string(path);
}

std::vector<Served> RawOrigin::served() const {
  const std::lock_guard lock(state_->mutex);
  return state_->log;
}

std::vector<Instant> RawOrigin::accepted() const {
  const std::lock_guard lock(state_->mutex);
  return state_->accepted;
}

bool RawOrigin::wait_for_requests(int count, std::chrono::milliseconds patience) const {
  std::unique_lock lock(state_->mutex);
  return state_->came.wait_for(lock, patience, [&] { return static_cast<int>(state_->log.size()) >= count; });
}

std::uint16_t closed_port() {
  std::uint16_t port = 0;
  close(bind_port("127.0.0.1", port));
  return port;
}

RawOrigin::Handler plain_object(std::vector<std::byte> bytes, ObjectFacts facts) {
  facts.size = bytes.size();
  return [bytes = std::move(bytes), facts = std::move(facts)](const RawRequest& request, RawConnection& connection) {
    const auto answer = answer_for(facts, request.method, request.headers);
    connection.send_head(answer.status, answer.headers);
    if (answer.bytes) connection.send(std::span(bytes).subspan(answer.bytes->begin(), answer.bytes->length()));
  };
}

}  // namespace arkvory::test
