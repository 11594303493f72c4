// SPDX-License-Identifier: Apache-2.0
// What clients are told, against what happened: errors of estimates, reasons for lost places, lost seats.
#include <algorithm>
#include <map>

#include "tests/simulate/play.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

// Answers of a session with a higher position than its last, as its client sees them.
std::uint64_t rises(const Play& play) {
  std::map<std::size_t, std::size_t> last;
  std::uint64_t count = 0;
  for (const auto& event : play.events) {
    if (event.kind == SimulatedEventKind::yield || event.kind == SimulatedEventKind::no_show) last.erase(event.client);
    if (!event.answer || !event.answer->position) continue;
    auto& before = last[event.client];
    if (before != 0 && *event.answer->position > before) ++count;
    before = *event.answer->position;
  }
  return count;
}

std::uint64_t named(const Play& play) {
  std::uint64_t sum = 0;
  for (const auto& [reason, times] : play.report.position_rises) sum += times;
  return sum;
}

}  // namespace

TEST_CASE("E4: in a mass update the start is told within 2 s or 2 % of the wait, and no link and few seats are lost") {
  const Play play(
      R"("sessions":16,"reserve":1,"perPrincipal":4,"agingMinutes":30,"preempt":true,"bandwidthFloor":"64KiB/s")",
      R"({"name":"m","count":300,"size":"4MB..20MB","mode":"poller"})");
  CHECK(play.report.unfinished == 0);
  CHECK(play.report.lost_link_seconds < 1e-6L);
  const auto seat_seconds = 15.0L * static_cast<long double>(play.report.ended.count()) / 1e9L;
  CHECK(play.report.lost_seat_seconds < 0.01L * seat_seconds);
  // The errors as parts of the wait that was left.
  std::map<std::size_t, Duration> grants;
  for (const auto& event : play.events)
    if (event.kind == SimulatedEventKind::grant) grants.try_emplace(event.client, event.at);
  std::vector<double> parts;
  for (const auto& event : play.events) {
    if (!event.answer || !event.answer->starts_in) continue;
    const auto wait = grants.at(event.client) - event.at;
    const auto error =
        wait > *event.answer->starts_in ? wait - *event.answer->starts_in : *event.answer->starts_in - wait;
    parts.push_back(static_cast<double>(error.count()) /
                    static_cast<double>(std::max<Duration>(2s, wait / 50).count()));
  }
  REQUIRE(parts.size() > 1000);
  std::sort(parts.begin(), parts.end());
  CHECK(parts[parts.size() / 2] <= 1);
  CHECK(static_cast<double>(play.report.estimates_inside) >= 0.95 * static_cast<double>(parts.size()));
}

TEST_CASE("O4: every rise of a position has a reason") {
  const char* settings[] = {
      R"("sessions":3,"perPrincipal":2,"agingMinutes":1,"preempt":true)",
      R"("sessions":4,"reserve":1,"strategy":"smallest-first","agingMinutes":2,"preempt":true)",
      R"("sessions":2,"bandwidthOrder":"equal","windows":{"bulk":[{"from":"00:05","to":"00:20"},{"from":"00:30","to":"12:00"}]})"};
  std::uint64_t all = 0;
  for (const auto* one : settings)
    for (int seed = 1; seed <= 10; ++seed) {
      CAPTURE(one);
      CAPTURE(seed);
      const Play play(
          one, R"({"name":"i","count":25,"class":"interactive","size":"1MB..50MB","arrive":"0s..20min","mode":"poller"},
          {"name":"r","count":25,"class":"release","principal":"farm","size":"1MB..90MB","arrive":"0s..20min","mode":"poller"},
          {"name":"b","count":40,"class":"bulk","size":"1MB..90MB","arrive":"0s..20min","mode":"poller","range":"1MB"},
          {"name":"g","count":10,"class":"background","principal":"night","size":"1MB..90MB","arrive":"0s..5min","mode":"poller","cancel":"15min"},
          {"name":"n","count":10,"class":"interactive","principal":"nat","id":false,"size":"5MB","arrive":"0s..20min","leave":"15min"})",
          R"("seed":)" + std::to_string(seed));
      CHECK(rises(play) == named(play));
      all += named(play);
    }
  CHECK(all > 100);
}
