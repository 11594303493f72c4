// SPDX-License-Identifier: Apache-2.0
// What servers answer to a range.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace {

std::vector<std::byte> slice(const Object& object, std::uint64_t begin, std::uint64_t end) {
  const auto part = std::span(object.bytes).subspan(begin, end - begin);
  return {part.begin(), part.end()};
}

std::string range_header(std::uint64_t begin, std::uint64_t end, const std::string& total) {
  return fmt::format("bytes {}-{}/{}", begin, end - 1, total);
}

void make_late(Prepared& answer, const Ask& ask) {
  if (answer.body.size() <= 100) return;
  const auto begin = *first_byte_of(ask.request) + 100;
  const auto end = begin - 100 + answer.body.size();
  answer.body = slice(ask.object, begin, end);
  answer.headers.set("Content-Range", range_header(begin, end, std::to_string(ask.object.size())));
  answer.headers.set("Content-Length", std::to_string(answer.body.size()));
}

void state_a_larger_total(Prepared& answer, const Ask& ask) {
  const auto begin = *first_byte_of(ask.request);
  answer.headers.set("Content-Range",
                     range_header(begin, begin + answer.body.size(), std::to_string(ask.object.size() + 4096)));
}

void state_no_total(Prepared& answer, const Ask& ask) {
  if (answer.status != 206) return;
  const auto begin = *first_byte_of(ask.request);
  answer.headers.set("Content-Range", range_header(begin, begin + answer.body.size(), "*"));
}

void add_surplus(Prepared& answer, const Ask&) {
  if (answer.status != 206) return;
  answer.body.insert(answer.body.end(), 4096, std::byte{'x'});
  answer.how = Break::fin;
}

void send_all(Prepared& answer, const Ask& ask) {
  without_header("Content-Range")(answer, ask);
  answer.body = ask.object.bytes;
  answer.headers.set("Content-Length", std::to_string(answer.body.size()));
}

void wrap_in_multipart(Prepared& answer, const Ask& ask) {
  const auto begin = *first_byte_of(ask.request);
  const auto range = range_header(begin, begin + answer.body.size(), std::to_string(ask.object.size()));
  const auto before =
      "\r\n--BOUNDARY\r\nContent-Type: application/octet-stream\r\nContent-Range: " + range + "\r\n\r\n";
  const std::string after = "\r\n--BOUNDARY--\r\n";
  std::vector<std::byte> whole(before.size() + answer.body.size() + after.size());
  std::memcpy(whole.data(), before.data(), before.size());
  std::copy(answer.body.begin(), answer.body.end(), whole.begin() + static_cast<std::ptrdiff_t>(before.size()));
  std::memcpy(whole.data() + before.size() + answer.body.size(), after.data(), after.size());
  answer.body = std::move(whole);
  without_header("Content-Range")(answer, ask);
  answer.headers.set("Content-Type", "multipart/byteranges; boundary=BOUNDARY");
  answer.headers.set("Content-Length", std::to_string(answer.body.size()));
}

std::string each_connection_once(const Run& run) {
  std::set<int> used;
  for (const auto& one : run.served)
    if (!used.insert(one.request.connection).second) return "a connection with surplus bytes is used again";
  return {};
}

// The small object with five bytes more at its end, as it was before.
const Object& longer_object() {
  static const Object object = [] {
    auto bytes = small_object().bytes;
    bytes.insert(bytes.end(), 5, std::byte{'+'});
    return Object{bytes, sha256_of(bytes)};
  }();
  return object;
}

// bytes=N- is answered as some servers do: 206 without a byte.
void answer_nothing_left(Prepared& answer, const Ask& ask) {
  if (answer.status != 416) return;
  answer.status = 206;
  without_header("Content-Range")(answer, ask);
}

// A run that had recorded half of the object has all of it, and is killed as it gives it its name.
Verdict play_killed_at_the_end(Stage& stage, const Answer& afterwards) {
  stage.environment["LD_PRELOAD"] = ARKVORY_FAILING_DISK;
  stage.environment["FAILING_CALL"] = "publish";
  stage.environment["FAILING_SIGNAL"] = std::to_string(SIGKILL);
  stage.site().answer_with(first(1, cut(kHalf, Break::fin), ok()));
  const auto killed = stage.run();
  if (!killed.end || killed.end->signal != SIGKILL || killed.has_target)
    return Verdict::of("was not killed between the last byte and the rename");
  stage.environment.erase("LD_PRELOAD");
  stage.site().answer_with(afterwards);
  return judge(stage, stage.run());
}

// Ours asks for nothing where it has all; the others look behind the end.
Verdict play_nothing_left(Stage& stage) {
  const auto server = edited(answer_nothing_left);
  if (stage.client().kind == Kind::ours) return play_killed_at_the_end(stage, server);
  stage.play_part({.bytes = kSmall});
  stage.site().answer_with(server);
  return judge(stage, stage.run());
}

std::string bounded_at_first(const Run& run) {
  if (run.served.empty()) return "nothing was asked";
  const auto range = run.served[0].request.headers.first("Range").value_or("");
  return range.empty() || range.back() == '-' ? fmt::format("the first request has Range '{}'", range) : "";
}

}  // namespace

std::vector<Case> range_cases() {
  return {
      {.id = "B1",
       .title = "200 in chunks, ranges ignored",
       .server = edited(in_chunks(), {.ranges = false}),
       .right = {.most_bytes = 3 * kSmall},
       .part = Part{kHalf}},
      {.id = "B2a",
       .title = "each resumed range starts 100 bytes late",
       .server = edited(where_resumed(make_late)),
       .right = {.most_bytes = 3 * kSmall},
       .part = Part{kHalf}},
      {.id = "B2b",
       .title = "one range starts 100 bytes late",
       .server = edited(where_resumed(only_first(1, make_late))),
       .right = {.most_bytes = 3 * kSmall},
       .part = Part{kHalf}},
      {.id = "B3a",
       .title = "right range, total N+4096, for good",
       .server = edited(where_resumed(state_a_larger_total)),
       .right = {.exits = {11}, .kept = kHalf, .fewest_requests = 2, .most_requests = 12},
       .part = Part{kHalf}},
      {.id = "B3b",
       .title = "right range, total N+4096, once",
       .server = edited(where_resumed(only_first(1, state_a_larger_total))),
       .right = {.most_bytes = kSmall + kSlack},
       .part = Part{kHalf}},
      {.id = "B4",
       .title = "Content-Range with total *, size known",
       .server = edited(where_resumed(state_no_total)),
       .right = {.most_bytes = kSmall - kHalf + kSlack},
       .part = Part{kHalf}},
      {.id = "B4b",
       .title = "later ranges with total *",
       .server = edited(where_resumed(state_no_total)),
       .right = {.most_bytes = 50'600'000},
       .object = big_object},
      {.id = "B5",
       .title = "4096 bytes more than the range, then close",
       .server = edited(add_surplus),
       .right = {.most_bytes = 50'700'000, .also = each_connection_once},
       .object = big_object},
      {.id = "B6",
       .title = "206 without Content-Range, the slice asked for",
       .server = edited(where_resumed(without_header("Content-Range"))),
       .right = {.most_bytes = 3 * kSmall},
       .part = Part{kHalf}},
      {.id = "B7",
       .title = "206 without Content-Range, all of it",
       .server = edited(where_resumed(send_all)),
       .right = {.most_bytes = 3 * kSmall},
       .part = Part{kHalf}},
      {.id = "B8",
       .title = "a single range as multipart/byteranges",
       .server = edited(where_resumed(wrap_in_multipart)),
       .right = {.most_bytes = 3 * kSmall},
       .part = Part{kHalf}},
      {.id = "B9",
       .title = "killed between the last byte and the rename",
       .right = {.most_requests = 1, .most_bytes = kSlack},
       .only_ours = true,
       .course = [](Stage& stage) { return play_killed_at_the_end(stage, ok()); }},
      {.id = "B10a",
       .title = "416: the object is shorter than what is held, same tag",
       .right = {.most_requests = 6, .most_bytes = 2 * kSmall},
       .part = Part{.bytes = kSmall + 2, .object = &longer_object()}},
      {.id = "B10b",
       .title = "416: the object is shorter than what is held, another tag",
       .right = {.most_requests = 6, .most_bytes = 3 * kSmall},
       .part = Part{.bytes = kSmall + 2, .object = &longer_object(), .facts = {.etag = "\"longer\""}}},
      {.id = "B11",
       .title = "206 with Content-Length 0 for the bytes behind the end",
       .right = {.most_requests = 1, .most_bytes = kSlack},
       .course = play_nothing_left},
      {.id = "B16a",
       .title = "ranges without Accept-Ranges",
       .server = edited(without_header("Accept-Ranges")),
       .right = {.fewest_requests = 7, .most_bytes = 50'600'000},
       .object = big_object},
      {.id = "B16b",
       .title = "Accept-Ranges: none, and ranges work",
       .server = edited(with_header("Accept-Ranges", "none")),
       .right = {.most_requests = 2, .most_bytes = 59'000'000},
       .object = big_object},
      {.id = "B17",
       .title = "an open range gives 200, a bounded one 206",
       .server =
           [right = ok(), whole = ok({.ranges = false})](const Ask& ask) {
             const auto range = ask.request.headers.first("Range").value_or("");
             (range.empty() || range.back() == '-' ? whole : right)(ask);
           },
       .right = {.fewest_requests = 7, .most_bytes = 50'600'000, .also = bounded_at_first},
       .object = big_object},
      {.id = "B19",
       .title = "no bytes at all, 416 for any range",
       .right = {.most_requests = 3},
       .object = empty_object},
  };
}

}  // namespace arkvory::hostile
