// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/metrics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/rfc3339.h"
#include "server-stub/http/metric_text.h"
#include "server-stub/http/operator_access.h"
#include "server-stub/http/queue_view.h"
#include "tests/server/exposition.h"
#include "tests/server/known_file.h"
#include "tests/sim/virtual_clock.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;
using test::read_exposition;

namespace {

constexpr std::array<Duration, 2> kBounds{1ms, 2500ms};
constexpr std::uint64_t kBig = 20 * kMiB;  // takes twenty seconds

// A desk with one seat, where some are told to wait.
class Desk {
 public:
  Desk() : desk(settings(), clock, SipKey{1, 2}, std::nullopt) { desk.tickets().use(TicketKey::fresh()); }

  static SchedulerSettings settings() {
    SchedulerSettings settings;
    settings.sessions = 1;
    settings.reserve = 0;
    settings.bandwidth = 1 * kMiB;
    settings.preempt = false;
    settings.aging = Duration(0);
    settings.queue_limit = 4;
    return settings;
  }

  // Who has a seat keeps it in `permits`; returns the status, 0 for one who is held.
  int ask(const std::string& id, const std::string& principal, DownloadClass name, const std::string& ticket = {},
          bool has_broken_ticket = false) {
    ObjectRequest asked{RelativePath::from_text("secret-path/big.bin"), Action::get, NoRange{}};
    auto who = std::make_shared<Principal>();
    who->name = principal;
    asked.principal = who;
    asked.download_class = name;
    asked.id = DownloadId::parse(id);
    asked.ticket = Ticket::parse(ticket);
    asked.has_broken_ticket = has_broken_ticket;
    Answer answer;
    answer.status = 200;
    answer.file = FileBody{std::make_shared<test::KnownFile>(kBig), 0, kBig};
    auto decided = desk.admit(asked, key_of(asked, "192.0.2.1"), std::move(answer), [](Admitted) {});
    if (std::holds_alternative<QueueDesk::HoldId>(decided)) return 0;
    auto& admitted = std::get<Admitted>(decided);
    if (admitted.permit) permits.insert_or_assign(id, std::make_unique<Permit>(std::move(*admitted.permit)));
    last_ticket = std::string(admitted.answer.headers.first("Arkvory-Queue-Ticket").value_or(""));
    return admitted.answer.status;
  }
  void run(Duration time) {
    for (const auto end = clock.now() + time; clock.now() < end;) {
      clock.advance(kTick);
      desk.tick();
    }
  }
  test::Exposition exposition() {
    ServerCounts counts;
    counts.connections = 7;
    counts.sent_bytes = 1234;
    counts.answers = {{200, 3}, {503, 4}};
    Histogram ticks(kBounds);
    ticks.add(2ms);
    text = metrics_text({desk, counts, ticks, 5});
    return read_exposition(text);
  }

  sim::VirtualClock clock;
  QueueDesk desk;
  std::map<std::string, std::unique_ptr<Permit>> permits;
  std::string last_ticket;
  std::string text;
};

// Each look at it takes a millisecond.
class SlowClock final : public Clock {
 public:
  Instant now() const override { return now_ += 1ms; }
  WallTime wall_now() const override { return WallTime(); }
  void advance(Duration time) { now_ += time; }

 private:
  mutable Instant now_{};
};

const std::string kFirst = "first-0123456789";
const std::string kSecond = "second-0123456789";
const std::string kThird = "third-0123456789";

std::vector<std::string> problems(const std::string& text) { return read_exposition(text).problems; }

}  // namespace

TEST_CASE("a metric's text has HELP, TYPE and samples, and escapes what the format asks for") {
  MetricText text;
  text.counter("arkvory_a_total", "One \\ two\nthree \"four\".");
  text.sample({{"reason", "a\\b\"c\nd"}, {"class", "bulk"}}, std::uint64_t{1} << 63U);
  text.gauge("arkvory_b", "B.");
  text.sample({}, 0.25);
  CHECK(text.text() ==
        "# HELP arkvory_a_total One \\\\ two\\nthree \"four\".\n"
        "# TYPE arkvory_a_total counter\n"
        "arkvory_a_total{reason=\"a\\\\b\\\"c\\nd\",class=\"bulk\"} 9223372036854775808\n"
        "# HELP arkvory_b B.\n"
        "# TYPE arkvory_b gauge\n"
        "arkvory_b 0.25\n");
  const auto read = read_exposition(text.text());
  CHECK(read.problems.empty());
  CHECK(read.value("arkvory_a_total", {{"reason", "a\\b\"c\nd"}, {"class", "bulk"}}) == 9223372036854775808.0);
}

TEST_CASE("a histogram's buckets hold those below them and end with all") {
  Histogram histogram(kBounds);
  for (const Duration time : {Duration(1ms), Duration(2s), Duration(3s)}) histogram.add(time);
  MetricText text;
  text.histogram("arkvory_h_seconds", "H.");
  text.sample({{"class", "bulk"}}, histogram);
  CHECK(text.text() ==
        "# HELP arkvory_h_seconds H.\n"
        "# TYPE arkvory_h_seconds histogram\n"
        "arkvory_h_seconds_bucket{class=\"bulk\",le=\"0.001\"} 1\n"
        "arkvory_h_seconds_bucket{class=\"bulk\",le=\"2.5\"} 2\n"
        "arkvory_h_seconds_bucket{class=\"bulk\",le=\"+Inf\"} 3\n"
        "arkvory_h_seconds_sum{class=\"bulk\"} 5.001\n"
        "arkvory_h_seconds_count{class=\"bulk\"} 3\n");
  CHECK(problems(text.text()).empty());
}

TEST_CASE("what breaks a rule of the format is seen by the reader that checks ours") {
  const std::string begin = "# HELP arkvory_x_total X.\n# TYPE arkvory_x_total counter\n";
  CHECK(problems(begin + "arkvory_x_total 1\n").empty());
  CHECK(problems(begin + "arkvory_x_total{a=\"b\"} 1\narkvory_x_total{a=\"c\"} 1\n").empty());
  const std::string histogram = "# HELP arkvory_h X.\n# TYPE arkvory_h histogram\n";
  const std::string whole =
      "arkvory_h_bucket{le=\"1\"} 1\narkvory_h_bucket{le=\"+Inf\"} 2\narkvory_h_sum 3\narkvory_h_count 2\n";
  CHECK(problems(histogram + whole).empty());
  for (const std::string& bad :
       {begin + "arkvory_x_total 1",
        begin + "arkvory_x_total one\n",
        begin + "arkvory_x_total{a=\"b\" 1\n",
        begin + "arkvory_x_total{a=\"\\b\"} 1\n",
        begin + "arkvory_x_total{1=\"b\"} 1\n",
        begin + "arkvory_x_total{a=\"b\"} 1\narkvory_x_total{a=\"b\"} 2\n",
        begin + "arkvory_y_total 1\n",
        std::string("arkvory_x_total 1\n"),
        std::string("# TYPE arkvory_x_total counter\narkvory_x_total 1\n"),
        std::string("# HELP arkvory_x_total X.\narkvory_x_total 1\n"),
        begin + "arkvory_x_total -1\n",
        begin,
        begin + "arkvory_x_total 1\n" + begin + "arkvory_x_total{a=\"b\"} 1\n",
        std::string("# HELP arkvory_x X.\n# TYPE arkvory_x counter\narkvory_x 1\n"),
        std::string("# HELP arkvory_x_total X.\n# TYPE arkvory_x_total gauge\narkvory_x_total 1\n"),
        std::string("# HELP other X.\n# TYPE other gauge\nother 1\n"),
        std::string("# HELP arkvory_x_ms X.\n# TYPE arkvory_x_ms gauge\narkvory_x_ms 1\n"),
        std::string("# HELP arkvory-x X.\n# TYPE arkvory-x gauge\narkvory-x 1\n"),
        histogram + "arkvory_h_bucket{le=\"1\"} 1\narkvory_h_sum 3\narkvory_h_count 1\n",
        histogram + "arkvory_h_bucket{le=\"2\"} 1\n" + whole,
        histogram + "arkvory_h_bucket{le=\"0.5\"} 2\n" + whole,
        histogram + "arkvory_h_bucket{le=\"+Inf\"} 2\narkvory_h_sum 3\narkvory_h_count 1\n",
        histogram + "arkvory_h_bucket{le=\"+Inf\"} 2\narkvory_h_count 2\n",
        histogram + "arkvory_h 1\n" + whole}) {
    CAPTURE(bad);
    CHECK_FALSE(problems(bad).empty());
  }
}

TEST_CASE("all metrics keep the rules of the format from the first moment on") {
  Desk desk;
  CHECK(desk.exposition().problems == std::vector<std::string>{});
  CHECK(problems(metrics_text({desk.desk, {}, Histogram(kBounds), 0})).empty());
}

TEST_CASE("metrics tell sessions, seats, waits, refusals, tickets and traffic") {
  Desk desk;
  CHECK(desk.ask(kFirst, "anna", DownloadClass::interactive) == 200);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::bulk) == 503);
  const auto ticket = desk.last_ticket;
  desk.run(2s);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::bulk, ticket) == 503);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::bulk, "1.a.b.c") == 503);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::bulk, "", true) == 503);
  CHECK(desk.ask(kThird, "bert", DownloadClass::bulk, ticket) == 503);
  CHECK(desk.ask("", "carl", DownloadClass::release) == 0);
  CHECK(desk.ask("fourth-0123456789", "dora", DownloadClass::release) == 503);
  while (desk.ask(kSecond, "bert", DownloadClass::bulk) != 429) {
  }
  desk.permits.at(kFirst)->sent(3 * kMiB);
  const auto read = desk.exposition();
  CHECK(read.problems == std::vector<std::string>{});
  CHECK(read.value("arkvory_sessions", {{"class", "interactive"}, {"state", "active"}}) == 1);
  CHECK(read.value("arkvory_sessions", {{"class", "bulk"}, {"state", "waiting"}}) == 2);
  CHECK(read.value("arkvory_sessions", {{"class", "background"}, {"state", "waiting"}}) == 0);
  CHECK(read.value("arkvory_waiting_bytes", {{"class", "bulk"}}) == 2 * kBig);
  CHECK(read.value("arkvory_oldest_wait_seconds", {{"class", "bulk"}}) == 2);
  CHECK(read.value("arkvory_seats") == 1);
  CHECK(read.value("arkvory_seats_taken") == 1);
  CHECK(read.value("arkvory_seats_reserved") == 0);
  CHECK(read.value("arkvory_wait_seconds_count", {{"class", "interactive"}}) == 1);
  CHECK(read.value("arkvory_wait_seconds_count", {{"class", "bulk"}}) == 0);
  CHECK(read.value("arkvory_held_requests") == 1);
  CHECK(read.value("arkvory_refused_requests_total", {{"reason", "queue_full"}}) == 1);
  CHECK(read.value("arkvory_refused_requests_total", {{"reason", "rate_limited"}}) == 1);
  CHECK(read.value("arkvory_refused_tickets_total", {{"reason", "malformed"}}) == 2);
  CHECK(read.value("arkvory_refused_tickets_total", {{"reason", "foreign"}}) == 1);
  CHECK(read.value("arkvory_refused_tickets_total", {{"reason", "expired"}}) == 0);
  CHECK(read.value("arkvory_session_sent_bytes_total", {{"class", "interactive"}}) == 3 * kMiB);
  CHECK(read.value("arkvory_answers_total", {{"status", "503"}}) == 4);
  CHECK(read.value("arkvory_sent_bytes_total") == 1234);
  CHECK(read.value("arkvory_connections") == 5);
  CHECK(read.value("arkvory_connections_accepted_total") == 7);
  CHECK(read.value("arkvory_tick_seconds_bucket", {{"le", "0.001"}}) == 0);
  CHECK(read.value("arkvory_tick_seconds_count") == 1);
  for (const auto* secret : {"first-", "second-", "anna", "bert", "secret-path", "192.0.2.1", "1.a.b"})
    CHECK(desk.text.find(secret) == std::string::npos);
}

TEST_CASE("metrics tell how far the first start told was off (E4), and who did not come back") {
  Desk desk;
  CHECK(desk.ask(kFirst, "anna", DownloadClass::interactive) == 200);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::interactive) == 503);
  CHECK(desk.ask(kThird, "bert", DownloadClass::background) == 503);
  desk.run(2s);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::interactive) == 503);
  desk.run(23s);
  desk.permits.at(kFirst)->sent(kBig);
  std::move(*desk.permits.at(kFirst)).complete();
  desk.permits.clear();
  desk.desk.settle();
  CHECK(desk.ask(kSecond, "bert", DownloadClass::interactive) == 200);
  desk.run(1min);
  const auto read = desk.exposition();
  CHECK(read.value("arkvory_estimate_error_seconds_count") == 1);
  // Nothing was sent in the first two seconds, so the start was told for twenty seconds later.
  CHECK(read.value("arkvory_estimate_error_seconds_sum").value_or(0) == doctest::Approx(3.0).epsilon(0.01));
  CHECK(read.value("arkvory_estimates_inside_interval_total") == 0);
  CHECK(read.value("arkvory_no_shows_total", {{"class", "background"}}) == 1);
}

TEST_CASE("metrics are for this machine, and for who has a control key; whoever came by way of another needs one") {
  constexpr std::string_view kKey = "a control key";
  Sha256 sum;
  sum.update(std::as_bytes(std::span(kKey)));
  const auto keys = ControlKeys::parse("anna " + sum.finish().to_hex()).value();
  Request request;
  request.method = "GET";
  CHECK_FALSE(metrics_refusal(request, {}, true));
  CHECK_FALSE(metrics_refusal(request, keys, true));
  CHECK(metrics_refusal(request, {}, false)->status == 404);
  CHECK(metrics_refusal(request, keys, false)->status == 401);
  for (const auto* name : {"Forwarded", "Via", "X-Forwarded-For", "X-Real-IP"}) {
    CAPTURE(name);
    auto passed_on = request;
    passed_on.headers.add(name, "192.0.2.1");
    CHECK(metrics_refusal(passed_on, {}, true)->status == 404);
    CHECK(metrics_refusal(passed_on, keys, true)->status == 401);
  }
  request.headers.add("Authorization", "Bearer " + std::string(kKey));
  CHECK(metrics_refusal(request, {}, false)->status == 404);
  CHECK_FALSE(metrics_refusal(request, keys, false));
}

TEST_CASE("the operator sees the queue by class, who waits by name, and when it will be empty") {
  Desk desk;
  CHECK(desk.ask(kFirst, "anna", DownloadClass::interactive) == 200);
  CHECK(desk.ask(kSecond, "bert", DownloadClass::bulk) == 503);
  CHECK(desk.ask(kThird, "bert", DownloadClass::bulk) == 503);
  CHECK(desk.ask("", "carl", DownloadClass::release) == 0);
  for (int i = 0; i < 5; ++i) {
    desk.permits.at(kFirst)->sent(1 * kMiB);
    desk.run(1s);
  }
  const auto answer = queue_view_answer(desk.desk, desk.clock);
  CHECK(answer.status == 200);
  CHECK(answer.headers.first("Content-Type") == "application/json");
  CHECK(answer.headers.first("Cache-Control") == "no-store");
  const auto view = nlohmann::json::parse(answer.text);
  CHECK(view.at("time") == format_rfc3339(desk.clock.wall_now()));
  CHECK(view.at("seats") == nlohmann::json::parse(R"({"all":1,"taken":1,"reserved":0})"));
  CHECK(view.at("held") == 1);
  CHECK(view.at("bytesPerSecond") == 1 * kMiB);
  // 15 MiB of the one that runs, then two of the three that wait: the last of them has its seat.
  CHECK(view.at("emptyAt") == format_rfc3339(desk.clock.wall_now() + 55s));
  const auto& classes = view.at("classes");
  CHECK(classes.size() == 4);
  CHECK(classes.at("interactive").at("active") == 1);
  CHECK(classes.at("interactive").at("bytesPerSecond") == 1 * kMiB);
  CHECK(classes.at("interactive").at("oldestWaitSeconds").is_null());
  CHECK(classes.at("bulk") == nlohmann::json({{"active", 0},
                                              {"waiting", 2},
                                              {"parked", 0},
                                              {"waitingBytes", 2 * kBig},
                                              {"oldestWaitSeconds", 5.0},
                                              {"bytesPerSecond", 0}}));
  CHECK(view.at("principals") == nlohmann::json::parse(R"([{"name":"bert","waiting":2,"active":0},
                                                           {"name":"carl","waiting":1,"active":0}])"));
  for (const auto* secret : {"first-", "second-", "secret-path", "192.0.2.1"})
    CHECK(answer.text.find(secret) == std::string::npos);
}

TEST_CASE("an empty queue is empty now, and one whose rate is not known can't say when") {
  Desk desk;
  const auto empty = nlohmann::json::parse(queue_view_answer(desk.desk, desk.clock).text);
  CHECK(empty.at("emptyAt") == empty.at("time"));
  CHECK(empty.at("principals").empty());
  auto settings = Desk::settings();
  settings.bandwidth.reset();
  QueueDesk unknown(settings, desk.clock, SipKey{1, 2}, std::nullopt);
  CHECK(nlohmann::json::parse(queue_view_answer(unknown, desk.clock).text).at("bytesPerSecond").is_null());
}

TEST_CASE("who is here is counted anew only after a hundred times as long as counting took") {
  SlowClock clock;
  QueueDesk desk(Desk::settings(), clock, SipKey{1, 2}, std::nullopt);
  CHECK(desk.census()[0].active == 0);
  ObjectRequest asked{RelativePath::from_text("big.bin"), Action::get, NoRange{}};
  Answer answer;
  answer.status = 200;
  answer.file = FileBody{std::make_shared<test::KnownFile>(kBig), 0, kBig};
  const auto seated = desk.admit(asked, key_of(asked, "192.0.2.1"), std::move(answer), [](Admitted) {});
  CHECK(std::holds_alternative<Admitted>(seated));
  CHECK(desk.census()[0].active == 0);
  clock.advance(100ms);
  CHECK(desk.census()[0].active == 1);
}
