// SPDX-License-Identifier: Apache-2.0
// Connections that go away, TLS that ends oddly, and HTTP/2.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "tests/hostile/cases.h"
#include "tests/hostile/http2_breaker.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"
#include "tests/support/relay.h"

namespace arkvory::hostile {

namespace {

constexpr std::uint64_t kBigAtMost = 50'900'000;

Verdict play_http2(Stage& stage, Http2Fault fault) {
  if (std::string_view(ARKVORY_NGINX).empty() || std::string_view(ARKVORY_NGINX).ends_with("NOTFOUND"))
    return Verdict::skipped("nginx is not installed");
  if (!knows_http2(stage.client())) return Verdict::skipped("knows no HTTP/2");
  const Http2Breaker server(ARKVORY_NGINX, stage.object(), fault);
  put(stage.beside("ca.pem"), server.certificate_pem());
  stage.wish.ca_file = stage.beside("ca.pem").string();
  stage.wish.url = server.url();
  auto run = stage.run();
  run.served.resize(static_cast<std::size_t>(server.requests()));
  if (!run.served.empty()) run.served[0].bytes_sent = server.bytes_sent();
  stage.last = run;
  const auto most = stage.one().right.most_bytes;
  // What the relay saw has no times: hammering is told by connections alone.
  run.served.clear();
  auto verdict = judge(stage, run);
  if (stage.client().kind != Kind::ours || !verdict.is_right) return verdict;
  if (server.faults() == 0) return Verdict::of("the server did not come to its fault");
  if (server.bytes_sent() > most)
    return Verdict::of(fmt::format("{} bytes sent, allowed {}", server.bytes_sent(), most));
  return verdict;
}

Case http2(const std::string& id, const std::string& title, Http2Fault fault, std::vector<std::string> options = {}) {
  return {.id = id,
          .title = title,
          .right = {.tried_again = false, .most_bytes = kBigAtMost},
          .object = big_object,
          .options = std::move(options),
          .course = [fault](Stage& stage) { return play_http2(stage, fault); }};
}

Verdict play_late_start(Stage& stage) {
  stage.site().answer_with(ok());
  const auto process = stage.start();
  process->wait(seconds(5));
  stage.site().origin().open();
  return judge(stage, stage.finish(*process, 30));
}

std::string few_connections(const Run& run) {
  return run.accepted.size() <= 4 ? ""
                                  : fmt::format("{} connections to a server it does not trust", run.accepted.size());
}

// Half of the object, then nothing until the certificate is over, then the end of the connection.
Answer cut_when_expired() {
  return [right = ok()](const Ask& ask) {
    auto answer = correct_answer(ask, {});
    answer.cut_at = kHalf;
    send(answer, ask.wire);
    ask.wire.pause(seconds(9));
    ask.wire.close();
  };
}

// What was held when the certificate expired is still good for a user who trusts the server anyway.
Verdict play_expiry(Stage& stage) {
  stage.site().answer_with(first(1, cut_when_expired(), ok()));
  const auto run = stage.run();
  const auto verdict = judge(stage, run);
  if (!verdict.is_right || stage.client().kind != Kind::ours) return verdict;
  stage.site().answer_with(ok());
  stage.wish.options.emplace_back("--insecure");
  const auto again = stage.run();
  stage.last = run;
  if (!again.is_right) return Verdict::of("the next run does not finish: " + again.errors);
  return Verdict::of(again.bytes_sent() < kSmall - kHalf + kSlack ? "" : "the next run fetches what was held");
}

// Waits for a seat while the server gives up the idle connection with a 408.
Answer idle_408() {
  return first(
      1,
      [](const Ask& ask) {
        status(503, fields({{"Retry-After", "2"}}), "")(ask);
        ask.wire.pause(std::chrono::milliseconds(500));
        ask.wire.send_head(408, fields({{"Connection", "close"}, {"Content-Length", "0"}}));
        ask.wire.close();
      },
      ok());
}

}  // namespace

std::vector<Case> connection_cases() {
  return {
      {.id = "B12",
       .title = "HTTP/2: 416, then RST_STREAM PROTOCOL_ERROR",
       .right = {.tried_again = false},
       .object = empty_object,
       .course = [](Stage& stage) { return play_http2(stage, Http2Fault::reset_after_416); }},
      http2("C13a", "HTTP/2: GOAWAY after three streams", Http2Fault::goaway_after_three),
      http2("C13b", "HTTP/2: RST_STREAM INTERNAL_ERROR in a body", Http2Fault::reset_in_body),
      http2("C13c", "HTTP/2: REFUSED_STREAM costs nothing", Http2Fault::refused, {"--max-retries", "0"}),
      {.id = "C14a",
       .title = "TLS: no close_notify at the exact end",
       .server = edited([](Prepared& answer, const Ask&) { answer.how = Break::rude; }),
       .right = {.most_requests = 1},
       .tls = test::TlsSettings{}},
      {.id = "C14b",
       .title = "TLS: no close_notify, in the middle",
       .server = edited(only_first(1, cut_after(kHalf, Break::rude))),
       .right = {.most_requests = 2, .most_bytes = kSmall + kSlack},
       .tls = test::TlsSettings{}},
      {.id = "C15",
       .title = "the port is closed for 5 s",
       .right = {.most_requests = 1, .least_time = 5, .most_time = 30},
       .opens_later = true,
       .course = play_late_start},
      {.id = "C21a",
       .title = "a certificate for another host",
       .right = {.exits = {11}, .tried_again = false, .most_requests = 0, .also = few_connections},
       .tls = test::TlsSettings{.names = "DNS:other.example"}},
      {.id = "C21b",
       .title = "the certificate expires during the run",
       .right = {.exits = {11}, .kept = kHalf, .tried_again = false, .most_requests = 1, .also = few_connections},
       .tls = test::TlsSettings{.valid_for = seconds(8)},
       .course = play_expiry},
      {.id = "C22",
       .title = "408 on an idle connection",
       .server = idle_408(),
       .right = {.most_requests = 2, .least_time = 2},
       .options = {"--max-retries", "0"}},
  };
}

}  // namespace arkvory::hostile
