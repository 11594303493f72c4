// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/windows.h"

#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/size.h"

namespace arkvory::server {
namespace {

namespace d = date;
using std::chrono::minutes;

constexpr std::array<std::string_view, 7> kDayNames{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
constexpr Duration kHorizon = std::chrono::hours(400 * 24);

std::size_t day_of_week(d::local_days day) { return d::weekday(day).iso_encoding() - 1; }

// Its end, in minutes after the midnight that begins its day.
minutes end_of(const Window& window) {
  return window.to > window.from ? window.to : window.to + std::chrono::hours(24);
}

bool is_inside(const Window& window, const d::time_zone& zone, WallTime at) {
  const auto local = zone.to_local(at);
  const auto today = d::floor<d::days>(local);
  // Also the one that began yesterday.
  for (const auto day : {today, today - d::days(1)}) {
    const auto passed = local - day;
    if (window.days[day_of_week(day)] && passed >= window.from && passed < end_of(window)) return true;
  }
  return false;
}

// The next time after `after` at which the window may begin or end, or its zone's clock is set.
WallTime next_edge(const Window& window, const d::time_zone& zone, WallTime after) {
  const auto info = zone.get_info(d::floor<std::chrono::seconds>(after));
  // Where the zone never changes again, info.end is beyond what nanoseconds can count.
  const auto horizon = after + kHorizon;
  auto next = info.end < d::floor<std::chrono::seconds>(horizon) ? WallTime(info.end) : horizon;
  const d::local_time<Duration> local{after.time_since_epoch() + info.offset};
  const auto today = d::floor<d::days>(local);
  for (auto day = today - d::days(1); day <= today + d::days(8); day += d::days(1)) {
    if (!window.days[day_of_week(day)]) continue;
    for (const auto edge : {window.from, end_of(window)}) {
      const auto at = WallTime((day + edge).time_since_epoch() - info.offset);
      if (at > after) next = std::min(next, at);
    }
  }
  return next;
}

std::optional<std::size_t> day_by_name(std::string_view name) {
  const auto found = std::find(kDayNames.begin(), kDayNames.end(), name);
  if (found == kDayNames.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kDayNames.begin());
}

}  // namespace

Result<ClassWindows> ClassWindows::make(ByClass windows) {
  ClassWindows made;
  for (std::size_t i = 0; i < windows.size(); ++i)
    for (auto& window : windows[i]) {
      try {
        const auto* zone = d::locate_zone(window.zone);
        zone->get_info(d::sys_seconds{});  // reads its file now, not when it is first asked
        made.classes_[i].windows.push_back({std::move(window), zone});
      } catch (const std::exception&) {
        return fail(Fault::usage, "there is no zone " + window.zone + " in this system's database of time zones");
      }
    }
  return made;
}

bool ClassWindows::has_any(DownloadClass name) const { return !of(name).windows.empty(); }

std::vector<Window> ClassWindows::windows(DownloadClass name) const {
  std::vector<Window> all;
  for (const auto& one : of(name).windows) all.push_back(one.window);
  return all;
}

bool ClassWindows::is_inside_any(const OfClass& all, WallTime at) {
  return std::any_of(all.windows.begin(), all.windows.end(),
                     [at](const Known& one) { return is_inside(one.window, *one.zone, at); });
}

const ClassWindows::Stretch& ClassWindows::stretch_at(const OfClass& all, WallTime at) {
  for (const auto& stretch : all.kept)
    if (stretch.begin <= at && at < stretch.end) return stretch;
  Stretch made{at, at + kHorizon, std::nullopt, is_inside_any(all, at)};
  for (auto edge = at; edge < at + kHorizon && !made.next_change;) {
    auto next = edge + kHorizon;
    for (const auto& one : all.windows) next = std::min(next, next_edge(one.window, *one.zone, edge));
    edge = next;
    if (is_inside_any(all, edge) != made.is_open) made.next_change = made.end = edge;
  }
  // Where it never changes, that is known for as long as it was looked for, less what a later question would look for.
  if (!made.next_change) made.end = at + kHorizon / 2;
  if (all.kept.size() < kKept) return all.kept.emplace_back(made);
  auto& replaced = all.kept[all.oldest++ % kKept];
  replaced = made;
  return replaced;
}

bool ClassWindows::is_open(DownloadClass name, WallTime at) const {
  return !has_any(name) || stretch_at(of(name), at).is_open;
}

std::optional<WallTime> ClassWindows::next_change(DownloadClass name, WallTime after) const {
  return has_any(name) ? stretch_at(of(name), after).next_change : std::nullopt;
}

std::uint32_t ClassWindows::outside_share_ppm(DownloadClass name) const {
  std::uint32_t most = 0;
  for (const auto& one : of(name).windows) most = std::max(most, one.window.outside_share_ppm);
  return most;
}

std::optional<std::array<bool, 7>> parse_days(std::string_view text) {
  std::array<bool, 7> days{};
  for (bool is_last = false; !is_last;) {
    const auto comma = text.find(',');
    is_last = comma == std::string_view::npos;
    const auto part = text.substr(0, comma);
    if (!is_last) text.remove_prefix(comma + 1);
    const auto dash = part.find('-');
    const auto first = day_by_name(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : day_by_name(part.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    for (auto day = *first;; day = (day + 1) % 7) {
      days[day] = true;
      if (day == *last) break;
    }
  }
  return days;
}

std::string format_days(const std::array<bool, 7>& days) {
  if (std::find(days.begin(), days.end(), false) == days.end()) return "mon-sun";
  std::string text;
  for (std::size_t day = 0; day < days.size(); ++day)
    if (days[day]) text.append(text.empty() ? "" : ",").append(kDayNames[day]);
  return text;
}

std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto hours = parse_number(text.substr(0, 2));
  const auto rest = parse_number(text.substr(3));
  if (!hours || !rest || *rest > 59 || *hours > 24 || (*hours == 24 && *rest > 0)) return std::nullopt;
  return minutes(*hours * 60 + *rest);
}

std::string format_time_of_day(std::chrono::minutes time) {
  const auto two_digits = [](std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return two_digits(time.count() / 60) + ":" + two_digits(time.count() % 60);
}

}  // namespace arkvory::server
