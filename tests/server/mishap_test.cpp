// SPDX-License-Identifier: Apache-2.0
// Mishaps as values: what a file may say, which rule acts, and how the bytes of a disturbed answer go out.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/size.h"
#include "server-stub/http/mishap_answer.h"
#include "server-stub/mishap/altered_file.h"
#include "server-stub/mishap/mishap_file.h"
#include "server-stub/mishap/mishap_script.h"
#include "server-stub/mishap/send_pace.h"
#include "server-stub/objects/root_folder.h"
#include "tests/server/files.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

std::string fault_of(std::string_view text) {
  const auto rules = parse_mishaps(text);
  return rules ? "" : rules.error().words;
}

MishapScript script(std::string_view text) {
  auto rules = parse_mishaps(text);
  REQUIRE(rules);
  return MishapScript(std::move(*rules));
}

constexpr Instant kBegin{Duration(1'000'000'000)};

Instant after(std::int64_t milliseconds) { return kBegin + std::chrono::milliseconds(milliseconds); }

std::string text_of(ObjectFile& file) {
  std::string text(file.identity().size, ' ');
  REQUIRE(file.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

TEST_CASE("every mishap is read by its name, with its fields and without those it can do without") {
  const auto rules = parse_mishaps(R"([
    {"delay": {"for": "2s"}}, {"emptyReply": {}}, {"emptyReply": {"reset": true}},
    {"status": {"code": 502, "retryAfter": 7, "body": "oops"}}, {"busy": {}}, {"busy": {"retryAfter": "soon"}},
    {"redirect": {"location": "/files/b", "code": 308}}, {"garbageHeader": {}}, {"noValidators": {}},
    {"wrongDigest": {}}, {"wrongType": {}}, {"wrongEncoding": {"coding": "br"}}, {"shortLength": {}},
    {"longLength": {"by": 10}}, {"noLength": {}}, {"cut": {"after": "1MB"}}, {"reset": {"after": 0}},
    {"stall": {"after": 5}}, {"stall": {"after": 5, "for": "1m"}}, {"slow": {"rate": "100kB/s"}}, {"corrupt": {"at": 9}},
    {"ignoreRange": {}}, {"wrongRange": {"shift": 2}}, {"changed": {}}, {"changed": {"sameBytes": true}},
    {"path": "/files/*", "method": "GET", "times": 3, "skip": 1, "cut": {"after": 1}}])");
  REQUIRE(rules);
  REQUIRE(rules->size() == 26);
  const auto is = [&](std::size_t rule, auto mishap) { return std::get<decltype(mishap)>((*rules)[rule].mishap); };
  CHECK(is(0, Delay{}).duration == std::chrono::seconds(2));
  CHECK(!is(1, EmptyReply{}).is_reset);
  CHECK(is(2, EmptyReply{}).is_reset);
  CHECK(is(3, ErrorStatus{}).code == 502);
  CHECK(is(3, ErrorStatus{}).retry_after == "7");
  CHECK(is(3, ErrorStatus{}).body == "oops");
  CHECK(is(4, Busy{}).retry_after == "1");
  CHECK(is(5, Busy{}).retry_after == "soon");
  CHECK(is(6, Redirect{}).code == 308);
  CHECK(is(11, WrongEncoding{}).coding == "br");
  CHECK(is(12, ShortLength{}).by == 1);
  CHECK(is(13, LongLength{}).by == 10);
  CHECK(is(15, Cut{}).after == 1'000'000);
  CHECK(is(16, Reset{}).after == 0);
  CHECK(!is(17, Stall{}).duration);
  CHECK(is(18, Stall{}).duration == std::chrono::minutes(1));
  CHECK(is(19, Slow{}).rate == 100'000);
  CHECK(is(20, Corrupt{}).at == 9);
  CHECK(is(22, WrongRange{}).shift == 2);
  CHECK(!is(23, ChangedObject{}).has_same_bytes);
  CHECK(is(24, ChangedObject{}).has_same_bytes);
  CHECK(rules->back().path == "/files/*");
  CHECK(rules->back().method == "GET");
  CHECK(rules->back().times == 3U);
  CHECK(rules->back().skip == 1);
}

TEST_CASE("what is wrong with a file of mishaps is named by its JSON Pointer") {
  struct Case {
    const char* text;
    const char* named;
  };
  for (const auto& [text, named] : {
           Case{"", "is not JSON"},
           Case{"{}", "takes a list of rules"},
           Case{"[[]]", "/0: takes an object"},
           Case{R"([{"path": "/a"}])", "/0: needs one of delay, emptyReply"},
           Case{R"([{"cut": {"after": 1}, "slow": {"rate": "1B/s"}}])", "is one too many"},
           Case{R"([{"cuts": {}}])", "/0/cuts: is unknown"},
           Case{R"([{"cut": {}}])", "/0/cut/after: is needed, a size"},
           Case{R"([{"cut": {"after": -1}}])", "/0/cut/after: takes a size"},
           Case{R"([{"cut": {"after": 1, "before": 2}}])", "/0/cut/before: is unknown"},
           Case{R"([{"cut": {"after": 1}, "times": 0}])", "/0/times: takes a whole number from 1"},
           Case{R"([{"cut": {"after": 1}, "skip": -1}])", "/0/skip: takes"},
           Case{R"([{"cut": {"after": 1}, "every": 0}])", "/0/every: takes a whole number from 1"},
           Case{R"([{"cut": {"after": 1}, "path": ""}])", "/0/path: takes"},
           Case{R"([{"cut": {"after": 1}, "method": "get it"}])", "/0/method: takes"},
           Case{R"([{"status": {"code": 200}}])", "/0/status/code: takes a whole number from 400 to 599"},
           Case{R"([{"redirect": {"location": "/a", "code": 304}}])", "/0/redirect/code: takes"},
           Case{R"([{"redirect": {"location": "a\r\nb"}}])", "/0/redirect/location: takes"},
           Case{R"([{"garbageHeader": {"line": "a\nb"}}])", "/0/garbageHeader/line: takes"},
           Case{R"([{"delay": {"for": "soon"}}])", "/0/delay/for: takes a time"},
           Case{R"([{"slow": {"rate": "0B/s"}}])", "/0/slow/rate: takes a rate above 0"},
           Case{R"([{"noLength": {"by": 1}}])", "/0/noLength/by: is unknown"},
           Case{R"([{"changed": {"sameBytes": "yes"}}])", "/0/changed/sameBytes: takes true or false"},
           Case{R"([{"changed": {}, "changed": {}}])", "/0/changed: is given twice"},
       }) {
    CAPTURE(text);
    CAPTURE(fault_of(text));
    CHECK(fault_of(text).find(named) != std::string::npos);
  }
}

TEST_CASE("in a pattern a star is any run of characters, a question mark is one") {
  struct Case {
    const char* pattern;
    const char* text;
    bool fits;
  };
  for (const auto& [pattern, text, fits] : {
           Case{"*", "", true},
           Case{"*", "/files/a", true},
           Case{"", "", true},
           Case{"", "a", false},
           Case{"/files/a", "/files/a", true},
           Case{"/files/a", "/files/ab", false},
           Case{"/files/*", "/files/a/b", true},
           Case{"/files/*", "/file", false},
           Case{"*.iso", "/files/x.iso", true},
           Case{"*.iso", "/files/x.iso.sig", false},
           Case{"/*/a*b*c", "/files/axbxbxc", true},
           Case{"/*/a*b*c", "/files/axbxbx", false},
           Case{"/files/?", "/files/a", true},
           Case{"/files/?", "/files/", false},
           Case{"**", "x", true},
           Case{"a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
       }) {
    CAPTURE(pattern);
    CAPTURE(text);
    CHECK(fits_pattern(pattern, text) == fits);
  }
}

TEST_CASE("the first rule that fits and is not used up acts, and each counts what it sees") {
  auto rules = script(R"([
    {"path": "/files/a", "times": 2, "busy": {}},
    {"path": "/files/*", "skip": 3, "times": 1, "cut": {"after": 1}},
    {"method": "HEAD", "status": {"code": 500}}])");
  const Occasion first{"GET", "/files/a", Scene::object_bytes};
  CHECK(rules.choose(first) == 0U);
  CHECK(rules.choose(first) == 0U);
  CHECK(!rules.choose(first));       // the first is used up, the second still skips
  CHECK(rules.choose(first) == 1U);  // it has seen three
  CHECK(!rules.choose(first));
  CHECK(rules.choose({"HEAD", "/files/b", Scene::object_head}) == 2U);
  CHECK(!rules.choose({"GET", "/files/b", Scene::object_bytes}));
}

TEST_CASE("a rule for every third acts on the third and the sixth after those that it skips, as often as it may") {
  auto rules = script(R"([{"skip": 1, "every": 3, "times": 2, "busy": {}}])");
  std::string acted;
  for (int i = 0; i < 12; ++i) acted += rules.choose({"GET", "/files/a", Scene::any_answer}) ? '!' : '.';
  CHECK(acted == "...!..!.....");
}

TEST_CASE("a rule acts only on answers that it means something for, and never on those that tell how the server is") {
  const Occasion refused{"GET", "/files/a", Scene::any_answer};
  const Occasion head{"HEAD", "/files/a", Scene::object_head};
  const Occasion whole{"GET", "/files/a", Scene::object_bytes};
  const Occasion range{"GET", "/files/a", Scene::object_range};
  const Occasion looked_up{"GET", "/files/a", Scene::look_up};
  const auto acts = [](std::string_view text, const Occasion& occasion) { return script(text).choose(occasion) == 0U; };
  CHECK(acts(R"([{"status": {"code": 500}}])", refused));
  CHECK(!acts(R"([{"wrongDigest": {}}])", refused));
  CHECK(acts(R"([{"wrongDigest": {}}])", head));
  CHECK(!acts(R"([{"cut": {"after": 1}}])", head));
  CHECK(acts(R"([{"cut": {"after": 1}}])", whole));
  CHECK(!acts(R"([{"wrongRange": {}}])", whole));
  CHECK(acts(R"([{"wrongRange": {}}])", range));
  CHECK(acts(R"([{"cut": {"after": 1}}])", range));
  CHECK(acts(R"([{"changed": {}}])", looked_up));
  CHECK(!acts(R"([{"changed": {}}])", whole));
  CHECK(!acts(R"([{"status": {"code": 500}}])", looked_up));
  for (const char* path : {"/healthz", "/readyz", "/metrics", "/api/v1/system/downloads/queue"})
    CHECK(!acts(R"([{"status": {"code": 500}}])", {"GET", path, Scene::any_answer}));
}

TEST_CASE("a disturbed answer ends, stalls and goes slowly where its plan says") {
  SUBCASE("it ends") {
    SendPace pace({.ends_at = 150, .head = 100});
    CHECK(pace.next(0, kBegin).bytes == 150);
    CHECK(pace.next(100, kBegin).bytes == 50);
    CHECK(!pace.is_over(149));
    CHECK(pace.is_over(150));
    CHECK(pace.next(150, kBegin).bytes == 0);
  }
  SUBCASE("it stalls for a time, counted from when it got there") {
    SendPace pace({.stalls_at = 150, .stall = std::chrono::seconds(2), .head = 100});
    CHECK(pace.next(100, kBegin).bytes == 50);
    CHECK(pace.next(150, after(1000)).bytes == 0);
    CHECK(pace.next(150, after(1000)).again == after(3000));
    CHECK(pace.next(150, after(2999)).bytes == 0);
    CHECK(pace.next(150, after(3000)).bytes > 0);
    CHECK(pace.next(151, after(3001)).bytes > 0);
  }
  SUBCASE("it stalls for ever") {
    SendPace pace({.stalls_at = 0, .head = 100});
    CHECK(pace.next(0, kBegin).bytes == 0);
    CHECK(pace.next(0, kBegin).again == Instant::max());
  }
  SUBCASE("it is slow from the end of the head on") {
    SendPace pace({.rate = 1000, .head = 100});
    CHECK(pace.next(0, kBegin).bytes == 100);
    CHECK(pace.next(100, kBegin).bytes == 0);
    CHECK(pace.next(100, kBegin).again == after(50));
    CHECK(pace.next(100, after(50)).bytes == 50);
    CHECK(pace.next(150, after(1000)).bytes == 950);
  }
}

TEST_CASE("an altered file has other bytes, or another identity, and the same size") {
  const test::TempFolder folder;
  test::put(folder / "a", "0123456789");
  const auto root = RootFolder::open_root(folder.path());
  REQUIRE(root);
  const auto path = RelativePath::from_text("a");
  const auto open = [&] { return std::get<std::shared_ptr<ObjectFile>>(*(*root)->open(path)); };
  const auto wrong = corrupted(open(), 3);
  auto expected = std::string("0123456789");
  expected[3] = static_cast<char>(~expected[3]);
  CHECK(text_of(*wrong) == expected);
  CHECK(wrong->identity() == open()->identity());
  CHECK(text_of(*corrupted(open(), 10)) == "0123456789");
  const auto retagged = replaced(open(), true);
  CHECK(text_of(*retagged) == "0123456789");
  CHECK(retagged->identity() != open()->identity());
  CHECK(retagged->identity() == replaced(open(), true)->identity());
  const auto other = replaced(open(), false);
  CHECK(text_of(*other) != "0123456789");
  CHECK(other->identity().size == 10);
  CHECK(other->identity() != open()->identity());
}

TEST_CASE("only the length and the lines that a mishap names are disturbed in a head") {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"a\"\r\n\r\n";
  Disturbance disturbance;
  CHECK(disturbed_head(head, disturbance) == head);
  disturbance.length_by = 3;
  disturbance.length = Disturbance::Length::less;
  CHECK(disturbed_head(head, disturbance) == "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nETag: \"a\"\r\n\r\n");
  disturbance.length = Disturbance::Length::more;
  CHECK(disturbed_head(head, disturbance) == "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nETag: \"a\"\r\n\r\n");
  disturbance.length = Disturbance::Length::absent;
  CHECK(disturbed_head(head, disturbance) == "HTTP/1.1 200 OK\r\nETag: \"a\"\r\n\r\n");
  disturbance = {};
  disturbance.garbage_line = "no field";
  CHECK(disturbed_head(head, disturbance) ==
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"a\"\r\nno field\r\n\r\n");
}
