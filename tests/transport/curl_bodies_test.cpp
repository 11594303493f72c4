// SPDX-License-Identifier: Apache-2.0
// Odd answers on the wire (hostile cases C2 to C12) as libcurl and we judge them.
#include <doctest/doctest.h>

#include <future>
#include <string>
#include <utility>

#include "tests/transport/curl_case.h"

namespace arkvory::test {

namespace {

EndKind kind_for(std::string answer) {
  CurlCase world(always_and_close(std::move(answer)));
  Collector sink;
  world.fetch(sink);
  // What can't be trusted is refused before anybody sees it.
  if (sink.kind() == EndKind::malformed) CHECK(!sink.head);
  return sink.kind();
}

}  // namespace

TEST_CASE("a chunked body without its last chunk is cut (C2)") {
  CurlCase world(always_and_close("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"));
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::cut);
  CHECK(sink.text() == "half");
}

TEST_CASE("a chunked body ends with its last chunk, and its trailers are not shown") {
  CurlCase world(
      always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n4\r\nwhol\r\n1\r\ne\r\n0\r\n"
             "X-Sum: 5\r\n\r\n"));
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.text() == "whole");
  CHECK(!sink.head->headers.has("X-Sum"));
}

TEST_CASE("bytes beyond the stated length are dropped with their connection (C6)") {
  CurlCase world(always("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody" + std::string(100, 'x')));
  for (int connection = 1; connection <= 2; ++connection) {
    Collector sink;
    world.fetch(sink);
    CHECK(sink.kind() == EndKind::complete);
    CHECK(sink.text() == "body");
    CHECK(world.newest_connection() == connection);
  }
}

TEST_CASE("bytes beyond the stated length that come late don't become the next answer (C6)") {
  std::promise<void> ended;
  std::promise<void> sent;
  CurlCase world([&](const RawRequest& request, RawConnection& connection) {
    connection.send(std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"));
    if (request.number != 1) return;
    ended.get_future().wait();
    connection.send(std::string(100, 'x'));
    sent.set_value();
  });
  Collector first;
  world.fetch(first);
  ended.set_value();
  sent.get_future().wait();
  Collector second;
  world.fetch(second);
  CHECK(second.kind() == EndKind::complete);
  CHECK(second.text() == "body");
  CHECK(world.newest_connection() == 2);
}

TEST_CASE("a Content-Length that is no plain number is malformed (C7)") {
  for (const auto* length : {"-1", "12abc", "9223372036854775808", "99999999999999999999", "+4", "0x4", "", "4, 4"}) {
    CAPTURE(length);
    CHECK(kind_for("HTTP/1.1 200 OK\r\nContent-Length: " + std::string(length) + "\r\n\r\nbody") == EndKind::malformed);
  }
}

TEST_CASE("two different Content-Lengths are malformed, two equal ones are not") {
  CHECK(kind_for("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody") == EndKind::malformed);
  CHECK(kind_for("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody") == EndKind::complete);
}

TEST_CASE("chunked wins over Content-Length, and the connection serves nothing else (C8)") {
  CurlCase world(
      always("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n"));
  for (int connection = 1; connection <= 2; ++connection) {
    Collector sink;
    world.fetch(sink);
    CHECK(sink.kind() == EndKind::complete);
    CHECK(sink.text() == "whole");
    CHECK(world.newest_connection() == connection);
  }
}

TEST_CASE("an HTTP/1.0 answer without a length ends with its connection (C9)") {
  CurlCase world(always_and_close("HTTP/1.0 200 OK\r\nContent-Type: x/y\r\n\r\nall of it"));
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.text() == "all of it");
}

TEST_CASE("interim answers are passed over (C10)") {
  CurlCase world(
      always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s>; rel=preload\r\n\r\n"
             "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"));
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.status() == 200);
  CHECK(!sink.head->headers.has("Link"));
  CHECK(sink.text() == "body");
}

TEST_CASE("interim answers without an end are malformed after 64 KiB") {
  CurlCase world([](const RawRequest&, RawConnection& connection) {
    while (connection.is_open()) connection.send(std::string_view("HTTP/1.1 102 Processing\r\nX: y\r\n\r\n"));
  });
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::malformed);
}

TEST_CASE("a header block of 10,000 fields is malformed (C11)") {
  std::string answer = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 10'000; ++i) answer += "X-" + std::to_string(i) + ": y\r\n";
  CHECK(kind_for(answer + "Content-Length: 4\r\n\r\nbody") == EndKind::malformed);
}

TEST_CASE("a header field of 1 MiB is malformed (C11)") {
  CHECK(kind_for("HTTP/1.1 200 OK\r\nX: " + std::string(1U << 20U, 'y') + "\r\nContent-Length: 4\r\n\r\nbody") ==
        EndKind::malformed);
}

TEST_CASE("a header field without an end is given up after little of it (C11)") {
  CurlCase world([](const RawRequest&, RawConnection& connection) {
    connection.send(std::string_view("HTTP/1.1 200 OK\r\nX: "));
    while (connection.is_open()) connection.send(std::string(65'536, 'y'));
  });
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::malformed);
}

TEST_CASE("a NUL in a header is malformed (C12)") {
  const std::string field("X: a\0b\r\n", 8);
  CHECK(kind_for("HTTP/1.1 200 OK\r\n" + field + "Content-Length: 4\r\n\r\nbody") == EndKind::malformed);
}

TEST_CASE("a folded field is joined, and bare line feeds are taken (C12)") {
  CurlCase world(always("HTTP/1.1 200 OK\nX-Folded: one\n\t two\r\n  three\nContent-Length: 4\n\nbody"));
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.head->headers.first("X-Folded") == "one two three");
  CHECK(sink.text() == "body");
}

TEST_CASE("what is not HTTP is malformed") {
  CHECK(kind_for("<html>hello</html>\n") == EndKind::malformed);
  CHECK(kind_for("SSH-2.0-OpenSSH_9.2\r\n") == EndKind::malformed);
  CHECK(kind_for("HTTP/1.1 2OO OK\r\nContent-Length: 4\r\n\r\nbody") == EndKind::malformed);
  CHECK(kind_for("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbody") == EndKind::malformed);
}

TEST_CASE("an answer that ends in its head, or before it, is cut") {
  CHECK(kind_for("") == EndKind::cut);
  CHECK(kind_for("HTTP/1.1 200 OK\r\nContent-Le") == EndKind::cut);
  CHECK(kind_for("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") == EndKind::cut);
}

TEST_CASE("bytes with a content coding are handed over as sent") {
  CurlCase world(always("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip"));
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.text() == "not gzip");
}

TEST_CASE("a rate limit is kept, and the next request on the handle has none of it") {
  static constexpr std::size_t size = 400 * 1024;
  CurlCase world(
      always("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" + std::string(size, 'x')));
  const auto time_of = [&world](std::uint64_t limit) {
    Collector sink;
    auto request = request_for(world.origin().url("/f"));
    request.rate_limit = limit;
    const auto begin = world.clock().now();
    world.transport().start(request, sink);
    REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
    CHECK(sink.kind() == EndKind::complete);
    CHECK(sink.body.size() == size);
    return world.clock().now() - begin;
  };
  const auto limited = time_of(256 * 1024);
  CHECK(limited > std::chrono::milliseconds(400));
  CHECK(time_of(0) < limited);
}

}  // namespace arkvory::test
