// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/setting_options.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using namespace arkvory;
using namespace arkvory::server;

namespace {

using Variables = std::map<std::string, std::string>;

Result<SchedulerSettings> read(const FlagValues& flags, const Variables& variables = {}) {
  return read_settings(flags, [&variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

SchedulerSettings settings(const FlagValues& flags, const Variables& variables = {}) {
  auto all = read(flags, variables);
  REQUIRE_MESSAGE(all.has_value(), all.error().text());
  return *all;
}

}  // namespace

TEST_CASE("the defaults are those of the table") {
  const auto all = settings({});
  CHECK(all.strategy == Strategy::ordered);
  CHECK(all.max_downloads == 16);
  CHECK(all.seats() == 16);
  CHECK(all.reserved_seats() == 1);
  CHECK(all.per_principal == 4);
  CHECK(all.weights == std::array<std::uint64_t, 4>{8, 4, 2, 1});
  CHECK(all.session_min_bytes == 16 * kMiB);
  CHECK(all.idle == std::chrono::seconds(30));
  CHECK(all.aging == std::chrono::minutes(30));
  CHECK(all.preempt);
  CHECK(all.ranges_per_session == 4);
  CHECK(all.bandwidth_order == BandwidthOrder::oldest_first);
  CHECK(all.bandwidth_floor == 64 * kKiB);
  CHECK(all.restart_grace == std::chrono::seconds(5));
  CHECK(all.hold == std::chrono::seconds(20));
  CHECK(all.transfer_queue_limit == 64);
  CHECK(all.queue_limit == 65'536);
  CHECK(all.sessions_per_principal == 4'096);
  CHECK_FALSE(all.bandwidth);
}

TEST_CASE("each row is read, by flag and by variable") {
  const FlagValues flags{{"--strategy", "ordered"},      {"--sessions", "3"},
                         {"--max-downloads", "5"},       {"--reserve", "2"},
                         {"--per-principal", "0"},       {"--weights", "1,20,300,1000"},
                         {"--session-min-bytes", "1MB"}, {"--idle-seconds", "1.5"},
                         {"--aging-minutes", "0"},       {"--preempt", "false"},
                         {"--ranges-per-session", "7"},  {"--bandwidth-order", "equal"},
                         {"--bandwidth-floor", "0B/s"},  {"--restart-grace-seconds", "0"},
                         {"--hold-seconds", "9"},        {"--transfer-queue-limit", "8"},
                         {"--queue-limit", "1048576"},   {"--sessions-per-principal", "11"},
                         {"--bandwidth", "40MB/s"}};
  Variables variables;
  std::set<std::string> known;
  for (const auto& row : setting_rows()) {
    CAPTURE(row.flag);
    REQUIRE(flags.contains(row.flag));
    variables[row.variable] = flags.find(row.flag)->second;
    known.insert(row.flag);
  }
  CHECK(known.size() == flags.size());
  for (const auto& all : {settings(flags), settings({}, variables)}) {
    CHECK(all.seats() == 3);
    CHECK(all.max_downloads == 5);
    CHECK(all.reserved_seats() == 2);
    CHECK(all.per_principal == 0);
    CHECK(all.weight(DownloadClass::bulk) == 300);
    CHECK(all.session_min_bytes == 1'000'000);
    CHECK(all.idle == std::chrono::milliseconds(1500));
    CHECK(all.aging == Duration::zero());
    CHECK_FALSE(all.preempt);
    CHECK(all.ranges_per_session == 7);
    CHECK(all.bandwidth_order == BandwidthOrder::equal);
    CHECK(all.bandwidth_floor == 0);
    CHECK(all.restart_grace == Duration::zero());
    CHECK(all.hold == std::chrono::seconds(9));
    CHECK(all.transfer_queue_limit == 8);
    CHECK(all.queue_limit == kMostSessions);
    CHECK(all.sessions_per_principal == 11);
    CHECK(all.bandwidth == 40'000'000U);
  }
}

TEST_CASE("a flag wins over a variable, whose value then does not matter; an empty one is not set") {
  CHECK(settings({{"--sessions", "2"}}, {{"ARKVORY_MAX_DOWNLOAD_SESSIONS", "many"}}).seats() == 2);
  CHECK(settings({}, {{"ARKVORY_MAX_DOWNLOAD_SESSIONS", ""}}).seats() == 16);
}

TEST_CASE("sessions follow maxDownloads, the reserve follows the seats and never exceeds them (O5)") {
  CHECK(settings({{"--max-downloads", "3"}}).seats() == 3);
  CHECK(settings({{"--max-downloads", "3"}}).reserved_seats() == 0);
  CHECK(settings({{"--sessions", "4"}}).reserved_seats() == 1);
  CHECK(settings({{"--sessions", "4"}, {"--reserve", "0"}}).reserved_seats() == 0);
  CHECK(settings({{"--sessions", "1"}, {"--reserve", "4"}}).reserved_seats() == 1);
}

TEST_CASE("a value out of bounds is refused with the flag or the variable that it came by") {
  struct Case {
    const char* flag;
    std::vector<const char*> values;
  };
  const std::vector<Case> cases{
      {"--strategy", {"fifo", "Ordered", "smallest_first"}},
      {"--sessions", {"0", "65537", "-1", "+4", "4.0", "0x4", " 4", "99999999999999999999"}},
      {"--max-downloads", {"0", "65537"}},
      {"--reserve", {"65537", "one"}},
      {"--per-principal", {"-1"}},
      {"--weights", {"8,4,2", "8,4,2,1,1", "8,4,2,0", "8,4,2,1001", "8,4,,1", ",,,", "8 4 2 1", "8,4,2,1,"}},
      {"--session-min-bytes", {"big", "-1"}},
      {"--idle-seconds", {"0", "0.01", "86401", "5m", "-5"}},
      {"--aging-minutes", {"10081", "1.5", "30m"}},
      {"--preempt", {"yes", "1", "True"}},
      {"--ranges-per-session", {"0", "1001"}},
      {"--bandwidth-order", {"newest-first"}},
      {"--bandwidth-floor", {"fast", "64KiB/h"}},
      {"--restart-grace-seconds", {"-1", "86401"}},
      {"--hold-seconds", {"x"}},
      {"--transfer-queue-limit", {"1048577"}},
      {"--queue-limit", {"0", "1048577"}},
      {"--sessions-per-principal", {"0", "1048577"}},
      {"--bandwidth", {"0", "0B/s", "none"}},
  };
  for (const auto& one : cases) {
    const auto rows = setting_rows();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& each) { return each.flag == std::string_view(one.flag); });
    REQUIRE(row != rows.end());
    for (const char* value : one.values) {
      CAPTURE(one.flag);
      CAPTURE(value);
      const auto by_flag = read({{one.flag, value}});
      REQUIRE_FALSE(by_flag.has_value());
      CHECK(by_flag.error().fault == Fault::usage);
      CHECK(by_flag.error().words.starts_with(std::string(one.flag) + " takes "));
      const auto by_variable = read({}, {{row->variable, value}});
      REQUIRE_FALSE(by_variable.has_value());
      CHECK(by_variable.error().words.starts_with(std::string(row->variable) + " takes "));
    }
  }
}

TEST_CASE("every setting has the name that stored settings and scenarios call it by") {
  CHECK(setting_name(*find_setting("sessionMinBytes")) == "sessionMinBytes");
  CHECK(std::string(find_setting("agingMinutes")->flag) == "--aging-minutes");
  CHECK(find_setting("aging-minutes") == nullptr);
  CHECK(find_setting("") == nullptr);
}
