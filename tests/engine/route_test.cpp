// SPDX-License-Identifier: Apache-2.0
#include "core/engine/route.h"

#include <doctest/doctest.h>

#include <string>

using namespace arkvory;

namespace {

Route route_from(const char* url) { return Route(*Url::parse(url)); }

}  // namespace

TEST_CASE("a relative redirect is followed within the origin, another host is another origin") {
  auto route = route_from("http://a.example/dir/file");
  REQUIRE(route.follow("other?sig=1"));
  CHECK(route.current().text() == "http://a.example/dir/other?sig=1");
  CHECK(route.is_first_origin());
  CHECK(route.is_redirected());
  REQUIRE(route.follow("//b.example/x"));
  CHECK_FALSE(route.is_first_origin());
  route.back_to_first();
  CHECK(route.current().text() == "http://a.example/dir/file");
  CHECK_FALSE(route.is_redirected());
}

TEST_CASE("another port or scheme is another origin") {
  auto port = route_from("http://a.example/file");
  REQUIRE(port.follow("http://a.example:8080/file"));
  CHECK_FALSE(port.is_first_origin());
  auto scheme = route_from("http://a.example/file");
  REQUIRE(scheme.follow("https://a.example/file"));
  CHECK_FALSE(scheme.is_first_origin());
}

TEST_CASE("after 20 redirects in a row the server is not trusted (D2)") {
  auto route = route_from("http://a.example/file");
  for (int i = 0; i < 20; ++i) REQUIRE(route.follow("/file"));
  const auto one_more = route.follow("/file");
  REQUIRE_FALSE(one_more);
  CHECK(one_more.error().fault == Fault::untrusted);
}

TEST_CASE("an answer between redirects begins the count anew") {
  auto route = route_from("http://a.example/file");
  for (int i = 0; i < 100; ++i) {
    REQUIRE(route.follow("/file"));
    route.arrived();
  }
}

TEST_CASE("https is not left for http (D3)") {
  auto route = route_from("https://a.example/file");
  const auto followed = route.follow("http://a.example/file");
  REQUIRE_FALSE(followed);
  CHECK(followed.error().fault == Fault::untrusted);
  CHECK(route.current().scheme() == "https");
}

TEST_CASE("only http(s), and a link-local address only from one (D5)") {
  for (const char* location : {"file:///etc/passwd", "gopher://a.example/", "ftp://a.example/x",
                               "http://169.254.169.254/latest", "http://[fe80::1]/"}) {
    auto route = route_from("http://a.example/file");
    const auto followed = route.follow(location);
    REQUIRE_FALSE(followed);
    CHECK(followed.error().fault == Fault::untrusted);
  }
  auto local = route_from("http://169.254.1.1/file");
  CHECK(local.follow("http://169.254.1.2/file"));
}

TEST_CASE("every change of where requests go has its own version") {
  auto route = route_from("http://a.example/file");
  const auto first = route.version();
  REQUIRE(route.follow("/other"));
  const auto second = route.version();
  route.back_to_first();
  CHECK(first != second);
  CHECK(second != route.version());
  CHECK(first != route.version());
}
