// SPDX-License-Identifier: Apache-2.0
// Connections: refused, reset, reused, idle and dead; and what else ends a wait.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/http/route_check.h"
#include "tests/support/temp_folder.h"
#include "tests/transport/curl_case.h"

namespace arkvory::test {

namespace {

const std::string small_answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";

// A listener whose queue is full: the kernel drops what else knocks, so that connecting takes for ever.
class FullListener {
 public:
  FullListener() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    const int listener = make_socket();
    REQUIRE(bind(listener, generic(), length) == 0);
    REQUIRE(listen(listener, 0) == 0);
    REQUIRE(getsockname(listener, generic(), &length) == 0);
    for (int i = 0; i < 4; ++i) static_cast<void>(connect(make_socket(), generic(), length));
  }
  ~FullListener() {
    for (const int descriptor : descriptors_) close(descriptor);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/"; }

 private:
  int make_socket() {
    descriptors_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return descriptors_.back();
  }
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address_); }

  sockaddr_in address_{};
  std::vector<int> descriptors_;
};

// The system's clock, with a count of how often it was asked.
class CountingClock final : public Clock {
 public:
  Instant now() const override {
    ++asked;
    return clock_.now();
  }
  WallTime wall_now() const override { return clock_.wall_now(); }
  mutable int asked = 0;

 private:
  SystemClock clock_;
};

}  // namespace

TEST_CASE("a connection that isn't made within the request's time is none") {
  const FullListener listener;
  SystemClock clock;
  const auto transport = make_loopback_transport(clock);
  auto request = request_for(listener.url());
  request.connect_timeout = std::chrono::milliseconds(150);
  Collector sink;
  transport->start(request, sink);
  REQUIRE(wait_for_end(*transport, clock, sink));
  CHECK(sink.kind() == EndKind::not_connected);
}

TEST_CASE("an address without a route is weather (C18)") {
  // TCP can't be routed to the broadcast address: the kernel answers ENETUNREACH and sends nothing.
  SystemClock clock;
  const auto transport = make_loopback_transport(clock);
  Collector sink;
  transport->start(request_for("http://255.255.255.255/"), sink);
  REQUIRE(wait_for_end(*transport, clock, sink));
  CHECK(sink.kind() == EndKind::no_network);
}

TEST_CASE("a name server on loopback is no way out, any other that can be routed to is one") {
  const TempFolder folder;
  const auto path = folder / "resolv.conf";
  const auto route_with = [&](const std::string& text) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(file);
    return has_route_out(path);
  };
  const bool world = has_route_out("/nonexistent/resolv.conf");
  CHECK(route_with("nameserver 127.0.0.53\nnameserver ::1\nnameserver junk\noptions edns0\n") == world);
  CHECK(route_with("nameserver 255.255.255.255\n") == world);
}

TEST_CASE("a reset in the middle of a body is a cut (C1)") {
  CurlCase world([](const RawRequest&, RawConnection& connection) {
    connection.send(std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhalf"));
    connection.reset();
  });
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::cut);
  CHECK(!sink.end->cause.empty());
}

TEST_CASE("a connection that is reset under its first request is a cut") {
  CurlCase world([](const RawRequest&, RawConnection& connection) { connection.reset(); });
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::cut);
}

TEST_CASE("a connection serves one request after another") {
  CurlCase world(always(small_answer));
  for (int i = 0; i < 3; ++i) {
    Collector sink;
    world.fetch(sink);
    CHECK(sink.kind() == EndKind::complete);
  }
  CHECK(world.newest_connection() == 1);
}

TEST_CASE("nothing of one request is left for the next one on its handle") {
  CurlCase world(always(small_answer));
  auto request = request_for(world.origin().url("/f"), Method::remove);
  request.headers.add("Authorization", "Bearer secret");
  request.headers.add("Range", "bytes=0-1");
  Collector first;
  world.transport().start(request, first);
  REQUIRE(wait_for_end(world.transport(), world.clock(), first));
  Collector second;
  world.fetch(second);
  const auto last = world.origin().served().back().request;
  CHECK(last.method == "GET");
  CHECK(!last.headers.has("Authorization"));
  CHECK(!last.headers.has("Range"));
}

TEST_CASE("the connection of a stopped answer serves nothing else") {
  CurlCase world(always(small_answer));
  Collector stopped;
  stopped.stops_in_head = true;
  world.fetch(stopped);
  CHECK(stopped.kind() == EndKind::stopped);
  Collector next;
  world.fetch(next);
  CHECK(next.kind() == EndKind::complete);
  CHECK(world.newest_connection() == 2);
}

TEST_CASE("a kept-alive connection that dies under a new request is replaced, free") {
  CurlCase world([](const RawRequest& request, RawConnection& connection) {
    if (request.number == 2) return connection.reset();
    connection.send(small_answer);
  });
  Collector first;
  Collector second;
  world.fetch(first);
  world.fetch(second);
  CHECK(second.kind() == EndKind::complete);
  CHECK(second.text() == "body");
  CHECK(world.origin().served().size() == 3);
  CHECK(world.newest_connection() == 2);
}

TEST_CASE("a 408 on an idle kept-alive connection has no effect (C22)") {
  std::promise<void> idle;
  std::promise<void> said;
  CurlCase world([&](const RawRequest& request, RawConnection& connection) {
    connection.send(small_answer);
    if (request.number != 1) return;
    idle.get_future().wait();
    connection.send(std::string_view("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    said.set_value();
    connection.close();
  });
  Collector first;
  world.fetch(first);
  idle.set_value();
  said.get_future().wait();
  Collector second;
  world.fetch(second);
  CHECK(second.kind() == EndKind::complete);
  CHECK(second.status() == 200);
  CHECK(world.newest_connection() == 2);
}

TEST_CASE("a field that would break out of its line is not sent") {
  CurlCase world(always(small_answer));
  auto request = request_for(world.origin().url("/f"));
  request.headers.add("Arkvory-Queue-Ticket", "x\r\nEvil: 1");
  Collector sink;
  world.transport().start(request, sink);
  CHECK(!sink.end);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::internal);
  CHECK(world.origin().served().empty());
}

TEST_CASE("a readable watched descriptor ends the wait and is not read") {
  const int event = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
  TransportOptions options;
  options.watched_descriptor = event;
  SystemClock clock;
  const auto transport = make_loopback_transport(clock, options);
  for (int i = 0; i < 2; ++i) transport->wait_until(clock.now() + std::chrono::hours(1));
  std::uint64_t value = 0;
  CHECK(read(event, &value, sizeof value) == sizeof value);
  CHECK(value == 1);

  std::thread other([&] { CHECK(write(event, &value, sizeof value) == sizeof value); });
  transport->wait_until(Instant::max());
  other.join();
  close(event);
}

TEST_CASE("a wait asks for the time a few times, not all the time") {
  CountingClock clock;
  const auto transport = make_loopback_transport(clock);
  transport->wait_until(SystemClock().now() + std::chrono::microseconds(40'500));
  CHECK(clock.asked >= 2);
  CHECK(clock.asked <= 8);
}

// Asks for `url` by a proxy.
Collector by_proxy(const std::string& proxy, const std::string& url) {
  TransportOptions options;
  options.proxy = proxy;
  SystemClock clock;
  const auto transport = make_loopback_transport(clock, options);
  unsetenv("no_proxy");
  Collector sink;
  transport->start(request_for(url), sink);
  REQUIRE(wait_for_end(*transport, clock, sink));
  return sink;
}

TEST_CASE("what a proxy answers to CONNECT is told apart from the server's answers (D9)") {
  RawOrigin proxy(always_and_close("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"));
  const auto tunnel = by_proxy(proxy.url(""), "https://files.invalid/f");
  CHECK(tunnel.kind() == EndKind::proxy_refused);
  CHECK(tunnel.end->proxy_status == 407);
  CHECK(!tunnel.head);

  const auto plain = by_proxy(proxy.url(""), "http://files.invalid/f");
  CHECK(plain.kind() == EndKind::complete);
  CHECK(plain.status() == 407);
  CHECK(proxy.served().back().request.target == "http://files.invalid/f");
}

TEST_CASE("a proxy's own Retry-After is told with its refusal, and its password is given once it asks (D9)") {
  RawOrigin proxy([](const RawRequest& request, RawConnection& connection) {
    Headers headers;
    headers.add("Content-Length", "0");
    const bool is_known = request.headers.first("Proxy-Authorization") == "Basic dXNlcjpwYXNz";
    if (is_known) headers.add("Retry-After", "2");
    if (!is_known) headers.add("Proxy-Authenticate", "Basic realm=\"x\"");
    connection.send_head(is_known ? 503 : 407, headers);
  });
  const auto tunnel = by_proxy("http://user:pass@127.0.0.1:" + std::to_string(proxy.port()), "https://files.invalid/f");
  CHECK(tunnel.kind() == EndKind::proxy_refused);
  CHECK(tunnel.end->proxy_status == 503);
  CHECK(tunnel.end->proxy_headers.first("Retry-After") == "2");
  CHECK(!tunnel.head);
  CHECK(proxy.served().size() == 2);
}

TEST_CASE("what an earlier answer left on its connection is no answer to the next request (B5)") {
  // The surplus comes only with the next request, when nobody could have seen it before.
  RawOrigin origin([](const RawRequest& request, RawConnection& connection) {
    if (request.connection == 1 && request.number > 1) return connection.send(std::string(4096, 'x'));
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody");
  });
  SystemClock clock;
  const auto transport = make_loopback_transport(clock);
  for (int i = 0; i < 2; ++i) {
    Collector sink;
    transport->start(request_for(origin.url("/f")), sink);
    REQUIRE(wait_for_end(*transport, clock, sink));
    CHECK(sink.kind() == EndKind::complete);
    CHECK(sink.text() == "body");
  }
  CHECK(origin.served().back().request.connection == 2);
}

TEST_CASE("the trace tells what went over the wire without its secrets") {
  std::string traced;
  TransportOptions options;
  options.trace = [&](std::string_view line) { traced += std::string(line) + "\n"; };
  CurlCase world(always("HTTP/1.1 200 OK\r\nSet-Cookie: s3cret\r\nArkvory-Queue-Ticket: s3cret\r\n"
                        "Location: /x?sig=s3cret\r\nX-Plain: shown\r\nContent-Length: 4\r\n\r\nbody"),
                 options);
  auto request = request_for(world.origin().url("/f?sig=s3cret"));
  for (const auto* name : {"Authorization", "Cookie", "Arkvory-Queue-Ticket", "Arkvory-Download-Id", "X-Api-Key"})
    request.headers.add(name, "s3cret");
  request.headers.add("Range", "bytes=0-3");
  Collector sink;
  world.transport().start(request, sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(traced.find("s3cret") == std::string::npos);
  CHECK(traced.find("> GET /f?… HTTP/1.1\n") != std::string::npos);
  CHECK(traced.find("> Range: bytes=0-3\n") != std::string::npos);
  CHECK(traced.find("> X-Api-Key: …\n") != std::string::npos);
  CHECK(traced.find("< X-Plain: shown\n") != std::string::npos);
  CHECK(traced.find("body") == std::string::npos);
}

TEST_CASE("the versions of the library and its TLS are told") {
  CHECK(transport_version().starts_with("libcurl "));
  CHECK(transport_version().find("SSL") != std::string::npos);
}

}  // namespace arkvory::test
