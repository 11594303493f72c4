// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "server-stub/scheduler/setting_options.h"

namespace arkvory::server {
namespace {

// Seconds with exactly six decimals, to the nearest microsecond, without the rounding of floating-point numbers.
std::string seconds(Duration time) {
  const auto microseconds = (time.count() + 500) / 1000;
  return fmt::format("{}.{:06}", microseconds / 1'000'000, microseconds % 1'000'000);
}

std::string seconds(long double time) { return fmt::format("{:.6f}", static_cast<double>(std::max(time, 0.0L))); }

Duration median(std::vector<Duration> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

double share_inside(const SimulationReport& report) {
  return static_cast<double>(report.estimates_inside) / static_cast<double>(report.estimate_errors.size());
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::optional<Completion> completion(const SimulationReport& report) {
  const auto& all = report.finishes;
  if (all.empty()) return std::nullopt;
  const auto percentile = [&](std::size_t percent) { return all[(all.size() * percent + 99) / 100 - 1]; };
  long double sum = 0;
  for (const auto one : all) sum += static_cast<long double>(one.count());
  const Duration mean(static_cast<Duration::rep>(sum / static_cast<long double>(all.size()) + 0.5L));
  return Completion{all.front(), mean, percentile(50), percentile(90), percentile(99), all.back()};
}

std::string short_time(Duration time) {
  const auto total = (time.count() + 500'000'000) / 1'000'000'000;
  if (time < std::chrono::minutes(1)) return fmt::format("{:.1f} s", static_cast<double>(time.count()) / 1e9);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  if (total < 86'400) return fmt::format("{} h {:02} min", total / 3600, total / 60 % 60);
  return fmt::format("{} d {:02} h", total / 86'400, total / 3600 % 24);
}

std::string table(const Scenario& scenario, const SimulationReport& report) {
  std::string text;
  const auto row = [&text](std::string_view name, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "{:<26}{}\n", name, value);
  };
  const auto& settings = scenario.settings;
  row("strategy", settings.strategy == Strategy::shared
                      ? std::string(to_string(settings.strategy))
                      : fmt::format("{}, {} seats", to_string(settings.strategy), settings.seats()));
  row("clients", report.unfinished == 0
                     ? fmt::format("{}, all finished", scenario.clients.size())
                     : fmt::format("{}, {} did not finish", scenario.clients.size(), report.unfinished));
  if (const auto ends = completion(report)) {
    for (const auto& [name, time] :
         {std::pair("first file complete", ends->first), std::pair("mean", ends->mean), std::pair("half", ends->p50),
          std::pair("nine of ten", ends->p90), std::pair("99 of 100", ends->p99), std::pair("last", ends->last)})
      row(name, fmt::format("{:>12} s   {}", seconds(time), short_time(time)));
  }
  row("seats free in vain", seconds(report.lost_seat_seconds) + " seat seconds");
  row("link unused in vain", seconds(report.lost_link_seconds) + " s");
  if (!report.estimate_errors.empty()) {
    row("start told wrong by", seconds(median(report.estimate_errors)) + " s, median");
    row("within the interval told",
        fmt::format("{:.1f} %, mean width {} s", 100 * share_inside(report), seconds(report.mean_interval_seconds)));
  }
  row("preemptions", std::to_string(report.preemptions));
  row("no-shows", std::to_string(report.no_shows));
  for (const auto& [reason, times] : report.position_rises) row("places lost: " + reason, std::to_string(times));
  row("virtual time", fmt::format("{} s   {}", seconds(report.ended), short_time(report.ended)));
  return text;
}

std::string table_head(const std::string& setting) {
  return fmt::format("{:>20}{:>16}{:>16}{:>16}{:>16}{:>18}\n", setting, "first", "mean", "p90", "last", "lost seat s");
}

std::string table_row(const std::string& value, const SimulationReport& report) {
  const auto ends = completion(report);
  const auto end = [&](Duration Completion::*which) { return ends ? seconds(*ends.*which) : "-"; };
  return fmt::format("{:>20}{:>16}{:>16}{:>16}{:>16}{:>18}\n", value, end(&Completion::first), end(&Completion::mean),
                     end(&Completion::p90), end(&Completion::last), seconds(report.lost_seat_seconds));
}

std::string json(const SimulationReport& report) {
  std::string text = R"({"completion":{)";
  auto out = std::back_inserter(text);
  const auto ends = completion(report);
  const auto end = [&](Duration Completion::*which) { return ends ? seconds(*ends.*which) : "null"; };
  fmt::format_to(out, R"("first":{},"mean":{},"p50":{},"p90":{},"p99":{},"last":{}}},)", end(&Completion::first),
                 end(&Completion::mean), end(&Completion::p50), end(&Completion::p90), end(&Completion::p99),
                 end(&Completion::last));
  fmt::format_to(out, R"("lostSeatSeconds":{},"lostLinkSeconds":{},)", seconds(report.lost_seat_seconds),
                 seconds(report.lost_link_seconds));
  if (report.estimate_errors.empty())
    text += R"("estimate":{"medianError":null,"insideInterval":null,"meanWidth":null},)";
  else
    fmt::format_to(out, R"("estimate":{{"medianError":{},"insideInterval":{:.6f},"meanWidth":{}}},)",
                   seconds(median(report.estimate_errors)), share_inside(report),
                   seconds(report.mean_interval_seconds));
  fmt::format_to(out, R"("preemptions":{},"noShows":{},"positionRises":{{)", report.preemptions, report.no_shows);
  bool is_first = true;
  for (const auto& [reason, times] : report.position_rises)
    fmt::format_to(out, R"({}"{}":{})", std::exchange(is_first, false) ? "" : ",", reason, times);
  fmt::format_to(out, R"(}},"virtualSeconds":{}}})", seconds(report.ended));
  return text;
}

std::string json(const Scenario& scenario, const SimulatedEvent& event) {
  auto text = fmt::format(R"({{"t":{},"event":"{}","session":{})", seconds(event.at), to_string(event.kind),
                          quoted(scenario.clients[event.client].name));
  if (event.answer) {
    const auto& answer = *event.answer;
    fmt::format_to(std::back_inserter(text), R"(,"position":{},"startsIn":{},"startsBetween":{},"checkIn":{})",
                   answer.position ? std::to_string(*answer.position) : "null",
                   answer.starts_in ? seconds(*answer.starts_in) : "null",
                   answer.starts_between ? fmt::format("[{},{}]", seconds(answer.starts_between->first),
                                                       seconds(answer.starts_between->second))
                                         : "null",
                   seconds(answer.check_in));
  }
  return text + "}";
}

}  // namespace arkvory::server
