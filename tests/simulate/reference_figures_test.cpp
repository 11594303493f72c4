// SPDX-License-Identifier: Apache-2.0
// The closed forms of scheduler.md, "Reference figures", to the microsecond.
#include <array>
#include <cmath>

#include "tests/simulate/play.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

SimulationReport run(const std::string& settings, const std::string& link, const std::string& clients,
                     const std::string& floor = "0B/s") {
  const auto scenario = parse_scenario(
      fmt::format(R"({{"link":"{}","settings":{{"reserve":0,"perPrincipal":0,"agingMinutes":0,"preempt":false,)"
                  R"("bandwidthFloor":"{}",{}}},"clients":[{}]}})",
                  link, floor, settings, clients));
  REQUIRE(scenario);
  return simulate(*scenario, {});
}

double mean(const SimulationReport& report) {
  long double sum = 0;
  for (const auto one : report.finishes) sum += static_cast<long double>(one.count()) / 1e9L;
  return static_cast<double>(sum / static_cast<long double>(report.finishes.size()));
}

bool is_about(Duration is, Duration wanted) { return is - wanted <= 1us && wanted - is <= 1us; }

constexpr const char* kThousand = R"({"name":"a","count":1000,"size":"4GB"})";
constexpr const char* kGate = R"({"name":"a","count":500,"size":"40MB"})";

}  // namespace

TEST_CASE("k seats, equal: the i-th of n ends at kT ceil(i/k)") {
  const auto report = run(R"("sessions":16,"bandwidthOrder":"equal")", "125MB/s", kThousand);
  REQUIRE(report.finishes.size() == 1000);
  for (std::size_t i = 0; i < 992; ++i)
    CHECK(is_about(report.finishes[i], 512s * static_cast<std::int64_t>(i / 16 + 1)));
  CHECK(is_about(report.finishes.back(), 32'000s));
  CHECK(mean(report) == doctest::Approx(16'254.976).epsilon(1e-9));
  CHECK(report.lost_seat_seconds == 0);
  CHECK(report.lost_link_seconds < 1e-6L);
}

TEST_CASE("k seats, oldest-first, no floor: the i-th ends at iT, whatever k") {
  const auto report = run(R"("sessions":16)", "125MB/s", kThousand);
  REQUIRE(report.finishes.size() == 1000);
  for (std::size_t i = 0; i < 1000; ++i) CHECK(is_about(report.finishes[i], 32s * static_cast<std::int64_t>(i + 1)));
  CHECK(mean(report) == doctest::Approx(16'016).epsilon(1e-9));
}

TEST_CASE("with the floor the first file ends within a twentieth of one file's time") {
  const auto report = run(R"("sessions":16)", "125MB/s", kThousand, "64KiB/s");
  CHECK(report.finishes.front() < 32s * 105 / 100);
  CHECK(is_about(report.finishes.back(), 32'000s));
}

TEST_CASE("shared: all of n end at nT") {
  const auto report = run(R"("strategy":"shared")", "125MB/s", kThousand);
  CHECK(is_about(report.finishes.front(), 32'000s));
  CHECK(is_about(report.finishes.back(), 32'000s));
}

TEST_CASE("the load gate: the last at 500 s always, the first at k s or 1 s") {
  const auto oldest = run(R"("sessions":4)", "40MB/s", kGate);
  CHECK(is_about(oldest.finishes.front(), 1s));
  CHECK(is_about(oldest.finishes.back(), 500s));
  CHECK(mean(oldest) == doctest::Approx(250.5).epsilon(1e-9));
  const auto equal = run(R"("sessions":4,"bandwidthOrder":"equal")", "40MB/s", kGate);
  CHECK(is_about(equal.finishes.front(), 4s));
  CHECK(is_about(equal.finishes.back(), 500s));
  CHECK(mean(equal) == doctest::Approx(252).epsilon(1e-9));
}

TEST_CASE("O3: 800 equal files in each class end at the picks of their weights") {
  std::string clients;
  for (const auto* name : {"interactive", "release", "bulk", "background"})
    clients += fmt::format(R"({}{{"name":"{}","class":"{}","count":800,"size":"40MB"}})", clients.empty() ? "" : ",",
                           name, name);
  const Play play(R"("sessions":1)", clients, R"("seed":7)");
  // At 1 MB/s a file takes 40 s.
  std::array<double, 4> sums{};
  std::array<double, 4> last{};
  for (const auto& event : play.events) {
    if (event.kind != SimulatedEventKind::finish) continue;
    const auto name = static_cast<std::size_t>(play.scenario.clients[event.client].download_class);
    last[name] = std::chrono::duration<double>(event.at).count() / 40;
    sums[name] += last[name];
  }
  CHECK(last[0] == doctest::Approx(1500));
  CHECK(last[1] == doctest::Approx(2200));
  CHECK(last[2] == doctest::Approx(2800));
  CHECK(last[3] == doctest::Approx(3200));
  CHECK(sums[0] / 800 == doctest::Approx(750.5));
  CHECK(sums[1] / 800 == doctest::Approx(1300.5));
  CHECK(sums[2] / 800 == doctest::Approx(1900.5));
  CHECK(sums[3] / 800 == doctest::Approx(2450.5));
}

TEST_CASE("any order that never idles ends when all bytes are sent") {
  const std::string clients = R"({"count":40,"size":"1MB..90MB"})";
  const auto scenario = parse_scenario(R"({"link":"10MB/s","clients":[)" + clients + "]}");
  REQUIRE(scenario);
  std::uint64_t bytes = 0;
  for (const auto& client : scenario->clients) bytes += client.size;
  for (const auto* settings : {R"("sessions":3)", R"("sessions":3,"bandwidthOrder":"equal")", R"("strategy":"shared")",
                               R"("sessions":3,"strategy":"smallest-first")"}) {
    CAPTURE(settings);
    CHECK(
        is_about(run(settings, "10MB/s", clients).finishes.back(), Duration(static_cast<Duration::rep>(bytes * 100))));
  }
}
