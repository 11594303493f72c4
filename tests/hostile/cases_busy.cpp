// SPDX-License-Identifier: Apache-2.0
// Busy servers, queues, and what they say about time.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/rfc3339.h"
#include "tests/hostile/cases.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace {

Answer busy(const std::string& retry_after) { return status(503, fields({{"Retry-After", retry_after}})); }

// An answer of a server with a queue.
Answer queued(int position, const std::string& ticket, int code = 503, const std::string& retry_after = "1") {
  const auto starts_at = format_rfc3339(SystemClock().wall_now() + std::chrono::minutes(position));
  const auto body = fmt::format(
      R"({{"type":"about:blank","title":"Busy","status":{},"code":"busy","reason":"download_queued","position":{},"startsAt":"{}"}})",
      code, position, starts_at);
  return status(code,
                fields({{"Retry-After", retry_after},
                        {"Content-Type", "application/problem+json"},
                        {"Arkvory-Queue-Position", std::to_string(position)},
                        {"Arkvory-Starts-At", starts_at},
                        {"Arkvory-Queue-Ticket", ticket}}),
                body);
}

Answer queue_of_four() {
  return in_turn({queued(4, "t.4"), queued(3, "t.3"), queued(2, "t.2"), queued(1, "t.1"), ok()});
}

Answer server_an_hour_ahead() {
  return first(
      2,
      [](const Ask& ask) {
        const auto hour = std::chrono::hours(1);
        status(503, fields({{"Date", http_date(hour)}, {"Retry-After", http_date(hour + seconds(3))}}))(ask);
      },
      ok());
}

std::string each_place_told(const Run& run) {
  const auto told = events(run, "waiting");
  if (told.size() != 4) return fmt::format("{} waiting events, expected 4", told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (told[i].value("position", 0) != 4 - static_cast<int>(i)) return "a place is not the one that was answered";
    for (const auto* name : {"startsAt", "checkAt"})
      if (!told[i].contains(name)) return fmt::format("a waiting event lacks {}", name);
  }
  return {};
}

std::string place_told_once(const Run& run) {
  std::size_t count = 0;
  for (auto at = run.errors.find("place"); at != std::string::npos; at = run.errors.find("place", at + 1)) ++count;
  if (count != 1) return fmt::format("the place is told {} times in a log, expected once", count);
  return {};
}

std::string newest_ticket_sent(const Run& run) {
  for (std::size_t i = 1; i < run.served.size(); ++i) {
    const auto expected = i == 1 ? "old" : "new";
    const auto sent = run.served[i].request.headers.first("Arkvory-Queue-Ticket");
    if (!sent || *sent != expected)
      return fmt::format("request {} carries ticket '{}', the newest is '{}'", i + 1, sent.value_or(""), expected);
  }
  return {};
}

// From the first busy answer on one asks at a time, and nothing that is done is asked for again. Those that were under
// way together when the seat went come on connections that were not told of it yet.
std::string one_poller(const Run& run) {
  Instant before{};
  std::set<int> told;
  for (const auto& one : run.served) {
    if (one.bytes_sent >= 2048) continue;
    const auto gap = std::chrono::duration<double>(one.time - before).count();
    if (!told.insert(one.request.connection).second && gap < 0.95)
      return fmt::format("asked again after {:.2f} s", gap);
    before = one.time;
  }
  return {};
}

std::string back_to_the_first(const Run& run) {
  for (std::size_t i = 0; i < run.served.size(); ++i) {
    const auto* expected = i % 2 == 0 ? "/f.bin" : "/cdn";
    if (run.served[i].request.target != expected)
      return fmt::format("request {} is for {}, expected {}", i + 1, run.served[i].request.target, expected);
  }
  return {};
}

std::string new_connection(const Run& run) {
  if (run.served.size() != 2) return fmt::format("{} requests, expected 2", run.served.size());
  return run.served[0].request.connection != run.served[1].request.connection ? "" : "the closed connection is used";
}

Answer faults(const std::vector<int>& codes) {
  std::vector<Answer> all;
  for (const int code : codes) all.push_back(status(code));
  all.push_back(ok());
  return in_turn(std::move(all));
}

}  // namespace

std::vector<Case> busy_cases() {
  return {
      {.id = "A1",
       .title = "busy until a date, server and date an hour ahead",
       .server = server_an_hour_ahead(),
       .right = {.most_requests = 3, .least_time = 6, .most_time = 20, .gap = 2.9}},
      {.id = "A2",
       .title = "busy until a date an hour ago",
       .server = first(2, busy(http_date(-std::chrono::hours(1))), ok()),
       .right = {.most_requests = 3, .least_time = 2, .gap = 0.99}},
      {.id = "A3",
       .title = "busy five times, Retry-After 0",
       .server = first(5, busy("0"), ok()),
       .right = {.most_requests = 6, .least_time = 5, .gap = 0.5}},
      {.id = "A4a",
       .title = "Retry-After 'soon'",
       .server = first(2, busy("soon"), ok()),
       .right = {.most_requests = 3}},
      {.id = "A4b", .title = "Retry-After '1.5'", .server = first(2, busy("1.5"), ok()), .right = {.most_requests = 3}},
      {.id = "A4c", .title = "Retry-After '-5'", .server = first(2, busy("-5"), ok()), .right = {.most_requests = 3}},
      {.id = "A4d", .title = "Retry-After empty", .server = first(2, busy(""), ok()), .right = {.most_requests = 3}},
      {.id = "A4e",
       .title = "Retry-After '  2 '",
       .server = first(2, busy("  2 "), ok()),
       .right = {.most_requests = 3, .least_time = 4, .gap = 1.95}},
      {.id = "A4f",
       .title = "two Retry-After headers, 2 and 9",
       .server = first(1, status(503, fields({{"Retry-After", "2"}, {"Retry-After", "9"}})), ok()),
       .right = {.most_requests = 2, .least_time = 9}},
      {.id = "A5",
       .title = "Retry-After of twenty digits, --wait-limit 10s",
       .server = busy("99999999999999999999"),
       .right = {.exits = {3}, .most_requests = 1, .most_time = 8, .says = {"limit"}},
       .options = {"--wait-limit", "10s"},
       .only_ours = true},
      {.id = "A6a",
       .title = "503 that says nothing, twice",
       .server = first(2, status(503), ok()),
       .right = {.most_requests = 3},
       .options = {"--max-retries", "5"}},
      {.id = "A6b",
       .title = "503 that says nothing costs budget",
       .server = first(2, status(503), ok()),
       .right = {.exits = {5}, .most_requests = 2},
       .options = {"--max-retries", "1"},
       .only_ours = true},
      {.id = "A7a",
       .title = "a queue of four, as events",
       .server = queue_of_four(),
       .right = {.most_requests = 5, .least_time = 4, .gap = 0.95, .also = each_place_told}},
      {.id = "A7b",
       .title = "a queue of four, in a log",
       .server = queue_of_four(),
       .right = {.most_requests = 5, .least_time = 4, .gap = 0.95, .also = place_told_once},
       .plain = true,
       .only_ours = true},
      {.id = "A8a",
       .title = "the ticket is forgotten: 404 with a new place",
       .server = in_turn({queued(3, "old"), queued(5, "new", 404), queued(4, "new"), ok()}),
       .right = {.most_requests = 4, .least_time = 3, .gap = 0.95, .also = newest_ticket_sent}},
      {.id = "A8b",
       .title = "the ticket is forgotten: 410, bytes are held",
       .server = in_turn({queued(3, "old"), queued(5, "new", 410), queued(4, "new"), ok()}),
       .right = {.most_requests = 4,
                 .most_bytes = kHalf + 100'000,
                 .least_time = 3,
                 .gap = 0.95,
                 .also = newest_ticket_sent},
       .part = Part{kHalf}},
      {.id = "A9",
       .title = "the seat goes after two ranges",
       .server =
           in_turn({ok(), ok(), queued(7, "t"), queued(7, "t"), queued(7, "t"), queued(7, "t"), queued(7, "t"), ok()}),
       .right = {.most_bytes = 50'500'000, .least_time = 2, .also = one_poller},
       .object = big_object},
      {.id = "A10",
       .title = "--not-before +5s",
       .right = {.most_requests = 1,
                 .least_time = 5,
                 .most_time = 20,
                 .also =
                     [](const Run& run) {
                       const auto begun = run.begun + std::chrono::milliseconds(4950);
                       return run.accepted.empty() || run.accepted.front() < begun ? "asked before its time" : "";
                     }},
       .options = {"--not-before", "+5s"},
       .only_ours = true},
      {.id = "A14",
       .title = "a redirect with Retry-After 2",
       .server = by_path({{"/there", ok()}}, redirect("/there", fields({{"Retry-After", "2"}}))),
       .right = {.most_requests = 2, .least_time = 2}},
      {.id = "A15",
       .title = "busy behind a redirect",
       .server = by_path({{"/cdn", first(2, status(429, fields({{"Retry-After", "2"}})), ok())}}, redirect("/cdn")),
       .right = {.most_requests = 6, .least_time = 4, .also = back_to_the_first}},
      {.id = "A16",
       .title = "202 preparing, three times",
       .server = first(3, status(202, fields({{"Retry-After", "1"}}), "preparing"), ok()),
       .right = {.most_requests = 4, .least_time = 3, .gap = 0.95}},
      {.id = "A18a",
       .title = "408, 425, 500, 502",
       .server = faults({408, 425, 500, 502}),
       .right = {.most_requests = 5}},
      {.id = "A18b", .title = "504, 520, 522", .server = faults({504, 520, 522}), .right = {.most_requests = 4}},
      {.id = "A18c", .title = "524, 599", .server = faults({524, 599}), .right = {.most_requests = 3}},
      {.id = "A18d",
       .title = "408, 425, 500, 502, 504, 520, 522, 524, 599",
       .server = faults({408, 425, 500, 502, 504, 520, 522, 524, 599}),
       .right = {.most_requests = 10, .most_time = 90},
       .slow = true},
      {.id = "A19",
       .title = "busy without a body, connection closed",
       .server = first(
           1,
           [](const Ask& ask) {
             status(503, fields({{"Retry-After", "2"}, {"Connection", "close"}}), "")(ask);
             ask.wire.close();
           },
           ok()),
       .right = {.least_time = 2, .also = new_connection}},
  };
}

}  // namespace arkvory::hostile
