// SPDX-License-Identifier: Apache-2.0
#include "core/http/repr_digest.h"

#include <doctest/doctest.h>

#include <string>

#include "core/http/structured_field.h"

namespace arkvory {

namespace {

// Of `{"hello": "world"}` and a line feed, as in RFC 9530.
constexpr const char* kHello = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=";
constexpr const char* kHelloHex = "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38";

std::optional<std::string> digest_in(const std::string& value) {
  Headers headers;
  headers.add("Repr-Digest", value);
  const auto digest = repr_digest(headers);
  return digest ? std::optional(digest->to_hex()) : std::nullopt;
}

std::string member(const std::string& encoded) { return "sha-256=:" + encoded + ":"; }

}  // namespace

TEST_CASE("the sha-256 member of Repr-Digest is found among others") {
  const auto hello = member(kHello);
  for (const auto& value :
       {hello, "sha-512=:YWJj:, " + hello, hello + ",md5=:YWJj:", "  " + hello + "  ", hello + ";x=1;y",
        "a, b=?0, c=(1 \"x\\\"\" :YQ==:;p);q, d=-1.5;z=*tok/en, " + hello, "sha-256=:YWJj:, " + hello,
        "sha-256, " + hello, member(std::string(kHello).substr(0, 43))}) {  // without padding
    CAPTURE(std::string(value));
    CHECK(digest_in(value) == kHelloHex);
  }
}

TEST_CASE("several Repr-Digest fields are one list, of a member given twice the last counts") {
  Headers headers;
  headers.add("Repr-Digest", "sha-512=:YWJj:");
  headers.add("repr-digest", member(kHello));
  headers.add("Repr-Digest", "");
  REQUIRE(repr_digest(headers));
  CHECK(repr_digest(headers)->to_hex() == kHelloHex);
  headers.add("Repr-Digest", "sha-256=:YWJj:");
  CHECK_FALSE(repr_digest(headers));
}

TEST_CASE("a Repr-Digest without a usable sha-256 is none") {
  const auto hello = member(kHello);
  const std::string encoded(kHello);
  CHECK_FALSE(repr_digest(Headers()));
  for (const auto& value : {std::string(), std::string("sha-256"), "sha-256=" + encoded, "sha-256=\"" + encoded + "\"",
                            "SHA-256=:" + encoded + ":", "sha-512=:" + encoded + ":", member("YWJj"), member(""),
                            member(encoded.substr(4)), member("AAAA" + encoded)}) {
    CAPTURE(std::string(value));
    CHECK_FALSE(digest_in(value));
  }
}

TEST_CASE("a malformed Repr-Digest is ignored whole (RFC 8941 section 4.2)") {
  const auto hello = member(kHello);
  for (const auto& value : {hello + ",",
                            "," + hello,
                            hello + " " + hello,
                            hello + ";",
                            hello + ";X",
                            hello + ", B=1",
                            "a=, " + hello,
                            "a=(1, " + hello,
                            "a=(1\"x\"), " + hello,
                            "a=\"x, " + hello,
                            "a=\"\\x\", " + hello,
                            "a=1., " + hello,
                            "a=1.2345, " + hello,
                            "a=1234567890123456, " + hello,
                            "a=1234567890123.1, " + hello,
                            "a=-, " + hello,
                            "a=?2, " + hello,
                            "a=@1, " + hello,
                            "a=:YQ, " + hello,
                            "a=:Y:, " + hello,
                            "a=:Y Q:, " + hello,
                            "\xC3\xA9=1, " + hello,
                            hello + "\x01",
                            "a=\"\x7F\", " + hello,
                            "sha-256 =:" + std::string(kHello) + ":",
                            "sha-256= :" + std::string(kHello) + ":"}) {
    CAPTURE(std::string(value));
    CHECK_FALSE(digest_in(value));
  }
}

TEST_CASE("what a server of ours writes is what a client of ours reads") {
  const auto digest = Sha256Digest::from_hex(kHelloHex);
  REQUIRE(digest);
  CHECK(repr_digest_value(*digest) == member(kHello));
  CHECK(digest_in(repr_digest_value(*digest)) == kHelloHex);
}

TEST_CASE("a dictionary keeps its members in order, repeated keys included") {
  const auto members = parse_dictionary("a=1, b, a=:YQ==:, *c.d-e_1=tok");
  REQUIRE(members);
  REQUIRE(members->size() == 4);
  CHECK((*members)[0].key == "a");
  CHECK_FALSE((*members)[0].bytes);
  CHECK((*members)[1].key == "b");
  CHECK((*members)[2].bytes == std::vector<std::byte>{std::byte{'a'}});
  CHECK((*members)[3].key == "*c.d-e_1");
  REQUIRE(parse_dictionary(""));
  CHECK(parse_dictionary("")->empty());
}

}  // namespace arkvory
