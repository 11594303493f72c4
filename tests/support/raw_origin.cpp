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

int listen_on_loopback(std::uint16_t& port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ensure(descriptor >= 0 && bind(descriptor, generic(address), length) == 0, "a test can bind a port of loopback");
  ensure(listen(descriptor, 64) == 0, "a test can listen");
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
  std::uint16_t port = 0;
  int listener = -1;
  int stop_event = -1;  // readable from the stop on, for ever
  mutable std::mutex mutex;
  mutable std::condition_variable came;
  std::vector<Served> log;
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

  SocketConnection(int descriptor, Waiter waiter, Counter counter)
      : descriptor_(descriptor), waiter_(std::move(waiter)), counter_(std::move(counter)) {}
  ~SocketConnection() override { close(); }
  SocketConnection(const SocketConnection&) = delete;
  SocketConnection& operator=(const SocketConnection&) = delete;

  bool is_open() const override { return descriptor_ >= 0; }

  using RawConnection::send;
  void send(std::span<const std::byte> bytes) override {
    while (!bytes.empty() && is_open()) {
      if (!waiter_(descriptor_, POLLOUT, -1)) return close();
      const auto count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (count < 0) return close();
      counter_(static_cast<std::uint64_t>(count));
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void close() override {
    if (is_open()) ::close(std::exchange(descriptor_, -1));
  }

  void reset() override {
    if (!is_open()) return;
    const linger at_once{1, 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  void stall() override { wait_for_close(std::chrono::milliseconds(-1)); }

  bool wait_for_close(std::chrono::milliseconds patience) override {
    std::array<char, 4096> dropped{};
    while (is_open() && waiter_(descriptor_, POLLIN, static_cast<int>(patience.count()))) {
      const auto count = recv(descriptor_, dropped.data(), dropped.size(), 0);
      if (count > 0) continue;
      close();
      return true;
    }
    close();
    return false;
  }

  // The head of the next request, or nothing where the connection or the origin ended.
  std::optional<std::string> read_head() {
    while (true) {
      const auto end = received_.find("\r\n\r\n");
      if (end != std::string::npos) {
        auto head = received_.substr(0, end);
        received_.erase(0, end + 4);
        return head;
      }
      if (!is_open() || !waiter_(descriptor_, POLLIN, -1)) return std::nullopt;
      std::array<char, 16384> buffer{};
      const auto count = recv(descriptor_, buffer.data(), buffer.size(), 0);
      if (count <= 0) return std::nullopt;
      received_.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
  Waiter waiter_;
  Counter counter_;
  std::string received_;
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
    const int descriptor = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) continue;
    ++count;
    connections.emplace_back([this, descriptor, count] { serve(descriptor, count); });
  }
}

void RawOrigin::State::serve(int descriptor, int connection) {
  std::optional<std::size_t> entry;
  SocketConnection client(
      descriptor, [this](int one, short events, int milliseconds) { return wait_for(one, events, milliseconds); },
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

RawOrigin::RawOrigin(Handler handler, Greeter greeter) : state_(std::make_unique<State>()) {
  state_->handler = std::move(handler);
  state_->greeter = std::move(greeter);
  state_->listener = listen_on_loopback(state_->port);
  state_->stop_event = eventfd(0, EFD_CLOEXEC);
  ensure(state_->stop_event >= 0, "a test can make an eventfd");
  state_->acceptor = std::thread([state = state_.get()] { state->accept_all(); });
}

RawOrigin::~RawOrigin() {
  const std::uint64_t one = 1;
  ensure(write(state_->stop_event, &one, sizeof one) == sizeof one, "an eventfd takes a number");
  state_->acceptor.join();
  for (auto& connection : state_->connections) connection.join();
  close(state_->listener);
  close(state_->stop_event);
}

std::uint16_t RawOrigin::port() const { return state_->port; }

std::string RawOrigin::url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + std::string(path);
}

std::vector<Served> RawOrigin::served() const {
  const std::lock_guard lock(state_->mutex);
  return state_->log;
}

bool RawOrigin::wait_for_requests(int count, std::chrono::milliseconds patience) const {
  std::unique_lock lock(state_->mutex);
  return state_->came.wait_for(lock, patience, [&] { return static_cast<int>(state_->log.size()) >= count; });
}

std::uint16_t closed_port() {
  std::uint16_t port = 0;
  close(listen_on_loopback(port));
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
