// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/queue_desk.h"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/rfc3339.h"
#include "server-stub/scheduler/windows.h"
#include "tests/server/known_file.h"
#include "tests/sim/virtual_clock.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kBig = 100 * kMiB;
const std::string kId = "0123456789abcdef";

struct Asking {
  std::string id{};  // empty: a client that knows nothing of queues
  std::string path = "big.bin";
  std::uint64_t size = kBig;
  std::string address = "192.0.2.1";
  std::string ticket{};
  std::shared_ptr<const Principal> principal = anonymous();
  std::optional<ByteRange> range{};
  DownloadClass download_class = DownloadClass::interactive;
};

std::shared_ptr<const Principal> person(const std::string& name) {
  auto principal = std::make_shared<Principal>();
  principal->name = name;
  return principal;
}

class Desk {
 public:
  explicit Desk(SchedulerSettings settings = one_seat()) : desk(settings, clock, SipKey{1, 2}, std::nullopt) {
    desk.tickets().use(TicketKey::fresh());
  }

  // All clients go away: in the end the counters are at zero again (L5).
  ~Desk() {
    for (int minute = 0; minute < 60; ++minute) {
      resumed.clear();  // with the permits of those who were held
      clock.advance(1min);
      desk.tick();
    }
    CHECK(desk.held() == 0);
    CHECK(desk.scheduler().active() == 0);
    CHECK(desk.scheduler().waiting() == 0);
    CHECK(desk.small().active() == 0);
    CHECK(desk.small().waiting() == 0);
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  static SchedulerSettings one_seat() {
    SchedulerSettings settings;
    settings.sessions = 1;
    settings.bandwidth = 1 * kMiB;
    settings.transfer_queue_limit = 8;
    return settings;
  }

  static ObjectRequest request(const Asking& asking) {
    ObjectRequest asked{RelativePath::from_text(asking.path), Action::get, NoRange{}};
    asked.principal = asking.principal;
    asked.download_class = asking.download_class;
    asked.id = DownloadId::parse(asking.id);
    asked.ticket = Ticket::parse(asking.ticket);
    if (asking.range) asked.range = SingleRange(ClosedRange{asking.range->begin(), asking.range->end() - 1});
    return asked;
  }

  // The answer to a request that is decided at once.
  Admitted ask(const Asking& asking) {
    auto decided = decide(asking);
    REQUIRE(std::holds_alternative<Admitted>(decided));
    return std::move(std::get<Admitted>(decided));
  }
  QueueDesk::HoldId hold(const Asking& asking) {
    auto decided = decide(asking);
    REQUIRE(std::holds_alternative<QueueDesk::HoldId>(decided));
    return std::get<QueueDesk::HoldId>(decided);
  }
  std::variant<Admitted, QueueDesk::HoldId> decide(const Asking& asking) {
    Answer answer;
    const auto range = asking.range.value_or(ByteRange(0, asking.size));
    answer.status = asking.range ? 206 : 200;
    answer.file = FileBody{std::make_shared<test::KnownFile>(asking.size), range.begin(), range.end()};
    const auto asked = request(asking);
    return desk.admit(asked, key_of(asked, asking.address), std::move(answer),
                      [this, n = next_resumed_++](Admitted admitted) { resumed.emplace(n, std::move(admitted)); });
  }
  void end(Admitted& admitted) {
    std::move(*admitted.permit).complete();
    admitted.permit.reset();
    desk.settle();
  }
  void run(Duration time) {
    for (const auto end = clock.now() + time; clock.now() < end;) {
      clock.advance(kTick);
      desk.tick();
    }
  }

  sim::VirtualClock clock;
  QueueDesk desk;
  std::map<int, Admitted> resumed;  // by the number of the request, from 0
  int next_resumed_ = 0;
};

nlohmann::json body_of(const Admitted& admitted) { return nlohmann::json::parse(admitted.answer.text); }

std::string header_of(const Admitted& admitted, std::string_view name) {
  return std::string(admitted.answer.headers.first(name).value_or(""));
}

}  // namespace

TEST_CASE("who has a seat gets the bytes and a ticket; who has not is told to wait with all there is to say") {
  Desk desk;
  auto seated = desk.ask({.id = "aaaaaaaaaaaaaaaa"});
  CHECK(seated.permit);
  CHECK(header_of(seated, "Arkvory-Queue-Ticket").starts_with("2."));

  const auto first = desk.ask({.id = kId});
  CHECK_FALSE(first.permit);
  CHECK(first.answer.status == 503);
  CHECK(header_of(first, "Retry-After") == "2");
  CHECK(header_of(first, "Arkvory-Queue-Position").empty());
  CHECK(header_of(first, "Arkvory-Starts-At").empty());
  CHECK(header_of(first, "Arkvory-Queue-Ticket").starts_with("2."));
  CHECK(header_of(first, "Arkvory-Download-Class") == "interactive");

  const auto second = desk.ask({.id = kId});
  CHECK(header_of(second, "Arkvory-Queue-Position") == "1");
  const auto starts = format_rfc3339(desk.clock.wall_now() + 100s);
  CHECK(header_of(second, "Arkvory-Starts-At") == starts);
  const auto body = body_of(second);
  CHECK(body.at("code") == "busy");
  CHECK(body.at("reason") == "download_queued");
  CHECK(body.at("position") == 1);
  CHECK(body.at("startsAt") == starts);
  CHECK(body.at("startsBetween").size() == 2);
  CHECK(body.at("class") == "interactive");
  const auto check = parse_rfc3339(body.at("checkAt").get<std::string>());
  REQUIRE(check);
  const auto pause = *parse_number(header_of(second, "Retry-After"));
  CHECK(std::chrono::seconds(pause) >= *check - desk.clock.wall_now());
  CHECK(std::chrono::seconds(pause) < *check - desk.clock.wall_now() + 1s);
}

TEST_CASE("a ticket is re-issued with the same arrival by every answer") {
  Desk desk;
  auto seated = desk.ask({.id = "aaaaaaaaaaaaaaaa"});
  std::string arrival;
  for (int i = 0; i < 3; ++i) {
    const auto ticket = header_of(desk.ask({.id = kId}), "Arkvory-Queue-Ticket");
    const auto part = ticket.substr(2, ticket.find('.', 2) - 2);
    if (i > 0) CHECK(part == arrival);
    arrival = part;
    desk.run(3s);
  }
}

TEST_CASE("a ticket from before a restart keeps the place; another download's does not") {
  Desk before;
  auto seated = before.ask({.id = "aaaaaaaaaaaaaaaa"});
  const auto ticket = header_of(before.ask({.id = kId}), "Arkvory-Queue-Ticket");

  Desk after;
  const auto key = TicketKey::fresh();
  before.desk.tickets().use(key);
  after.desk.tickets().use(key);
  const auto good = header_of(before.ask({.id = kId}), "Arkvory-Queue-Ticket");
  after.run(10s);
  auto other = after.ask({.id = "bbbbbbbbbbbbbbbb"});
  const auto late = after.ask({.id = "cccccccccccccccc"});
  const auto moved = after.ask({.id = "dddddddddddddddd", .ticket = good});
  after.ask({.id = kId, .ticket = good});
  CHECK(header_of(after.ask({.id = kId}), "Arkvory-Queue-Position") == "1");
  CHECK(header_of(after.ask({.id = "cccccccccccccccc"}), "Arkvory-Queue-Position") == "2");
  CHECK(header_of(after.ask({.id = "dddddddddddddddd"}), "Arkvory-Queue-Position") == "3");
  CHECK(ticket != good);
}

TEST_CASE("DELETE ends a session: 204, its seat is free at once; a second time 404") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  const auto held = desk.hold({});
  CHECK(desk.desk.cancel(Desk::request({.id = kId})).status == 204);
  CHECK(desk.resumed.count(1) == 1);
  CHECK(desk.resumed.at(1).permit);
  CHECK(desk.desk.cancel(Desk::request({.id = kId})).status == 404);
  CHECK(desk.desk.cancel(Desk::request({.id = "ffffffffffffffff"})).status == 404);
  CHECK(held > 0);
}

TEST_CASE("DELETE by another principal ends nothing") {
  Desk desk;
  auto seated = desk.ask({.id = kId, .principal = person("anna")});
  CHECK(desk.desk.cancel(Desk::request({.id = kId, .principal = person("otto")})).status == 404);
  CHECK(desk.desk.scheduler().active() == 1);
}

TEST_CASE("a request without an id is held, and let in the instant a seat falls free") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  desk.hold({});
  CHECK(desk.desk.held() == 1);
  desk.run(5s);
  CHECK(desk.resumed.empty());
  desk.end(seated);
  REQUIRE(desk.resumed.count(1) == 1);
  CHECK(desk.resumed.at(1).permit);
  CHECK(desk.desk.held() == 0);
}

TEST_CASE("a request without an id that is held too long gets an honest 503, and keeps its place") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  desk.hold({});
  desk.run(19'500ms);
  CHECK(desk.resumed.empty());
  desk.run(500ms);
  REQUIRE(desk.resumed.count(1) == 1);
  CHECK(desk.resumed.at(1).answer.status == 503);
  CHECK(body_of(desk.resumed.at(1)).at("reason") == "download_queued");
  CHECK(desk.desk.scheduler().waiting() == 1);
  desk.run(2s);
  desk.hold({});
  CHECK(desk.desk.scheduler().waiting() == 1);
}

TEST_CASE("S10: a held client that leaves takes its place with it") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  const auto held = desk.hold({});
  desk.desk.drop(held);
  CHECK(desk.desk.held() == 0);
  CHECK(desk.desk.scheduler().waiting() == 0);
  desk.end(seated);
  CHECK(desk.resumed.empty());
}

TEST_CASE("L1: held requests are bounded, and a principal has a quarter of the places; beyond it is told at once") {
  Desk desk;
  auto seated = desk.ask({.id = kId, .principal = person("anna")});
  for (int i = 0; i < 2; ++i) desk.hold({.address = "192.0.2." + std::to_string(i), .principal = person("anna")});
  CHECK(desk.ask({.address = "192.0.2.9", .principal = person("anna")}).answer.status == 503);
  for (int i = 0; i < 6; ++i)
    desk.hold({.address = "198.51.100." + std::to_string(i), .principal = person("p" + std::to_string(i))});
  CHECK(desk.ask({.address = "192.0.2.9", .principal = person("otto")}).answer.status == 503);
}

TEST_CASE("S4: one answer too many of a protocol client is told so and loses nothing; without an id it is held") {
  Desk desk;
  std::vector<Admitted> running;
  for (std::uint64_t i = 0; i < 4; ++i)
    running.push_back(desk.ask({.id = kId, .range = ByteRange(i * kMiB, (i + 1) * kMiB)}));
  const auto fifth = desk.ask({.id = kId, .range = ByteRange(5 * kMiB, 6 * kMiB)});
  CHECK(fifth.answer.status == 503);
  CHECK(body_of(fifth).at("reason") == "too_many_ranges");
  CHECK(header_of(fifth, "Retry-After") == "1");
  desk.end(running.back());
  CHECK(desk.ask({.id = kId, .range = ByteRange(5 * kMiB, 6 * kMiB)}).permit);

  Desk other;
  std::vector<Admitted> answers;
  for (std::uint64_t i = 0; i < 4; ++i) answers.push_back(other.ask({.range = ByteRange(i * kMiB, (i + 1) * kMiB)}));
  other.hold({.range = ByteRange(5 * kMiB, 6 * kMiB)});
  other.end(answers.front());
  REQUIRE(other.resumed.count(4) == 1);
  CHECK(other.resumed.at(4).permit);
}

TEST_CASE("S1: behind one address without ids is one session; an id is always one of its own") {
  Desk desk;
  auto first = desk.ask({});
  CHECK(desk.ask({}).permit);
  desk.hold({.address = "192.0.2.2"});
  CHECK(desk.ask({.id = kId}).answer.status == 503);
}

TEST_CASE("S10: what still runs of a download that was ended may send nothing more") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  CHECK(seated.permit->is_valid());
  CHECK(desk.desk.cancel(Desk::request({.id = kId})).status == 204);
  CHECK_FALSE(seated.permit->is_valid());
}

TEST_CASE("S10: one behind an address who leaves does not take the place of another who was told to come back") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  desk.hold({});
  desk.run(20s);  // told to come back
  const auto other = desk.hold({});
  desk.desk.drop(other);
  CHECK(desk.desk.scheduler().waiting() == 1);
}

TEST_CASE("L1: a link's downloads count among its issuer's") {
  auto settings = Desk::one_seat();
  settings.sessions_per_principal = 2;
  Desk desk(settings);
  auto link = std::make_shared<Principal>();
  link->name = "link:l1";
  link->kind = PrincipalKind::link;
  link->issuer = "anna";
  auto seated = desk.ask({.id = "aaaaaaaaaaaaaaaa", .principal = person("anna")});
  CHECK(desk.ask({.id = "bbbbbbbbbbbbbbbb", .principal = link}).answer.status == 503);
  const auto third = desk.ask({.id = "cccccccccccccccc", .principal = link});
  CHECK(body_of(third).at("reason") == "queue_full");
}

TEST_CASE("the class in the answer is the one that the session has, whatever a later range asks for") {
  Desk desk;
  auto first = desk.ask({.id = kId, .range = ByteRange(0, kMiB)});
  auto asked = Desk::request({.id = kId, .range = ByteRange(kMiB, 2 * kMiB)});
  asked.download_class = DownloadClass::bulk;
  Answer answer;
  answer.status = 206;
  answer.headers.add("Arkvory-Download-Class", "bulk");
  answer.file = FileBody{std::make_shared<test::KnownFile>(kBig), kMiB, 2 * kMiB};
  auto decided = desk.desk.admit(asked, key_of(asked, {}), std::move(answer), [](Admitted) {});
  const auto& second = std::get<Admitted>(decided);
  CHECK(second.answer.headers.all("Arkvory-Download-Class") == std::vector<std::string_view>{"interactive"});
}

TEST_CASE("S2: small objects need no seat") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  CHECK(desk.ask({.id = "aaaaaaaaaaaaaaaa", .path = "small", .size = 16 * kMiB}).permit);
  CHECK(desk.desk.scheduler().live() == 1);
}

TEST_CASE("S2: small objects beyond what may run at once are held, in order, and at last refused honestly") {
  auto settings = Desk::one_seat();
  settings.max_downloads = 1;
  Desk desk(settings);
  auto running = desk.ask({.path = "small", .size = 10});
  desk.hold({.path = "small", .size = 10});
  desk.hold({.path = "small", .size = 10});
  desk.end(running);
  REQUIRE(desk.resumed.count(1) == 1);
  CHECK(desk.resumed.at(1).permit);
  CHECK(desk.resumed.count(2) == 0);
  desk.run(20s);
  REQUIRE(desk.resumed.count(2) == 1);
  CHECK(body_of(desk.resumed.at(2)).at("reason") == "per_request");
}

TEST_CASE("rate_limited: 429 with Retry-After, and the place is kept") {
  Desk desk;
  auto seated = desk.ask({.id = "aaaaaaaaaaaaaaaa"});
  for (int i = 0; i < 21; ++i) CHECK(desk.ask({.id = kId}).answer.status == 503);
  const auto refused = desk.ask({.id = kId});
  CHECK(refused.answer.status == 429);
  CHECK(body_of(refused).at("code") == "rate_limited");
  CHECK(header_of(refused, "Retry-After") == "1");
  CHECK(desk.desk.scheduler().waiting() == 1);
}

TEST_CASE("L1: a full queue refuses newcomers with an honest word") {
  auto settings = Desk::one_seat();
  settings.queue_limit = 1;
  Desk desk(settings);
  auto seated = desk.ask({.id = "aaaaaaaaaaaaaaaa"});
  const auto refused = desk.ask({.id = kId});
  CHECK(refused.answer.status == 503);
  CHECK(body_of(refused).at("reason") == "queue_full");
  CHECK(header_of(refused, "Retry-After") == "30");
}

TEST_CASE("L4: at the stop all who are held are told to come back") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  desk.hold({});
  desk.desk.stop(60s);
  REQUIRE(desk.resumed.count(1) == 1);
  CHECK(body_of(desk.resumed.at(1)).at("reason") == "shutting_down");
  CHECK(header_of(desk.resumed.at(1), "Retry-After") == "30");
  CHECK(desk.desk.held() == 0);
}

TEST_CASE("S6: a single closed range over the whole object begins and completes a download") {
  Desk desk;
  auto whole = desk.ask({.id = kId, .range = ByteRange(0, kBig)});
  desk.end(whole);
  CHECK(desk.desk.scheduler().live() == 0);
}

TEST_CASE("O1 `shared`: large objects are admitted per request as well, and have no session") {
  auto settings = Desk::one_seat();
  settings.strategy = Strategy::shared;
  settings.max_downloads = 2;
  Desk desk(settings);
  auto first = desk.ask({.id = "aaaaaaaaaaaaaaaa"});
  const auto second = desk.ask({.id = "bbbbbbbbbbbbbbbb"});
  REQUIRE(first.permit);
  CHECK(first.permit->is_small());
  CHECK(second.permit);
  desk.hold({.id = "cccccccccccccccc"});
  CHECK(desk.desk.scheduler().live() == 0);
  desk.end(first);
  REQUIRE(desk.resumed.count(2) == 1);
  CHECK(desk.resumed.at(2).permit);
}

TEST_CASE("more seats are given at once to who is held, and fewer take none away") {
  Desk desk;
  auto seated = desk.ask({.id = kId});
  desk.hold({.path = "other.bin"});
  auto settings = Desk::one_seat();
  settings.sessions = 2;
  desk.desk.change(settings);
  REQUIRE(desk.resumed.size() == 1);
  CHECK(desk.resumed.begin()->second.permit);
  CHECK(desk.desk.scheduler().active() == 2);
  desk.desk.change(Desk::one_seat());
  CHECK(desk.desk.scheduler().active() == 2);
  CHECK_FALSE(desk.ask({.id = "bbbbbbbbbbbbbbbb"}).permit);
}

TEST_CASE("which objects need a seat is decided anew from the next request on") {
  Desk desk;
  auto small = desk.ask({.id = kId, .size = kMiB});
  CHECK(header_of(small, "Arkvory-Queue-Ticket").empty());
  auto settings = Desk::one_seat();
  settings.session_min_bytes = 0;
  desk.desk.change(settings);
  auto seated = desk.ask({.id = kId, .size = kMiB});
  CHECK_FALSE(header_of(seated, "Arkvory-Queue-Ticket").empty());
  CHECK(desk.desk.scheduler().active() == 1);
}

TEST_CASE("a change to shared lets in who is held for a seat, before those who come later") {
  auto settings = Desk::one_seat();
  settings.max_downloads = 1;
  Desk desk(settings);
  auto seated = desk.ask({.id = kId});
  desk.hold({.path = "other.bin"});
  desk.hold({.path = "third.bin"});
  auto shared = settings;
  shared.strategy = Strategy::shared;
  desk.desk.change(shared);
  REQUIRE(desk.resumed.size() == 1);
  auto& first = desk.resumed.at(1);
  CHECK(first.permit);
  desk.hold({.path = "late.bin"});
  CHECK(desk.desk.held() == 2);
  desk.end(first);
  CHECK(desk.resumed.size() == 2);
  CHECK(desk.resumed.contains(2));
  // The seat that was held is given back all the same.
  desk.end(seated);
  CHECK(desk.desk.scheduler().active() == 0);
  CHECK(desk.desk.scheduler().waiting() == 0);
}

TEST_CASE("W1: who began outside the window of its class has a share of the rate, while another class is there") {
  auto settings = Desk::one_seat();
  settings.sessions = 2;
  settings.reserve = 0;
  const auto now = std::chrono::floor<std::chrono::minutes>(Desk().clock.wall_now());
  const auto of_day = now - std::chrono::floor<std::chrono::days>(now);
  const auto later = (of_day + 720min) % 1440min;
  ClassWindows::ByClass windows;
  windows[static_cast<std::size_t>(DownloadClass::bulk)] = {
      Window{{true, true, true, true, true, true, true}, later, (later + 60min) % 1440min, "UTC", 250'000}};
  settings.windows = std::make_shared<const ClassWindows>(ClassWindows::make(windows).value());
  Desk desk(settings);
  const auto bulk = static_cast<std::size_t>(DownloadClass::bulk);
  auto of_bulk = desk.ask({.id = "aaaaaaaaaaaaaaaa", .download_class = DownloadClass::bulk});
  REQUIRE(of_bulk.permit);
  CHECK(of_bulk.permit->outside_class() == bulk);
  CHECK_FALSE(desk.desk.outside_shares()[bulk]);
  auto person = desk.ask({.id = "bbbbbbbbbbbbbbbb", .path = "other.bin"});
  REQUIRE(person.permit);
  CHECK_FALSE(person.permit->outside_class());
  desk.run(1s);
  CHECK(desk.desk.outside_shares()[bulk] == 250'000U);
  CHECK_FALSE(desk.desk.outside_shares()[0]);
  desk.end(person);
  desk.run(1s);
  CHECK_FALSE(desk.desk.outside_shares()[bulk]);
}
