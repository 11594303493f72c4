// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/ensure.h"
#include "core/base/size.h"

namespace arkvory::bench {

namespace {

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kMiB); }

template <typename Value>
double median_over(const std::vector<Round>& rounds, const Value& value) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const auto& round : rounds) values.push_back(value(round));
  return median(std::move(values));
}

std::string amount(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.2f}", value) : fmt::format("{:.3g} {}", value, unit);
}

std::string limit_of(const Row& row) {
  if (row.limit <= 0) return "-";
  return amount(row.limit, row.peer.empty() ? row.unit : "");
}

std::string verdict_of(const Row& row) {
  if (!row.skipped.empty()) return "skipped: " + row.skipped;
  if (!row.has_verdict()) return "-";
  return row.is_held() ? "held" : row.is_far_off() ? "FAR OFF" : "missed";
}

std::vector<std::string> cells_of(const Row& row) {
  const auto what = row.peer.empty() ? row.work : row.work + ", against " + row.peer;
  if (!row.skipped.empty()) return {what, "-", "-", "-", limit_of(row), verdict_of(row)};
  const bool has_peer = !row.peer.empty();
  return {what,
          amount(row.ours, row.unit),
          has_peer ? amount(row.theirs, row.unit) : "-",
          has_peer ? amount(row.ratio, "") : "-",
          limit_of(row),
          verdict_of(row)};
}

}  // namespace

const Figure kWall = {"s", [](const Run& run) { return run.wall_seconds; }};
const Figure kWallMilliseconds = {"ms", [](const Run& run) { return run.wall_seconds * 1000; }};
const Figure kCpu = {"s", [](const Run& run) { return run.cpu_seconds; }};
const Figure kPeak = {"MiB", [](const Run& run) { return mebibytes(run.peak_bytes); }};

double median(std::vector<double> values) {
  ensure(!values.empty(), "a median is of something");
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Row compared(std::string work, std::string peer, const std::vector<Round>& rounds, std::size_t ours, std::size_t theirs,
             const Figure& figure, double limit) {
  auto row = alone(std::move(work), rounds, ours, figure, limit);
  row.peer = std::move(peer);
  row.theirs = median_over(rounds, [&](const Round& round) { return figure.of(round.at(theirs)); });
  row.ratio =
      median_over(rounds, [&](const Round& round) { return figure.of(round.at(ours)) / figure.of(round.at(theirs)); });
  return row;
}

Row alone(std::string work, const std::vector<Round>& rounds, std::size_t ours, const Figure& figure, double limit) {
  return alone(std::move(work), figure.unit,
               median_over(rounds, [&](const Round& round) { return figure.of(round.at(ours)); }), limit);
}

Row alone(std::string work, const char* unit, double value, double limit) {
  Row row;
  row.work = std::move(work);
  row.unit = unit;
  row.ours = value;
  row.limit = limit;
  return row;
}

Row skipped(std::string work, std::string why) {
  Row row;
  row.work = std::move(work);
  row.skipped = std::move(why);
  return row;
}

std::uint64_t largest_peak(const std::vector<Round>& rounds, const std::vector<std::size_t>& commands) {
  std::uint64_t largest = 0;
  for (const auto& round : rounds)
    for (const auto command : commands) largest = std::max(largest, round.at(command).peak_bytes);
  return largest;
}

std::string rounds_in_words(const std::vector<std::string>& names, const std::vector<Round>& rounds) {
  std::string text;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    text += fmt::format("  {}:", i + 1);
    for (std::size_t command = 0; command < names.size(); ++command) {
      const auto& run = rounds[i].at(command);
      text += fmt::format("{} {} {:.3f} s, cpu {:.3f} s, {:.1f} MiB", command == 0 ? "" : ";", names[command],
                          run.wall_seconds, run.cpu_seconds, mebibytes(run.peak_bytes));
    }
    text += '\n';
  }
  return text;
}

std::string table(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> lines = {{"work", "ours", "peer", "ratio", "at most", "verdict"}};
  for (const auto& row : rows) lines.push_back(cells_of(row));
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:<{}}", line.front(), widths.front());
    for (std::size_t i = 1; i + 1 < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], widths[i]);
    text += "  " + line.back() + '\n';
  }
  return text;
}

int exit_status(const std::vector<Row>& rows, bool has_limits) {
  constexpr int kSkipped = 77;
  if (std::ranges::all_of(rows, [](const Row& row) { return !row.skipped.empty(); })) return kSkipped;
  return has_limits && std::ranges::any_of(rows, &Row::is_far_off) ? 1 : 0;
}

}  // namespace arkvory::bench
