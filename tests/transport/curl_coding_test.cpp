// SPDX-License-Identifier: Apache-2.0
// Content codings on the wire: as sent, or taken off where the request says so.
#include <doctest/doctest.h>

#include "tests/transport/curl_case.h"

namespace arkvory::test {

namespace {

// gzip of 20 lines "decoded text".
const std::string kPacked(
    "\037\213\010\000\000\000\000\000\002\003\113\111\115\316\117\111\115\121\050\111\255\050\341\112\031\231\034\000"
    "\312\040\220\135\004\001\000\000",
    36);

std::string text() {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "decoded text\n";
  return lines;
}

RawOrigin::Handler packed(const std::string& coding, const std::string& body) {
  return always("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding +
                "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

Collector fetched(CurlCase& world, bool decoded) {
  Collector sink;
  auto request = request_for(world.origin().url("/f"));
  request.headers.add("Accept-Encoding", "identity");
  request.decoded = decoded;
  world.transport().start(request, sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  return sink;
}

}  // namespace

TEST_CASE("a coding is taken off where the request says so, and the request still asks for none (B20)") {
  CurlCase world(packed("gzip", kPacked));
  CHECK(fetched(world, true).text() == text());
  CHECK(fetched(world, false).text() == kPacked);
  const auto served = world.origin().served();
  for (const auto& each : served) CHECK(each.request.headers.first("Accept-Encoding") == "identity");
}

TEST_CASE("a coding that can't be taken off, or is none, ends as malformed") {
  CurlCase unknown(packed("nothing-known", "abc"));
  CHECK(fetched(unknown, true).kind() == EndKind::malformed);
  CurlCase wrong(packed("gzip", "this is not gzip at all"));
  CHECK(fetched(wrong, true).kind() == EndKind::malformed);
}

}  // namespace arkvory::test
