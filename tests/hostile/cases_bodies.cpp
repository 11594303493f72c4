// SPDX-License-Identifier: Apache-2.0
// Bodies that end too early or too late, and heads that are none.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "core/base/size.h"
#include "tests/hostile/cases.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace {

constexpr std::uint64_t kBigAtMost = 50'600'000;
constexpr std::uint64_t kPeak = 64 * kMiB;

// The whole object behind a head that a test writes byte for byte, then the end of the connection.
Answer raw(const std::string& head, std::uint64_t size = kSmall) {
  return [head, size](const Ask& ask) {
    ask.wire.send(head);
    ask.wire.send(std::span(ask.object.bytes).first(size));
    ask.wire.close();
  };
}

std::string whole_head(const std::string& more) {
  return fmt::format("HTTP/1.1 200 OK\r\nETag: {}\r\n{}\r\n", kTag, more);
}

std::string with_length(const std::string& length) { return whole_head("Content-Length: " + length + "\r\n"); }

std::string many_fields() {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += fmt::format("X-{}: y\r\n", i);
  return text;
}

// Interim answers, then a correct one.
Answer interim(const std::string& heads) {
  return [heads, right = ok()](const Ask& ask) {
    ask.wire.send(heads);
    right(ask);
  };
}

Edit surplus(std::size_t count) {
  return [count](Prepared& answer, const Ask&) {
    answer.body.insert(answer.body.end(), count, std::byte{'x'});
    answer.how = Break::fin;
  };
}

// Correct as a head with bare line feeds.
Answer bare_feeds() { return raw(fmt::format("HTTP/1.1 200 OK\nETag: {}\nContent-Length: {}\n\n", kTag, kSmall)); }

// A program's peak begins with that of the one that started it: a small one between them tells the client's own.
constexpr auto kTellPeak =
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
    "sys.stderr.write('peak %d\\n' % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)";

void tell_peak(Stage& stage) { stage.wrapper = {"python3", "-c", kTellPeak}; }

std::string small_peak(const Run& run) {
  const auto at = run.errors.rfind("peak ");
  if (at == std::string::npos) return "its memory was not told";
  const auto peak = std::stoull(run.errors.substr(at + 5)) * kKiB;
  return peak < kPeak ? "" : fmt::format("needs {}", format_size(peak));
}

std::string goes_on_from_half(const Run& run) {
  if (run.served.size() != 2) return fmt::format("{} requests, expected 2", run.served.size());
  const auto from = first_byte_of(run.served[1].request).value_or(0);
  return from == kHalf ? "" : fmt::format("asks again from {}, holds {}", from, kHalf);
}

// One range of the seven, the third, stands still when all but a hundredth of it is sent.
Edit stall_of_the_third() {
  return [cut = only_first(1, cut_after(8'304'721, Break::stall))](Prepared& answer, const Ask& ask) {
    if (first_byte_of(ask.request) == 16'777'216U) cut(answer, ask);
  };
}

std::string only_the_tail_again(const Run& run) {
  std::size_t tails = 0;
  for (const auto& one : run.served) {
    const auto from = first_byte_of(one.request).value_or(0);
    if (from % 8'388'608 != 0) ++tails;
  }
  return tails == 1 ? "" : fmt::format("{} requests from the middle of a range, expected 1", tails);
}

std::string says_something_of_it(const Run& run) {
  return events(run, "notice").empty() ? "no warning that nothing tells whether it is whole" : "";
}

// Spaced tries of what may pass.
std::string three_spaced_tries(const Run& run) {
  std::vector<double> gaps;
  for (std::size_t i = 2; i < run.served.size(); ++i) gaps.push_back(run.gaps()[i]);
  if (gaps.size() < 2) return fmt::format("{} tries of a 404 with bytes held, expected a few", gaps.size() + 1);
  for (const auto gap : gaps)
    if (gap < 0.4) return fmt::format("tries a 404 again after {:.2f} s", gap);
  return {};
}

}  // namespace

std::vector<Case> body_cases() {
  return {
      {.id = "C1",
       .title = "each body is reset after 512 KiB",
       .server = cut(524'288, Break::rst),
       .right = {.fewest_requests = 8, .most_requests = 40}},
      {.id = "C2",
       .title = "half in chunks, no last chunk, FIN; then OK",
       .server = edited(only_first(1,
                                   [](Prepared& answer, const Ask& ask) {
                                     in_chunks()(answer, ask);
                                     cut_after(kHalf, Break::fin)(answer, ask);
                                   })),
       .right = {.most_requests = 2, .most_bytes = kSmall + kSlack}},
      {.id = "C3",
       .title = "stalls at half, --stall-timeout 5s",
       .server = edited(only_first(1, cut_after(kHalf, Break::stall))),
       .right = {.least_time = 4.9, .most_time = 20, .also = goes_on_from_half},
       .options = {"--stall-timeout", "5s"}},
      {.id = "C4",
       .title = "accepts and never answers",
       .server = first(
           1, [](const Ask& ask) { ask.wire.stall(); }, ok()),
       .right = {.most_requests = 2, .most_time = 20},
       .options = {"--stall-timeout", "3s", "--connect-timeout", "3s"}},
      {.id = "C5",
       .title = "one of seven ranges stalls at 99 %",
       .server = edited(stall_of_the_third()),
       .right = {.most_bytes = kBigAtMost, .most_time = 20, .also = only_the_tail_again},
       .object = big_object,
       .options = {"--stall-timeout", "5s"}},
      {.id = "C6",
       .title = "100 bytes too many, then close",
       .server = edited(surplus(100)),
       .right = {.most_requests = 2, .most_bytes = kSmall + kSlack}},
      {.id = "C7a",
       .title = "Content-Length: -1",
       .server = raw(with_length("-1")),
       .right = {.exits = {11}, .most_requests = 3}},
      {.id = "C7b",
       .title = "Content-Length: 12abc",
       .server = raw(with_length("12abc")),
       .right = {.exits = {11}, .most_requests = 3}},
      {.id = "C7c",
       .title = "Content-Length: 2^63",
       .server = raw(with_length("9223372036854775808")),
       .right = {.exits = {11}, .most_requests = 3}},
      {.id = "C7d",
       .title = "two Content-Lengths that differ",
       .server = raw(whole_head(fmt::format("Content-Length: {}\r\nContent-Length: 17\r\n", kSmall))),
       .right = {.exits = {11}, .most_requests = 3}},
      {.id = "C8",
       .title = "chunked and Content-Length",
       .server = edited(
           [](Prepared& answer, const Ask& ask) {
             const auto length = answer.body.size() / 2;
             in_chunks()(answer, ask);
             answer.headers.add("Content-Length", std::to_string(length));
           },
           {.ranges = false}),
       .right = {.most_requests = 2, .most_bytes = 2 * kSmall}},
      {.id = "C9a",
       .title = "HTTP/1.0, no length, with a digest",
       .server = raw("HTTP/1.0 200 OK\r\n\r\n"),
       .right = {.most_requests = 2, .most_bytes = 2 * kSmall}},
      {.id = "C9b",
       .title = "HTTP/1.0, no length, no digest",
       .server = raw("HTTP/1.0 200 OK\r\n\r\n"),
       .right = {.most_requests = 2, .most_bytes = 2 * kSmall, .also = says_something_of_it},
       .digest = false},
      {.id = "C10",
       .title = "100, 103 with a Link, then the answer",
       .server = interim("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n"),
       .right = {.most_requests = 1}},
      {.id = "C11a",
       .title = "10,000 header fields",
       .server = raw(whole_head(many_fields() + fmt::format("Content-Length: {}\r\n", kSmall))),
       .right = {.exits = {11}, .most_requests = 3, .also = small_peak},
       .before = tell_peak},
      {.id = "C11b",
       .title = "a header field of 1 MiB",
       .server = raw(
           whole_head("X-Long: " + std::string(1'048'576, 'x') + fmt::format("\r\nContent-Length: {}\r\n", kSmall))),
       .right = {.exits = {11}, .most_requests = 3, .also = small_peak},
       .before = tell_peak},
      {.id = "C12a",
       .title = "NUL in a header",
       .server = raw(whole_head(std::string("X-Nul: a\0b\r\n", 12) + fmt::format("Content-Length: {}\r\n", kSmall))),
       .right = {.exits = {11}, .most_requests = 3}},
      {.id = "C12b",
       .title = "a folded header",
       .server = raw(whole_head(fmt::format("X-Folded: a\r\n b\r\nContent-Length: {}\r\n", kSmall))),
       .right = {.exits = {0, 11}, .most_requests = 3}},
      {.id = "C12c",
       .title = "lines that end in LF alone",
       .server = bare_feeds(),
       .right = {.exits = {0, 11}, .most_requests = 3}},
      {.id = "C19a",
       .title = "cut at half, then 404 three times, then OK",
       .server = in_turn({cut(kHalf, Break::fin), status(404), status(404), status(404), ok()}),
       .right = {.exits = {0, 6}, .kept = kHalf, .most_requests = 8, .most_time = 60, .also = three_spaced_tries}},
      {.id = "C19b",
       .title = "cut at half, then 404 for ever",
       .server = in_turn({cut(kHalf, Break::fin), status(404)}),
       .right = {.exits = {6}, .kept = kHalf, .most_requests = 8, .most_time = 60, .also = three_spaced_tries}},
      {.id = "C20", .title = "410", .server = status(410), .right = {.exits = {6}, .most_requests = 1}},
  };
}

}  // namespace arkvory::hostile
