// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/setting_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json_pointer.h"
#include "server-stub/scheduler/setting_options.h"
#include "server-stub/scheduler/windows.h"

namespace arkvory::server {
namespace {

using Shown = nlohmann::ordered_json;

constexpr std::string_view kWindows = "windows";
constexpr std::string_view kWeights = "weights";
constexpr std::size_t kLongestZone = 64;
// All edges of a class's windows within a year are looked at where they never leave a gap.
constexpr std::size_t kMostWindows = 32;

// --- Reading --------------------------------------------------------------------------------------------------------

void check_keys(const JsonPart& part, std::span<const std::string_view> known, Reading reading) {
  if (reading == Reading::strict)
    part.only_has(known);
  else
    part.needs_object();
}

std::uint32_t take_share(const JsonPart& part) {
  const double share = part.json.is_number() ? part.json.get<double>() : -1;
  if (!(share >= 0 && share <= 1)) part.refuse("a share of the rate from 0 to 1");
  return static_cast<std::uint32_t>(share * 1e6 + 0.5);
}

Window take_window(const JsonPart& part, Reading reading) {
  constexpr std::array<std::string_view, 5> kKeys{"days", "from", "to", "zone", "outsideShare"};
  check_keys(part, kKeys, reading);
  Window window;
  window.days = {true, true, true, true, true, true, true};
  if (part.has("days"))
    window.days = read_written(part.at("days"), parse_days, "days such as \"mon-fri\" or \"sat,sun\"");
  for (const auto& [key, target] : {std::pair("from", &window.from), std::pair("to", &window.to)}) {
    if (!part.has(key))
      throw JsonFault{part.pointer + json_pointer_step(key), "is needed, a time of the day such as \"22:00\""};
    *target = read_written(part.at(key), parse_time_of_day, "a time of the day such as \"22:00\"");
  }
  if (window.from == std::chrono::hours(24)) part.at("from").refuse("a time of the day up to \"23:59\"");
  if (part.has("zone")) window.zone = part.at("zone").name("a zone such as \"Europe/Berlin\",", kLongestZone);
  if (part.has("outsideShare")) window.outside_share_ppm = take_share(part.at("outsideShare"));
  return window;
}

std::shared_ptr<const ClassWindows> take_windows(const JsonPart& part, Reading reading) {
  check_keys(part, kDownloadClassNames, reading);
  ClassWindows::ByClass windows;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::string name(kDownloadClassNames[i]);
    if (!part.has(name)) continue;
    const auto list = part.at(name);
    if (!list.json.is_array() || list.json.size() > kMostWindows) list.refuse("a list of at most 32 windows");
    for (std::size_t one = 0; one < list.json.size(); ++one) {
      const auto window = list.at(one);
      windows[i].push_back(take_window(window, reading));
      ClassWindows::ByClass alone;
      alone[i] = {windows[i].back()};
      if (auto known = ClassWindows::make(alone); !known)
        throw JsonFault{window.pointer + "/zone", known.error().words};
    }
  }
  auto made = ClassWindows::make(std::move(windows));
  if (!made) throw JsonFault{part.pointer, made.error().words};
  return std::make_shared<const ClassWindows>(std::move(*made));
}

// By class, all four or none.
void take_weights(const JsonPart& part, Reading reading, SchedulerSettings& settings) {
  check_keys(part, kDownloadClassNames, reading);
  std::string missing;
  for (std::size_t i = 0; i < settings.weights.size(); ++i) {
    const std::string name(kDownloadClassNames[i]);
    if (part.has(name))
      settings.weights[i] = part.at(name).number(1, kMostWeight);
    else if (missing.empty())
      missing = name;
  }
  if (!missing.empty())
    throw JsonFault{part.pointer + json_pointer_step(missing), "is needed: all four weights or none"};
}

// As it would stand behind the flag; empty where nothing of the kind can.
std::string text_of_setting(const JsonPart& part, bool may_be_list) {
  if (part.json.is_string()) return part.json.get<std::string>();
  if (part.json.is_boolean()) return part.json.get<bool>() ? "true" : "false";
  if (part.json.is_number()) return part.json.dump();
  std::string list;
  if (!part.json.is_array() || !may_be_list) return list;
  for (const auto& one : part.json) list += (list.empty() ? "" : ",") + one.dump();
  return list;
}

void take_setting(const std::string& name, const JsonPart& part, Reading reading, SchedulerSettings& settings) {
  if (name == kWindows) {
    settings.windows = take_windows(part, reading);
    return;
  }
  if (name == kWeights && part.json.is_object()) return take_weights(part, reading, settings);
  const auto& row = *find_setting(name);
  if (!row.read(text_of_setting(part, name == kWeights), settings)) part.refuse(row.expected);
}

std::vector<std::string> names_of_overrides() {
  std::vector<std::string> names;
  for (const auto& row : setting_rows())
    if (!row.is_fixed) names.push_back(setting_name(row));
  names.emplace_back(kWindows);
  return names;
}

void refuse_fixed(const JsonPart& overrides) {
  for (const auto& row : setting_rows())
    if (row.is_fixed && overrides.has(setting_name(row)))
      throw JsonFault{overrides.pointer + json_pointer_step(setting_name(row)),
                      std::string("is fixed at the start and can't be overridden; use ") + row.flag};
}

// At most as many as there are seats.
std::uint64_t fitted(const JsonPart& overrides, const std::string& name, std::uint64_t value, std::uint64_t seats,
                     Reading reading) {
  if (value > seats && reading == Reading::strict && overrides.has(name))
    overrides.at(name).refuse("at most as many as there are sessions, " + std::to_string(seats));
  return std::min(value, seats);
}

// --- Showing --------------------------------------------------------------------------------------------------------

Shown shown_number(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? Shown(whole) : Shown(number);
}

Shown shown_seconds(Duration time) { return shown_number(std::chrono::duration<double>(time).count()); }

Shown shown_windows(const SchedulerSettings& settings) {
  auto shown = Shown::object();
  for (const auto name : kDownloadClassNames) {
    const auto of_class = *parse_download_class(name);
    if (!settings.windows || !settings.windows->has_any(of_class)) continue;
    auto& list = shown[std::string(name)] = Shown::array();
    for (const auto& window : settings.windows->windows(of_class))
      list.push_back(Shown{{"days", format_days(window.days)},
                           {"from", format_time_of_day(window.from)},
                           {"to", format_time_of_day(window.to)},
                           {"zone", window.zone},
                           {"outsideShare", shown_number(window.outside_share_ppm / 1e6)}});
  }
  return shown;
}

}  // namespace

void take_settings(const JsonPart& part, std::span<const std::string_view> known, Reading reading,
                   SchedulerSettings& settings) {
  check_keys(part, known, reading);
  for (const auto name : known)
    if (const std::string key(name); part.has(key)) take_setting(key, part.at(key), reading, settings);
}

SchedulerSettings overridden(const SchedulerSettings& environment, const JsonPart& overrides, Reading reading) {
  overrides.needs_object();
  refuse_fixed(overrides);
  auto settings = environment;
  const auto names = names_of_overrides();
  take_settings(overrides, std::vector<std::string_view>(names.begin(), names.end()), reading, settings);
  const auto seats = settings.seats();
  const bool are_seats_set = overrides.has("sessions");
  if (settings.reserve && (are_seats_set || overrides.has("reserve")))
    settings.reserve = fitted(overrides, "reserve", *settings.reserve, seats, reading);
  if (are_seats_set || overrides.has("perPrincipal"))
    settings.per_principal = fitted(overrides, "perPrincipal", settings.per_principal, seats, reading);
  return settings;
}

Shown settings_json(const SchedulerSettings& settings) {
  auto weights = Shown::object();
  for (std::size_t i = 0; i < settings.weights.size(); ++i)
    weights[std::string(kDownloadClassNames[i])] = settings.weights[i];
  return Shown{{"strategy", to_string(settings.strategy)},
               {"sessions", settings.seats()},
               {"maxDownloads", settings.max_downloads},
               {"reserve", settings.reserved_seats()},
               {"perPrincipal", settings.per_principal},
               {"weights", std::move(weights)},
               {"sessionMinBytes", settings.session_min_bytes},
               {"idleSeconds", shown_seconds(settings.idle)},
               {"agingMinutes", settings.aging / std::chrono::minutes(1)},
               {"preempt", settings.preempt},
               {"rangesPerSession", settings.ranges_per_session},
               {"bandwidthOrder", to_string(settings.bandwidth_order)},
               {"bandwidthFloor", settings.bandwidth_floor},
               {"windows", shown_windows(settings)},
               {"restartGraceSeconds", shown_seconds(settings.restart_grace)},
               {"holdSeconds", shown_seconds(settings.hold)},
               {"transferQueueLimit", settings.transfer_queue_limit},
               {"queueLimit", settings.queue_limit},
               {"sessionsPerPrincipal", settings.sessions_per_principal},
               {"bandwidth", settings.bandwidth ? Shown(*settings.bandwidth) : Shown(nullptr)}};
}

}  // namespace arkvory::server
