// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/setting_options.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "core/base/size.h"

namespace arkvory::server {
namespace {

using Settings = SchedulerSettings;

constexpr std::uint64_t kMostSeats = 65'536;
constexpr Duration kMostSeconds = std::chrono::hours(24);
constexpr std::uint64_t kMostMinutes = 7 * 24 * 60;

// Into a number or an optional one.
template <typename Target>
bool number(std::string_view text, Target& target, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_number(text);
  if (!value || *value < least || *value > most) return false;
  target = *value;
  return true;
}

// Plain seconds, a fraction allowed: the setting's name says the unit.
bool seconds(std::string_view text, Duration& target, Duration least) {
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return false;
  const auto value = parse_duration(text);
  if (!value || *value < least || *value > kMostSeconds) return false;
  target = *value;
  return true;
}

bool minutes(std::string_view text, Duration& target) {
  std::uint64_t value = 0;
  if (!number(text, value, 0, kMostMinutes)) return false;
  target = std::chrono::minutes(value);
  return true;
}

template <typename Target>
bool rate(std::string_view text, Target& target, std::uint64_t least) {
  const auto value = parse_rate(text);
  if (!value || *value < least) return false;
  target = *value;
  return true;
}

bool size(std::string_view text, std::uint64_t& target) {
  const auto value = parse_size(text);
  if (!value) return false;
  target = *value;
  return true;
}

// All four or none.
bool four_weights(std::string_view text, Settings& settings) {
  auto weights = settings.weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto comma = text.find(',');
    const bool is_last = i + 1 == weights.size();
    if (is_last != (comma == std::string_view::npos)) return false;
    if (!number(text.substr(0, comma), weights[i], 1, kMostWeight)) return false;
    if (!is_last) text.remove_prefix(comma + 1);
  }
  settings.weights = weights;
  return true;
}

template <typename Value, std::size_t count>
bool one_of(std::string_view text, const std::array<std::pair<std::string_view, Value>, count>& names, Value& target) {
  for (const auto& [name, value] : names)
    if (text == name) {
      target = value;
      return true;
    }
  return false;
}

using StrategyNames = std::array<std::pair<std::string_view, Strategy>, 3>;
constexpr StrategyNames kStrategies{
    {{"ordered", Strategy::ordered}, {"smallest-first", Strategy::smallest_first}, {"shared", Strategy::shared}}};
using BandwidthOrderNames = std::array<std::pair<std::string_view, BandwidthOrder>, 2>;
constexpr BandwidthOrderNames kBandwidthOrders{
    {{"oldest-first", BandwidthOrder::oldest_first}, {"equal", BandwidthOrder::equal}}};
using SwitchNames = std::array<std::pair<std::string_view, bool>, 2>;
constexpr SwitchNames kSwitch{{{"true", true}, {"false", false}}};

constexpr bool kIsFixed = true;

constexpr std::array<SettingRow, 19> kRows{{
    {"--strategy", "ARKVORY_DOWNLOAD_STRATEGY", "NAME",
     "Who is served next: ordered, smallest-first or shared (default ordered)", "ordered, smallest-first or shared",
     [](std::string_view text, Settings& all) { return one_of(text, kStrategies, all.strategy); }},
    {"--sessions", "ARKVORY_MAX_DOWNLOAD_SESSIONS", "N", "Seats: downloads served at once (default as --max-downloads)",
     "a number from 1 to 65536",
     [](std::string_view text, Settings& all) { return number(text, all.sessions, 1, kMostSeats); }},
    {"--max-downloads", "ARKVORY_MAX_DOWNLOADS", "N", "Small objects served at once (default 16)",
     "a number from 1 to 65536",
     [](std::string_view text, Settings& all) { return number(text, all.max_downloads, 1, kMostSeats); }, kIsFixed},
    {"--reserve", "ARKVORY_DOWNLOAD_RESERVE", "N",
     "Seats kept for the class interactive (default 1 from four seats on, else 0)", "a number from 0 to 65536",
     [](std::string_view text, Settings& all) { return number(text, all.reserve, 0, kMostSeats); }},
    {"--per-principal", "ARKVORY_MAX_DOWNLOADS_PER_PRINCIPAL", "N",
     "Seats of one principal while others wait; 0: any number (default 4)", "a number from 0 to 65536",
     [](std::string_view text, Settings& all) { return number(text, all.per_principal, 0, kMostSeats); }},
    {"--weights", "ARKVORY_DOWNLOAD_WEIGHTS", "I,R,B,G",
     "Weights of interactive, release, bulk and background (default 8,4,2,1)", "four numbers from 1 to 1000",
     [](std::string_view text, Settings& all) { return four_weights(text, all); }},
    {"--session-min-bytes", "ARKVORY_DOWNLOAD_SESSION_MIN_BYTES", "SIZE",
     "Objects larger than this wait for a seat (default 16MiB)", "a size such as 16MiB",
     [](std::string_view text, Settings& all) { return size(text, all.session_min_bytes); }},
    {"--idle-seconds", "ARKVORY_DOWNLOAD_IDLE_SECONDS", "SECONDS",
     "A seat without requests for longer is free (default 30)", "seconds from 0.1 to 86400",
     [](std::string_view text, Settings& all) { return seconds(text, all.idle, std::chrono::milliseconds(100)); }},
    {"--aging-minutes", "ARKVORY_DOWNLOAD_AGING_MINUTES", "MINUTES",
     "Waiting longer raises a download by one class; 0: never (default 30)", "minutes from 0 to 10080",
     [](std::string_view text, Settings& all) { return minutes(text, all.aging); }},
    {"--preempt", "ARKVORY_DOWNLOAD_PREEMPT", "true|false",
     "Whether a running download may lose its seat (default true)", "true or false",
     [](std::string_view text, Settings& all) { return one_of(text, kSwitch, all.preempt); }},
    {"--ranges-per-session", "ARKVORY_DOWNLOAD_RANGES_PER_SESSION", "N", "Answers of one download at once (default 4)",
     "a number from 1 to 1000",
     [](std::string_view text, Settings& all) { return number(text, all.ranges_per_session, 1, 1000); }},
    {"--bandwidth-order", "ARKVORY_DOWNLOAD_BANDWIDTH_ORDER", "NAME",
     "How seats share the total rate: oldest-first or equal (default oldest-first)", "oldest-first or equal",
     [](std::string_view text, Settings& all) { return one_of(text, kBandwidthOrders, all.bandwidth_order); }},
    {"--bandwidth-floor", "ARKVORY_DOWNLOAD_BANDWIDTH_FLOOR", "RATE",
     "What every running download gets at least (default 64KiB/s)", "a rate such as 64KiB/s",
     [](std::string_view text, Settings& all) { return rate(text, all.bandwidth_floor, 0); }},
    {"--bandwidth", "ARKVORY_BANDWIDTH", "RATE", "The total rate of all answers (default unlimited)",
     "a rate such as 40MB/s", [](std::string_view text, Settings& all) { return rate(text, all.bandwidth, 1); },
     kIsFixed},
    {"--restart-grace-seconds", "ARKVORY_DOWNLOAD_RESTART_GRACE_SECONDS", "SECONDS",
     "After a restart those in line have so long to come back first (default 5)", "seconds from 0 to 86400",
     [](std::string_view text, Settings& all) { return seconds(text, all.restart_grace, Duration::zero()); }},
    {"--hold-seconds", "ARKVORY_DOWNLOAD_HOLD_SECONDS", "SECONDS",
     "How long a request without a download id is held (default 20)", "seconds from 0 to 86400",
     [](std::string_view text, Settings& all) { return seconds(text, all.hold, Duration::zero()); }, kIsFixed},
    {"--transfer-queue-limit", "ARKVORY_TRANSFER_QUEUE_LIMIT", "N",
     "Requests without a download id held at once (default 64)", "a number from 0 to 1048576",
     [](std::string_view text, Settings& all) { return number(text, all.transfer_queue_limit, 0, kMostSessions); },
     kIsFixed},
    {"--queue-limit", "ARKVORY_DOWNLOAD_QUEUE_LIMIT", "N", "Downloads known at once (default 65536)",
     "a number from 1 to 1048576",
     [](std::string_view text, Settings& all) { return number(text, all.queue_limit, 1, kMostSessions); }, kIsFixed},
    {"--sessions-per-principal", "ARKVORY_DOWNLOAD_SESSIONS_PER_PRINCIPAL", "N",
     "Downloads of one principal known at once (default 4096)", "a number from 1 to 1048576",
     [](std::string_view text, Settings& all) { return number(text, all.sessions_per_principal, 1, kMostSessions); },
     kIsFixed},
}};

}  // namespace

std::string_view to_string(Strategy strategy) {
  return std::find_if(kStrategies.begin(), kStrategies.end(),
                      [strategy](const auto& one) { return one.second == strategy; })
      ->first;
}

std::string_view to_string(BandwidthOrder order) {
  return std::find_if(kBandwidthOrders.begin(), kBandwidthOrders.end(),
                      [order](const auto& one) { return one.second == order; })
      ->first;
}

std::span<const SettingRow> setting_rows() { return kRows; }

std::string setting_name(const SettingRow& row) {
  std::string name;
  bool is_first_of_word = false;
  for (const char letter : std::string_view(row.flag).substr(2)) {
    if (letter != '-') name.push_back(is_first_of_word ? static_cast<char>(letter - 'a' + 'A') : letter);
    is_first_of_word = letter == '-';
  }
  return name;
}

const SettingRow* find_setting(std::string_view name) {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [name](const SettingRow& row) { return setting_name(row) == name; });
  return found == kRows.end() ? nullptr : &*found;
}

Result<SchedulerSettings> read_settings(const FlagValues& flags, const Environment& environment) {
  SchedulerSettings settings;
  for (const auto& row : kRows) {
    const auto flag = flags.find(std::string_view(row.flag));
    const auto variable = flag == flags.end() ? environment(row.variable) : std::nullopt;
    if (flag == flags.end() && variable.value_or("").empty()) continue;
    const std::string source = flag != flags.end() ? row.flag : row.variable;
    const auto& text = flag != flags.end() ? flag->second : *variable;
    if (!row.read(text, settings)) return fail(Fault::usage, source + " takes " + row.expected + ", not " + text);
  }
  return settings;
}

}  // namespace arkvory::server
