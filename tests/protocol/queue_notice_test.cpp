// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/queue_notice.h"

#include <doctest/doctest.h>

#include "core/base/rfc3339.h"

using namespace arkvory;

namespace {

Headers headers(std::initializer_list<std::pair<std::string, std::string>> fields) {
  Headers made;
  for (const auto& [name, value] : fields) made.add(name, value);
  return made;
}

}  // namespace

TEST_CASE("head and body together tell place, start, span, next question, reason and class") {
  auto notice = QueueNotice::from(headers({{"Arkvory-Queue-Position", "312"},
                                           {"arkvory-starts-at", "2027-03-27T21:30:00Z"},
                                           {"Arkvory-Download-Class", "bulk"}}));
  CHECK(notice.position == 312);
  CHECK(notice.starts_at == parse_rfc3339("2027-03-27T21:30:00Z"));
  CHECK(notice.download_class == "bulk");
  notice.add(R"({"type":"about:blank","code":"busy","reason":"download_queued","position":5,
                 "startsAt":"2027-03-28T00:00:00Z","checkAt":"2027-03-27T21:00:05.5Z","class":"release",
                 "startsBetween":["2027-03-27T21:20:00Z","2027-03-27T22:00:00+00:00"]})");
  CHECK(notice.position == 312);  // what the head told stands
  CHECK(notice.starts_at == parse_rfc3339("2027-03-27T21:30:00Z"));
  CHECK(notice.download_class == "bulk");
  CHECK(notice.reason == "download_queued");
  CHECK(notice.check_at == parse_rfc3339("2027-03-27T21:00:05.5Z"));
  REQUIRE(notice.starts_between);
  CHECK(notice.starts_between->to == parse_rfc3339("2027-03-27T22:00:00Z"));
  CHECK(notice.is_queued());
}

TEST_CASE("a body alone tells all of it") {
  QueueNotice notice;
  notice.add(R"({"position":7,"startsAt":"2027-03-27T21:30:00Z","class":"background"})");
  CHECK(notice.position == 7);
  CHECK(notice.starts_at);
  CHECK(notice.download_class == "background");
}

TEST_CASE("junk counts as absent") {
  for (const auto* position : {"0", "-1", "+1", "1.5", "", "first", "99999999999999999999", "2000000000", "1 2"}) {
    CAPTURE(position);
    CHECK(QueueNotice::from(headers({{"Arkvory-Queue-Position", position}})) == QueueNotice{});
  }
  for (const auto* start : {"soon", "", "2027-03-27", "1798761600", "2027-02-30T00:00:00Z"})
    CHECK(QueueNotice::from(headers({{"Arkvory-Starts-At", start}})) == QueueNotice{});
  CHECK(QueueNotice::from(headers({{"Arkvory-Download-Class", "\x1b[31m"}})) == QueueNotice{});
  for (const auto* body :
       {"", "null", "[]", "7", "{", R"({"position":"7"})", R"({"position":-7})", R"({"position":1e3})",
        R"({"position":0})", R"({"startsAt":7})", R"({"startsBetween":["2027-03-27T21:20:00Z"]})",
        R"({"startsBetween":["2027-03-27T21:20:00Z","2027-03-27T21:10:00Z"]})", R"({"startsBetween":{}})",
        R"({"checkAt":null})", R"({"class":"royal"})", R"({"reason":{}})"}) {
    CAPTURE(body);
    QueueNotice notice;
    notice.add(body);
    CHECK(notice == QueueNotice{});
  }
}

TEST_CASE("being busy alone is no place in a queue") {
  QueueNotice notice;
  notice.add(R"({"code":"busy","reason":"queue_full","checkAt":"2027-03-27T21:00:05Z","class":"bulk"})");
  CHECK_FALSE(notice.is_queued());
  notice.reason = "download_queued";
  CHECK(notice.is_queued());
}
