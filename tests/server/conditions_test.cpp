// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/conditions.h"

#include <doctest/doctest.h>

#include <vector>

using namespace arkvory;
using server::evaluate;
using server::Precondition;
using server::range_applies;

namespace {

// Sun, 06 Nov 1994 08:49:37 GMT
constexpr WallTime kModified{std::chrono::seconds(784111777)};
constexpr WallTime kNow = kModified + std::chrono::hours(1);
const server::Validators kObject{"\"abc\"", kModified};

constexpr const char* kAtModified = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr const char* kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr const char* kAfter = "Sun, 06 Nov 1994 08:49:38 GMT";

struct Case {
  std::vector<Headers::Field> fields;
  Precondition expected;
};

Headers headers(const std::vector<Headers::Field>& fields) {
  Headers all;
  for (const auto& field : fields) all.add(field.name, field.value);
  return all;
}

}  // namespace

TEST_CASE("preconditions are evaluated in the order of RFC 9110 13.2.2") {
  const std::vector<Case> cases{
      {{}, Precondition::proceed},
      // If-Match: strong comparison; a malformed one matches nothing
      {{{"If-Match", "\"abc\""}}, Precondition::proceed},
      {{{"If-Match", "*"}}, Precondition::proceed},
      {{{"If-Match", "\"x\", \"abc\""}}, Precondition::proceed},
      {{{"If-Match", "\"x\""}, {"If-Match", "\"abc\""}}, Precondition::proceed},
      {{{"If-Match", " , \"a,b\" ,, \"abc\" , "}}, Precondition::proceed},
      {{{"If-Match", "W/\"abc\""}}, Precondition::failed},
      {{{"If-Match", "\"abd\""}}, Precondition::failed},
      {{{"If-Match", "abc"}}, Precondition::failed},
      {{{"If-Match", "\"abc"}}, Precondition::failed},
      {{{"If-Match", "\"abc\" \"x\""}}, Precondition::failed},
      {{{"If-Match", ""}}, Precondition::failed},
      // If-Unmodified-Since: only without If-Match; no date counts as absent
      {{{"If-Unmodified-Since", kBefore}}, Precondition::failed},
      {{{"If-Unmodified-Since", kAtModified}}, Precondition::proceed},
      {{{"If-Unmodified-Since", kAfter}}, Precondition::proceed},
      {{{"If-Unmodified-Since", "yesterday"}}, Precondition::proceed},
      {{{"If-Match", "\"abc\""}, {"If-Unmodified-Since", kBefore}}, Precondition::proceed},
      // If-None-Match: weak comparison
      {{{"If-None-Match", "\"abc\""}}, Precondition::not_modified},
      {{{"If-None-Match", "W/\"abc\""}}, Precondition::not_modified},
      {{{"If-None-Match", "\"x\", W/\"y\", \"abc\""}}, Precondition::not_modified},
      {{{"If-None-Match", "*"}}, Precondition::not_modified},
      {{{"If-None-Match", "\"x\""}}, Precondition::proceed},
      {{{"If-None-Match", "abc"}}, Precondition::proceed},
      // If-Modified-Since: only without If-None-Match
      {{{"If-Modified-Since", kAtModified}}, Precondition::not_modified},
      {{{"If-Modified-Since", kAfter}}, Precondition::not_modified},
      {{{"If-Modified-Since", kBefore}}, Precondition::proceed},
      {{{"If-Modified-Since", kAfter}, {"If-Modified-Since", kAfter}}, Precondition::proceed},
      {{{"If-None-Match", "\"x\""}, {"If-Modified-Since", kAfter}}, Precondition::proceed},
      // 412 goes before 304
      {{{"If-Match", "\"x\""}, {"If-None-Match", "\"abc\""}}, Precondition::failed},
      {{{"If-Unmodified-Since", kBefore}, {"If-None-Match", "\"abc\""}}, Precondition::failed},
      {{{"If-Match", "\"abc\""}, {"If-None-Match", "\"abc\""}}, Precondition::not_modified},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    CHECK(evaluate(headers(cases[i].fields), kObject, kNow) == cases[i].expected);
  }
}

TEST_CASE("If-Range takes the strong tag or exactly the date, else the whole object is sent (RFC 9110 13.1.5)") {
  const auto applies = [](const char* value) { return range_applies(headers({{"If-Range", value}}), kObject, kNow); };
  CHECK(range_applies({}, kObject, kNow));
  CHECK(applies("\"abc\""));
  CHECK(!applies("W/\"abc\""));
  CHECK(!applies("\"abd\""));
  CHECK(!applies("abc"));
  CHECK(applies(kAtModified));
  CHECK(!applies(kBefore));
  CHECK(!applies(kAfter));
  CHECK(!applies(""));
  CHECK(!range_applies(headers({{"If-Range", "\"abc\""}, {"If-Range", "\"abc\""}}), kObject, kNow));
}

TEST_CASE("a date whose second is not over is no strong validator") {
  const auto fields = headers({{"If-Range", kAtModified}});
  CHECK(!range_applies(fields, kObject, kModified + std::chrono::milliseconds(999)));
  CHECK(range_applies(fields, kObject, kModified + std::chrono::seconds(1)));
}
