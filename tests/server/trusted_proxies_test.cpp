// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/trusted_proxies.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace arkvory;
using namespace arkvory::server;

namespace {

IpAddress address(std::string_view text) {
  const auto parsed = IpAddress::parse(text);
  REQUIRE_MESSAGE(parsed, std::string(text));
  return *parsed;
}

TrustedProxies trusted(const std::vector<std::string>& texts) {
  std::vector<Network> networks;
  for (const auto& text : texts) {
    const auto network = Network::parse(text);
    REQUIRE_MESSAGE(network, text);
    networks.push_back(*network);
  }
  return TrustedProxies(networks);
}

}  // namespace

TEST_CASE("an address counts as itself, one of IPv6 as its network") {
  struct Case {
    const char* text;
    const char* who;
  };
  for (const auto& [text, who] :
       {Case{"192.0.2.1", "192.0.2.1"}, Case{"::ffff:192.0.2.1", "192.0.2.1"}, Case{"::1", "::/64"},
        Case{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"}, Case{"2001:db8:1:2:ffff::", "2001:db8:1:2::/64"}})
    CHECK(address(text).who() == who);
  CHECK(address("::ffff:192.0.2.1") == address("192.0.2.1"));
  for (const auto* text : {"", "192.0.2", "192.0.2.1.", "192.0.2.01x", "192.0.2.1/32", "[::1]", "fe80::1%lo", "host"})
    CHECK_FALSE(IpAddress::parse(text));
  CHECK_FALSE(IpAddress::parse(std::string_view("192.0.2.1\0x", 11)));
}

TEST_CASE("a network has the addresses whose first bits are its own, and is of one kind") {
  struct Case {
    const char* network;
    const char* inside;
    const char* outside;
  };
  for (const auto& one :
       {Case{"192.0.2.0/24", "192.0.2.255", "192.0.3.0"}, Case{"192.0.2.128/25", "192.0.2.128", "192.0.2.127"},
        Case{"192.0.2.7", "192.0.2.7", "192.0.2.6"}, Case{"192.0.2.7/32", "::ffff:192.0.2.7", "192.0.2.6"},
        Case{"0.0.0.0/0", "203.0.113.1", "2001:db8::1"}, Case{"::/0", "2001:db8::1", "192.0.2.1"},
        Case{"2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"},
        Case{"2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::"}, Case{"::1", "::1", "::2"},
        Case{"::ffff:192.0.2.0/120", "192.0.2.9", "192.0.3.1"}}) {
    CAPTURE(one.network);
    const auto network = Network::parse(one.network);
    REQUIRE(network);
    CHECK(network->contains(address(one.inside)));
    CHECK_FALSE(network->contains(address(one.outside)));
  }
  for (const auto* text :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/ 8", "10.0.0.1/8",
        "2001:db8::/129", "2001:db8::1/32", "proxy/8", "[::1]/128", "10.0.0.0/255.0.0.0"}) {
    CAPTURE(text);
    CHECK_FALSE(Network::parse(text));
  }
}

TEST_CASE("the client is the first machine from our end that is not trusted") {
  const auto proxies = trusted({"10.0.0.0/8", "2001:db8::/32"});
  struct Case {
    const char* peer;
    std::vector<std::string> fields;
    const char* client;
  };
  const std::vector<Case> cases{
      // not a proxy of ours: what it says counts nothing
      {"192.0.2.1", {}, "192.0.2.1"},
      {"192.0.2.1", {"for=198.51.100.1"}, "192.0.2.1"},
      {"2001:db9::1", {"for=198.51.100.1"}, "2001:db9::/64"},
      // one proxy
      {"10.0.0.1", {}, "10.0.0.1"},
      {"10.0.0.1", {"for=198.51.100.1"}, "198.51.100.1"},
      {"::ffff:10.0.0.1", {"for=198.51.100.1"}, "198.51.100.1"},
      {"2001:db8::1", {"for=\"[2001:dead:beef:1::5]:80\""}, "2001:dead:beef:1::/64"},
      // what stands before the client may be its own invention
      {"10.0.0.1", {"for=203.0.113.9, for=198.51.100.1"}, "198.51.100.1"},
      {"10.0.0.1", {"for=203.0.113.9", "for=198.51.100.1"}, "198.51.100.1"},
      {"10.0.0.1", {"for=10.0.0.9, for=198.51.100.1"}, "198.51.100.1"},
      // several proxies
      {"10.0.0.1", {"for=198.51.100.1, for=10.0.0.2"}, "198.51.100.1"},
      {"10.0.0.1", {"for=203.0.113.9, for=198.51.100.1, for=\"[2001:db8::7]\"", "for=10.0.0.2"}, "198.51.100.1"},
      // a trusted machine asks for itself
      {"10.0.0.1", {"for=10.0.0.2"}, "10.0.0.2"},
      {"10.0.0.1", {"for=10.0.0.3, for=10.0.0.2"}, "10.0.0.3"},
      // one that keeps it to itself stands for the client
      {"10.0.0.1", {"for=unknown"}, "10.0.0.1"},
      {"10.0.0.1", {"for=_hidden"}, "10.0.0.1"},
      {"10.0.0.1", {"proto=https"}, "10.0.0.1"},
      {"10.0.0.1", {"for=203.0.113.9, for=unknown"}, "10.0.0.1"},
      {"10.0.0.1", {"for=203.0.113.9, for=_hidden, for=10.0.0.2"}, "10.0.0.2"},
      {"10.0.0.1", {"for=unknown, for=198.51.100.1"}, "198.51.100.1"},
      // malformed, wherever
      {"10.0.0.1", {"for=198.51.100.1:80"}, "10.0.0.1"},
      {"10.0.0.1", {"for=\"", "for=198.51.100.1"}, "10.0.0.1"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.peer);
    CAPTURE(one.fields);
    Headers headers;
    for (const auto& field : one.fields) headers.add("forwarded", field);
    CHECK(proxies.client_of(address(one.peer), headers).who() == one.client);
  }
}

TEST_CASE("without proxies every peer is the client, and X-Forwarded-For is read of nobody") {
  Headers headers;
  headers.add("Forwarded", "for=198.51.100.1");
  CHECK(TrustedProxies().client_of(address("127.0.0.1"), headers).who() == "127.0.0.1");
  headers.clear();
  headers.add("X-Forwarded-For", "198.51.100.1");
  CHECK(trusted({"127.0.0.0/8"}).client_of(address("127.0.0.1"), headers).who() == "127.0.0.1");
}
