// SPDX-License-Identifier: Apache-2.0
#include "core/engine/response_check.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace arkvory;

namespace {

const WallTime kNow{std::chrono::seconds(1798761600)};  // Fri, 01 Jan 2027 00:00:00 GMT
constexpr const char* kDate = "Fri, 01 Jan 2027 00:00:00 GMT";
constexpr const char* kOld = "Thu, 01 Jan 2026 00:00:00 GMT";

ResponseHead head(int status, std::initializer_list<Headers::Field> fields) {
  ResponseHead made{.status = status, .headers = {}};
  for (const auto& field : fields) made.headers.add(field.name, field.value);
  return made;
}

RemoteObject known_object() {
  RemoteObject object;
  object.size = 1000;
  object.tag = StrongTag::parse("\"A\"");
  return object;
}

Question part_of(std::uint64_t begin, std::uint64_t end, bool conditional = false) {
  return {.range = ByteRange(begin, end), .conditional = conditional};
}

template <typename Expected>
Expected expect(const Verdict& verdict) {
  REQUIRE(std::holds_alternative<Expected>(verdict));
  return std::get<Expected>(verdict);
}

Fault fault_of(int status, std::initializer_list<Headers::Field> fields = {}) {
  return expect<NotServed>(check_response(part_of(0, 100), std::nullopt, head(status, fields), kNow)).error.fault;
}

}  // namespace

TEST_CASE("a 206 with the asked range is taken, and tells what the object is") {
  const auto answer = head(206, {{"Content-Range", "bytes 0-99/1000"},
                                 {"ETag", "\"A\""},
                                 {"Last-Modified", kOld},
                                 {"Date", kDate},
                                 {"Repr-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"}});
  const auto taken = expect<TakeRange>(check_response(part_of(0, 100), std::nullopt, answer, kNow));
  CHECK(taken.range == ByteRange(0, 100));
  CHECK(taken.object.size == 1000U);
  CHECK(taken.object.tag->text() == "\"A\"");
  CHECK(taken.object.date_is_strong);
  CHECK(taken.object.digest.has_value());
}

TEST_CASE("a 206 narrower than asked is taken as far as it goes") {
  const auto answer = head(206, {{"Content-Range", "bytes 0-49/1000"}});
  CHECK(expect<TakeRange>(check_response(part_of(0, 100), known_object(), answer, kNow)).range == ByteRange(0, 50));
}

TEST_CASE("a 206 that starts elsewhere or ends later than asked is not trusted, and nothing of it is taken (B2)") {
  for (const char* range : {"bytes 200-299/1000", "bytes 99-199/1000", "bytes 100-200/1000"}) {
    const auto answer = head(206, {{"Content-Range", range}});
    expect<AskWhole>(check_response(part_of(100, 200), known_object(), answer, kNow));
  }
}

TEST_CASE("a 206 of another total or another strong tag is another object (B3)") {
  const auto other_total = head(206, {{"Content-Range", "bytes 100-199/5096"}, {"ETag", "\"A\""}});
  const auto larger = expect<ObjectChanged>(check_response(part_of(100, 200), known_object(), other_total, kNow));
  CHECK(larger.contradicts);  // the same version of two sizes
  CHECK(larger.object.size == 5096U);
  const auto other_tag = head(206, {{"Content-Range", "bytes 100-199/1000"}, {"ETag", "\"B\""}});
  const auto renamed = expect<ObjectChanged>(check_response(part_of(100, 200), known_object(), other_tag, kNow));
  CHECK_FALSE(renamed.contradicts);
  CHECK(renamed.by_range);
  CHECK(renamed.object.tag == StrongTag::parse("\"B\""));
}

TEST_CASE("an unknown total is accepted where the size is known (B4), and asks for one stream where it is not") {
  const auto answer = head(206, {{"Content-Range", "bytes 100-199/*"}});
  const auto taken = expect<TakeRange>(check_response(part_of(100, 200), known_object(), answer, kNow));
  CHECK(taken.object.size == 1000U);
  expect<AskWhole>(check_response(part_of(100, 200), std::nullopt, answer, kNow));
}

TEST_CASE("a missing or weak tag on a 206 is no change (B15)") {
  const auto without = head(206, {{"Content-Range", "bytes 100-199/1000"}});
  expect<TakeRange>(check_response(part_of(100, 200), known_object(), without, kNow));
  const auto weak = head(206, {{"Content-Range", "bytes 100-199/1000"}, {"ETag", "W/\"B\""}});
  expect<TakeRange>(check_response(part_of(100, 200), known_object(), weak, kNow));
}

TEST_CASE("a 206 without one well-formed Content-Range is not trusted (B6, B7, B8)") {
  const auto none = head(206, {{"Content-Length", "100"}});
  expect<AskWhole>(check_response(part_of(100, 200), known_object(), none, kNow));
  const auto multipart = head(206, {{"Content-Type", "multipart/byteranges; boundary=x"}});
  expect<AskWhole>(check_response(part_of(100, 200), known_object(), multipart, kNow));
  const auto two = head(206, {{"Content-Range", "bytes 100-199/1000"}, {"Content-Range", "bytes 0-99/1000"}});
  expect<AskWhole>(check_response(part_of(100, 200), known_object(), two, kNow));
  for (const char* value : {"", "bytes", "bytes */1000", "bytes 199-100/1000", "bytes 100-199/150",
                            "octets 100-199/1000", "bytes 100-199/99999999999999999999"})
    expect<AskWhole>(check_response(part_of(100, 200), known_object(), head(206, {{"Content-Range", value}}), kNow));
}

TEST_CASE("encoded bytes of a range are refused in favour of one stream (B20)") {
  const auto answer = head(206, {{"Content-Range", "bytes 0-99/1000"}, {"Content-Encoding", "gzip"}});
  expect<AskWhole>(check_response(part_of(0, 100), std::nullopt, answer, kNow));
}

TEST_CASE("encoded bytes are taken where they are to be kept, whatever way that is known (B21)") {
  const auto part = head(206, {{"Content-Range", "bytes 0-99/1000"}, {"Content-Encoding", "x-gzip"}});
  const auto whole = head(200, {{"Content-Length", "1000"}, {"Content-Encoding", "GZIP"}});
  auto question = part_of(0, 100);
  CHECK(expect<TakeWhole>(check_response(question, std::nullopt, whole, kNow)).coding == "gzip");
  question.own_coding = coding_of_name("x.tar.gz");
  expect<TakeRange>(check_response(question, std::nullopt, part, kNow));
  CHECK(expect<TakeWhole>(check_response(question, std::nullopt, whole, kNow)).coding.empty());
  question.own_coding = coding_of_name("x.br");
  expect<AskWhole>(check_response(question, std::nullopt, part, kNow));
  question.raw = true;
  expect<TakeRange>(check_response(question, std::nullopt, part, kNow));
}

TEST_CASE("of decoded bytes the length is not known, for the head states that of the encoded ones") {
  const auto answer = head(200, {{"Content-Length", "1000"}, {"Content-Encoding", "gzip"}});
  const auto taken = expect<TakeWhole>(check_response({.decoded = true}, std::nullopt, answer, kNow));
  CHECK(taken.coding.empty());
  CHECK_FALSE(taken.object.size.has_value());
}

TEST_CASE("a server that says that it takes no ranges is believed, also in a 206 (B16)") {
  const auto answer = head(206, {{"Content-Range", "bytes 0-99/1000"}, {"Accept-Ranges", "None"}});
  expect<AskWhole>(check_response(part_of(0, 100), std::nullopt, answer, kNow));
}

TEST_CASE("a page of another type in the place of an object is another object, unless its validator says the same") {
  auto known = known_object();
  known.media_type = "application/zip";
  const auto page = head(200, {{"Transfer-Encoding", "chunked"}, {"Content-Type", "text/HTML; charset=utf-8"}});
  expect<ObjectChanged>(check_response(part_of(100, 200), known, page, kNow));
  expect<ObjectChanged>(check_response({}, known, page, kNow));
  const auto tagged = head(200, {{"Content-Length", "1000"}, {"Content-Type", "text/html"}, {"ETag", "\"A\""}});
  expect<AskWhole>(check_response(part_of(100, 200), known, tagged, kNow));
}

TEST_CASE("tags under which the same bytes have come name the same object") {
  auto known = known_object();
  known.other_tags.push_back(*StrongTag::parse("\"B\""));
  for (const char* tag : {"\"A\"", "\"B\""}) {
    const auto answer = head(206, {{"Content-Range", "bytes 100-199/1000"}, {"ETag", tag}});
    expect<TakeRange>(check_response(part_of(100, 200), known, answer, kNow));
  }
  const auto third = head(206, {{"Content-Range", "bytes 100-199/1000"}, {"ETag", "\"C\""}});
  expect<ObjectChanged>(check_response(part_of(100, 200), known, third, kNow));
}

TEST_CASE("a part where the whole was asked for is not trusted") {
  const auto answer = head(206, {{"Content-Range", "bytes 0-99/1000"}});
  CHECK(expect<NotServed>(check_response({}, std::nullopt, answer, kNow)).error.fault == Fault::untrusted);
}

TEST_CASE("a 200 to the first range becomes the single stream") {
  const auto answer = head(200, {{"Content-Length", "1000"}, {"ETag", "\"A\""}});
  const auto taken = expect<TakeWhole>(check_response(part_of(0, 100), std::nullopt, answer, kNow));
  CHECK(taken.object.size == 1000U);
  CHECK(taken.framed);
}

TEST_CASE("a 200 without length is framed by chunks, or by nothing (B1, C9)") {
  CHECK(
      expect<TakeWhole>(check_response({}, std::nullopt, head(200, {{"Transfer-Encoding", "chunked"}}), kNow)).framed);
  CHECK_FALSE(expect<TakeWhole>(check_response({}, std::nullopt, head(200, {}), kNow)).framed);
}

TEST_CASE("chunks win over a length beside them (C8)") {
  const auto answer = head(200, {{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}});
  const auto taken = expect<TakeWhole>(check_response({}, std::nullopt, answer, kNow));
  CHECK_FALSE(taken.object.size.has_value());
}

TEST_CASE("a length that is no number is not trusted (C7)") {
  for (const char* length : {"-1", "12abc", "18446744073709551616", "+5"})
    CHECK(expect<NotServed>(check_response({}, std::nullopt, head(200, {{"Content-Length", length}}), kNow))
              .error.fault == Fault::untrusted);
}

TEST_CASE("a 200 with the recorded tag to If-Range means that If-Range is not understood") {
  const auto answer = head(200, {{"Content-Length", "1000"}, {"ETag", "\"A\""}});
  expect<AskPlainly>(check_response(part_of(100, 200, true), known_object(), answer, kNow));
  expect<AskWhole>(check_response(part_of(100, 200, false), known_object(), answer, kNow));
}

TEST_CASE("a 200 of another object to a range is a change, whether its tag, date or size tells") {
  const auto tag = head(200, {{"Content-Length", "1000"}, {"ETag", "\"B\""}});
  expect<ObjectChanged>(check_response(part_of(100, 200, true), known_object(), tag, kNow));
  const auto size = head(200, {{"Content-Length", "1001"}});
  expect<ObjectChanged>(check_response(part_of(100, 200), known_object(), size, kNow));
  auto dated = known_object();
  dated.tag.reset();
  dated.last_modified = kOld;
  dated.date_is_strong = true;
  const auto date =
      head(200, {{"Content-Length", "1000"}, {"Last-Modified", "Thu, 01 Jan 2026 00:00:01 GMT"}, {"Date", kDate}});
  expect<ObjectChanged>(check_response(part_of(100, 200), dated, date, kNow));
}

TEST_CASE("a strong tag wins over a date that differs (B24)") {
  auto known = known_object();
  known.last_modified = kOld;
  known.date_is_strong = true;
  const auto answer = head(206, {{"Content-Range", "bytes 100-199/1000"},
                                 {"ETag", "\"A\""},
                                 {"Last-Modified", "Thu, 01 Jan 2026 00:00:01 GMT"},
                                 {"Date", kDate}});
  expect<TakeRange>(check_response(part_of(100, 200), known, answer, kNow));
}

TEST_CASE("a date is a strong validator only when it is at least 60 s older than the answer (B14)") {
  auto dated = [](const char* modified) {
    const auto answer = head(206, {{"Content-Range", "bytes 0-99/1000"}, {"Last-Modified", modified}, {"Date", kDate}});
    return expect<TakeRange>(check_response(part_of(0, 100), std::nullopt, answer, kNow)).object;
  };
  CHECK(dated("Thu, 31 Dec 2026 23:59:00 GMT").date_is_strong);
  CHECK_FALSE(dated("Thu, 31 Dec 2026 23:59:01 GMT").date_is_strong);
  CHECK_FALSE(dated("Fri, 01 Jan 2027 00:00:00 GMT").date_is_strong);
  CHECK(dated("no date at all").last_modified.empty());
}

TEST_CASE("a range of an object without bytes is the empty object (B19)") {
  const auto answer = head(416, {{"Content-Range", "bytes */0"}});
  CHECK(expect<TakeEmpty>(check_response(part_of(0, 100), std::nullopt, answer, kNow)).object.size == 0U);
}

TEST_CASE("a 416 is never an end: another size is a change, the same size asks for the whole (B10)") {
  const auto other = head(416, {{"Content-Range", "bytes */995"}});
  expect<ObjectChanged>(check_response(part_of(900, 1000), known_object(), other, kNow));
  const auto same = head(416, {{"Content-Range", "bytes */1000"}});
  expect<AskWhole>(check_response(part_of(900, 1000), known_object(), same, kNow));
  expect<AskWhole>(check_response(part_of(900, 1000), known_object(), head(416, {}), kNow));
  CHECK(expect<NotServed>(check_response({}, known_object(), head(416, {}), kNow)).error.fault == Fault::untrusted);
}

TEST_CASE("a redirect needs a Location (D4)") {
  for (const int status : {301, 302, 303, 307, 308}) {
    const auto answer = head(status, {{"Location", "/elsewhere"}});
    CHECK(expect<Redirected>(check_response(part_of(0, 100), std::nullopt, answer, kNow)).location == "/elsewhere");
    CHECK(fault_of(status) == Fault::untrusted);
  }
}

TEST_CASE("what counts as busy: 503 and 202 with Retry-After, 429, and any status with a queue header") {
  CHECK(fault_of(503, {{"Retry-After", "3"}}) == Fault::busy);
  CHECK(fault_of(202, {{"Retry-After", "1"}}) == Fault::busy);
  CHECK(fault_of(429) == Fault::busy);
  CHECK(fault_of(404, {{"Arkvory-Queue-Position", "7"}}) == Fault::busy);
  CHECK(fault_of(410, {{"Arkvory-Queue-Ticket", "2.a.b.c"}}) == Fault::busy);
  CHECK(fault_of(503, {{"Arkvory-Starts-At", "2027-01-01T00:00:00Z"}}) == Fault::busy);
}

TEST_CASE("a 503 or 202 that does not say when to come back is a fault (A6), with junk as with nothing (A4)") {
  CHECK(fault_of(503) == Fault::network);
  CHECK(fault_of(202) == Fault::network);
  for (const char* junk : {"soon", "1.5", "-5", ""}) CHECK(fault_of(503, {{"Retry-After", junk}}) == Fault::network);
}

TEST_CASE("other refusals by what one can do about them (A18, C20)") {
  for (const int status : {408, 425, 500, 502, 504, 520, 522, 524, 599}) CHECK(fault_of(status) == Fault::network);
  for (const int status : {401, 403, 407}) CHECK(fault_of(status) == Fault::auth);
  for (const int status : {400, 404, 405, 410, 412, 418, 451}) CHECK(fault_of(status) == Fault::refused);
  for (const int status : {204, 205, 304, 300, 299, 399}) CHECK(fault_of(status) == Fault::untrusted);
}

TEST_CASE("two objects without a common validator prove nothing") {
  RemoteObject plain;
  plain.size = 5;
  CHECK_FALSE(same_object(plain, plain).has_value());
  auto larger = plain;
  larger.size = 6;
  CHECK(same_object(plain, larger) == false);
}

TEST_CASE("a refusal keeps what was asked, the notice of the head and the server's own time") {
  const auto refused = expect<NotServed>(check_response(part_of(0, 100), std::nullopt,
                                                        head(503, {{"Retry-After", "3"},
                                                                   {"Date", "Fri, 01 Jan 2027 01:00:00 GMT"},
                                                                   {"Arkvory-Queue-Position", "7"},
                                                                   {"Arkvory-Download-Class", "bulk"}}),
                                                        kNow));
  REQUIRE(refused.asked);
  CHECK(refused.asked->delay() == std::chrono::seconds(3));
  CHECK(refused.notice.position == 7);
  CHECK(refused.notice.download_class == "bulk");
  CHECK(refused.answered == kNow + std::chrono::hours(1));
  // A body may still say that it is busy: then this counts.
  CHECK(expect<NotServed>(check_response(part_of(0, 100), std::nullopt, head(404, {{"Retry-After", "9"}}), kNow))
            .asked->delay() == std::chrono::seconds(9));
}

TEST_CASE("a redirect keeps its Retry-After (A14), and a 416 with a place in a queue is busy") {
  const auto redirected = expect<Redirected>(
      check_response(part_of(0, 100), std::nullopt, head(302, {{"Location", "/there"}, {"Retry-After", "2"}}), kNow));
  REQUIRE(redirected.asked);
  CHECK(redirected.asked->delay() == std::chrono::seconds(2));
  CHECK(fault_of(416, {{"Arkvory-Queue-Position", "7"}}) == Fault::busy);
}
