// SPDX-License-Identifier: Apache-2.0
// Validators, sizes, digests and encodings that don't say what they should.
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <span>

#include "core/base/digest.h"
#include "core/http/repr_digest.h"
#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace {

constexpr std::uint64_t kBigAtMost = 50'600'000;

std::string two_years_ago() { return http_date(-std::chrono::hours(2L * 365 * 24)); }

std::string no_weak_tag(const Run& run) {
  for (const auto& one : run.served)
    if (one.request.headers.first("If-Range").value_or("").starts_with("W/")) return "a weak tag in If-Range";
  return {};
}

std::string no_condition(const Run& run) {
  for (const auto& one : run.served)
    if (const auto value = one.request.headers.first("If-Range")) return fmt::format("If-Range: {}", *value);
  return {};
}

Answer no_if_match() {
  return [right = ok()](const Ask& ask) {
    if (ask.request.headers.has("If-Match"))
      status(412)(ask);
    else
      right(ask);
  };
}

Answer no_head(Answer answer) {
  return [answer = std::move(answer), right = ok()](const Ask& ask) {
    (ask.request.method == "HEAD" ? answer : right)(ask);
  };
}

Answer head_lies() {
  return [](const Ask& ask) { ask.wire.send_head(200, fields({{"Content-Length", "1234"}, {"ETag", kTag}})); };
}

// 10,000 bytes more with each request, and another tag. An earlier representation can't be asked for.
Answer growing() {
  return [count = std::make_shared<std::atomic<std::size_t>>(0)](const Ask& ask) {
    const auto number = (*count)++;
    const Object now{grown_object(ask.object.size() + 10'000 * number), {}};
    ok({.etag = fmt::format("\"g{}\"", number)})({ask.request, ask.wire, now, ask.site});
  };
}

// Any one of its representations is right.
Verdict play_growing(Stage& stage) {
  stage.site().answer_with(growing());
  auto run = stage.run();
  const auto size = text_of(stage.file("out.bin")).size();
  const auto base = stage.object().size();
  const bool fits = size >= base && (size - base) % 10'000 == 0;
  run.is_right = fits && equals(stage.file("out.bin"), grown_object(size));
  stage.last = run;
  return judge(stage, run);
}

// Ranges are of the bytes as gzip packs them; without a range the whole comes, packed or not.
Answer packed_ranges(bool whole_is_packed) {
  return [whole_is_packed](const Ask& ask) {
    if (!whole_is_packed && !ask.request.headers.has("Range")) return ok()(ask);
    edited(with_header("Content-Encoding", "gzip"))({ask.request, ask.wire, packed_object(), ask.site});
  };
}

Verdict play_disagreement(Stage& stage) {
  const auto digest = repr_digest_value(*Sha256Digest::from_hex(other_object().sha256));
  stage.site().answer_with(edited(with_header("Repr-Digest", digest)));
  const auto run = stage.run();
  if (run.names.contains("out.bin.bad.arkvory-part") || stage.client().kind != Kind::ours) return judge(stage, run);
  return Verdict::of("what came is not kept aside");
}

// The date of each answer is a second off that of the one before.
Edit restless_date() {
  return [count = std::make_shared<std::atomic<int>>(0)](Prepared& answer, const Ask&) {
    const bool is_odd = (*count)++ % 2 != 0;
    answer.headers.set("Last-Modified", is_odd ? "Sun, 06 Nov 2022 08:49:38 GMT" : kOldDate);
  };
}

void no_tag_on_ranges_but_the_first(Prepared& answer, const Ask& ask) {
  where_resumed(without_header("ETag"))(answer, ask);
}

}  // namespace

std::vector<Case> validator_cases() {
  return {
      {.id = "B13",
       .title = "any If-Match gives 412",
       .server = no_if_match(),
       .right = {.most_bytes = kBigAtMost},
       .object = big_object},
      {.id = "B14a",
       .title = "a weak tag, a date two years old",
       .server = ok({.etag = "W/\"A\"", .last_modified = two_years_ago()}),
       .right = {.most_bytes = kSmall - kHalf + kSlack, .also = no_weak_tag},
       .part = Part{.bytes = kHalf, .facts = {.etag = "W/\"A\"", .last_modified = two_years_ago()}}},
      {.id = "B14b",
       .title = "a weak tag, a date of this minute",
       .server = ok({.etag = "W/\"A\"", .last_modified = http_date(-seconds(10))}),
       .right = {.most_bytes = 2 * kSmall, .also = no_condition},
       .part = Part{.bytes = kHalf, .facts = {.etag = "W/\"A\"", .last_modified = http_date(-seconds(10))}}},
      {.id = "B15",
       .title = "a tag on the first answer only",
       .server = edited(no_tag_on_ranges_but_the_first),
       .right = {.most_bytes = kBigAtMost},
       .object = big_object},
      {.id = "B18",
       .title = "grows with each request",
       .right =
           {.exits = {9, 0}, .tried_again = false, .most_requests = 60, .most_bytes = 300'000'000, .most_time = 90},
       .object = big_object,
       .digest = false,
       .course = play_growing},
      {.id = "B20a",
       .title = "ranges of the packed bytes, the whole packed",
       .server = packed_ranges(true),
       .right = {.most_bytes = 3 * kSmall}},
      {.id = "B20b",
       .title = "ranges of the packed bytes, the whole plain",
       .server = packed_ranges(false),
       .right = {.most_bytes = 3 * kSmall}},
      {.id = "B21a",
       .title = "a packed file labelled as an encoding, digest of the packed bytes",
       .server = edited(with_header("Content-Encoding", "gzip")),
       .right = {.most_bytes = 2 * kSmall},
       .object = packed_object},
      {.id = "B21b",
       .title = "the same with --raw and no digest",
       .server = edited(with_header("Content-Encoding", "gzip")),
       .right = {.most_bytes = 2 * kSmall},
       .object = packed_object,
       .digest = false,
       .options = {"--raw"}},
      {.id = "B22a", .title = "HEAD gives 403", .server = no_head(status(403, {}, "")), .right = {.most_requests = 2}},
      {.id = "B22b", .title = "HEAD gives 405", .server = no_head(status(405, {}, "")), .right = {.most_requests = 2}},
      {.id = "B22c",
       .title = "HEAD states another length",
       .server = no_head(head_lies()),
       .right = {.most_requests = 2}},
      {.id = "B23",
       .title = "the server's own digest disagrees",
       .right = {.exits = {7}, .most_bytes = 3 * kSmall},
       .digest = false,
       .course = play_disagreement},
      {.id = "B24",
       .title = "one strong tag, dates a second apart",
       .server = edited(restless_date()),
       .right = {.most_bytes = kBigAtMost},
       .object = big_object},
  };
}

}  // namespace arkvory::hostile
