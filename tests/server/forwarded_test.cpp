// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/forwarded.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace arkvory;
using namespace arkvory::server;

namespace {

// `1.2.3.4 - 2001:db8::/64`, `-` where a machine keeps it to itself; `malformed`.
std::string path_of(const std::vector<std::string>& fields) {
  Headers headers;
  for (const auto& field : fields) headers.add("Forwarded", field);
  const auto path = forwarded_for(headers);
  if (!path) return "malformed";
  std::string text;
  for (const auto& node : *path) text.append(text.empty() ? "" : " ").append(node ? node->who() : "-");
  return text;
}

struct Case {
  std::vector<std::string> fields;
  const char* expected;
};

void check(const std::vector<Case>& cases) {
  for (const auto& one : cases) {
    CAPTURE(one.fields);
    CHECK(path_of(one.fields) == one.expected);
  }
}

}  // namespace

TEST_CASE("a path of machines is read from all fields of the name, in their order") {
  const std::vector<Case> cases{
      {{}, ""},
      {{""}, ""},
      {{"for=192.0.2.43"}, "192.0.2.43"},
      {{"For=192.0.2.43"}, "192.0.2.43"},
      {{"for=\"192.0.2.43\""}, "192.0.2.43"},
      {{"for=192.0.2.43, for=198.51.100.17"}, "192.0.2.43 198.51.100.17"},
      {{"for=192.0.2.43,for=198.51.100.17"}, "192.0.2.43 198.51.100.17"},
      {{"for=192.0.2.43", "for=198.51.100.17"}, "192.0.2.43 198.51.100.17"},
      {{"for=192.0.2.43, for=192.0.2.44", "", "for=198.51.100.17"}, "192.0.2.43 192.0.2.44 198.51.100.17"},
      {{"for=192.0.2.60;proto=http;by=203.0.113.43"}, "192.0.2.60"},
      {{"proto=https;by=_me;host=\"a.example:8080\";for=192.0.2.60"}, "192.0.2.60"},
      {{"for=192.0.2.60; proto=http ;by=203.0.113.43"}, "192.0.2.60"},
      {{"for=192.0.2.60;"}, "192.0.2.60"},
      {{";for=192.0.2.60"}, "192.0.2.60"},
      {{" , for=192.0.2.60 ,, "}, "192.0.2.60"},
      {{"secret=\"a, for=10.0.0.1; \\\" b\";for=192.0.2.60"}, "192.0.2.60"},
  };
  check(cases);
}

TEST_CASE("a machine is an address with or without a port, or keeps it to itself") {
  const std::vector<Case> cases{
      {{"for=\"192.0.2.43:47011\""}, "192.0.2.43"},
      {{"for=\"192.0.2.43:_port\""}, "192.0.2.43"},
      {{"for=\"[2001:db8:cafe::17]\""}, "2001:db8:cafe::/64"},
      {{"for=\"[2001:db8:cafe::17]:4711\""}, "2001:db8:cafe::/64"},
      {{"for=\"[2001:DB8:cafe:1:2:3:4:5]:_a.b-c\""}, "2001:db8:cafe:1::/64"},
      {{"for=\"[::ffff:192.0.2.43]\""}, "192.0.2.43"},
      {{"for=\"192.0.2\\.43\""}, "192.0.2.43"},
      {{"for=unknown"}, "-"},
      {{"for=Unknown"}, "-"},
      {{"for=\"unknown:80\""}, "-"},
      {{"for=_hidden"}, "-"},
      {{"for=_SEVKISEK"}, "-"},
      {{"for=\"_gazonk:_x\""}, "-"},
      {{"proto=https"}, "-"},
      {{"for=192.0.2.43, by=192.0.2.44, for=_a"}, "192.0.2.43 - -"},
  };
  check(cases);
}

TEST_CASE("a path of which any part is malformed is none") {
  const std::vector<std::string> fields{
      "192.0.2.43",
      "for",
      "for=",
      "for =192.0.2.43",
      "for= 192.0.2.43",
      "=192.0.2.43",
      "for=192.0.2.43 for=192.0.2.44",
      "for=192.0.2.43;for=192.0.2.44",
      "for=192.0.2.43;FOR=192.0.2.43",
      "for=192.0.2.43:80",
      "for=[2001:db8::1]",
      "for=2001:db8::1",
      "for=\"2001:db8::1\"",
      "for=\"[192.0.2.43]\"",
      "for=\"[2001:db8::1\"",
      "for=\"[2001:db8::1]x\"",
      "for=\"[fe80::1%eth0]\"",
      "for=\"192.0.2.43",
      "for=\"192.0.2.43\\",
      "for=\"192.0.2.43\"x",
      "for=\"192.0.2.43:\"",
      "for=\"192.0.2.43:123456\"",
      "for=\"192.0.2.43:port\"",
      "for=\"192.0.2.43:_\"",
      "for=\"\"",
      "for=_",
      "for=_a!",
      "for=300.1.1.1",
      "for=192.0.2",
      "for=client.example",
      "for=\"192.0.2.43 \"",
      "proto=\"a\x01\"",
      "for=192.0.2.43;=",
      "for=192.0.2.43;proto",
      "for=192.0.2.43, \x80",
      "(for=192.0.2.43)",
  };
  for (const auto& field : fields) {
    CAPTURE(field);
    CHECK(path_of({field}) == "malformed");
    CHECK(path_of({"for=198.51.100.17", field}) == "malformed");
    CHECK(path_of({field, "for=198.51.100.17"}) == "malformed");
  }
}
