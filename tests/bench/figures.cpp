// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/base/ensure.h"
#include "core/base/size.h"

namespace arkvory::bench {

namespace {

struct Column {
  const char* title;
  const char* unit;
  double (*value)(const Pair&);
};

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kMiB); }
double wall_ratio(const Pair& pair) { return pair.verified.wall_seconds / pair.curl_then_hash.wall_seconds; }
double peak(const Pair& pair) { return mebibytes(pair.verified.peak_bytes); }

constexpr Column kColumns[] = {
    {"arkvoryctl", "s", [](const Pair& pair) { return pair.verified.wall_seconds; }},
    {"curl+hash", "s", [](const Pair& pair) { return pair.curl_then_hash.wall_seconds; }},
    {"ratio", "", wall_ratio},
    {"curl", "s", [](const Pair& pair) { return pair.curl.wall_seconds; }},
    {"ratio", "", [](const Pair& pair) { return pair.verified.wall_seconds / pair.curl.wall_seconds; }},
    {"cpu ark", "s", [](const Pair& pair) { return pair.verified.cpu_seconds; }},
    {"cpu c+h", "s", [](const Pair& pair) { return pair.curl_then_hash.cpu_seconds; }},
    {"cpu curl", "s", [](const Pair& pair) { return pair.curl.cpu_seconds; }},
    {"peak ark", "MiB", peak},
    {"peak curl", "MiB", [](const Pair& pair) { return mebibytes(pair.curl.peak_bytes); }},
};

double median_of(const std::vector<Pair>& pairs, double (*value)(const Pair&)) {
  std::vector<double> values;
  values.reserve(pairs.size());
  for (const auto& pair : pairs) values.push_back(value(pair));
  return median(std::move(values));
}

}  // namespace

double median(std::vector<double> values) {
  ensure(!values.empty(), "a median is of something");
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<Promise> promises(const std::vector<Pair>& pairs) {
  return {
      {"verified download, wall against curl then openssl", "", 0.65, median_of(pairs, wall_ratio)},
      {"peak memory of arkvoryctl", " MiB", 24, median_of(pairs, peak)},
  };
}

std::string table(const std::vector<Pair>& pairs) {
  std::string text = fmt::format("{:>6}", "pair");
  for (const auto& column : kColumns) text += fmt::format("  {:>10}", column.title);
  text += fmt::format("\n{:>6}", "");
  for (const auto& column : kColumns) text += fmt::format("  {:>10}", column.unit);
  text += '\n';
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    text += fmt::format("{:>6}", i + 1);
    for (const auto& column : kColumns) text += fmt::format("  {:>10.3f}", column.value(pairs[i]));
    text += '\n';
  }
  text += fmt::format("{:>6}", "median");
  for (const auto& column : kColumns) text += fmt::format("  {:>10.3f}", median_of(pairs, column.value));
  text += "\n\n";
  for (const auto& promise : promises(pairs)) {
    const auto* const verdict = promise.is_held() ? "held" : promise.is_far_off() ? "FAR OFF" : "missed";
    text += fmt::format("{}: {:.2f}{}, at most {:.2f}{}: {}\n", promise.name, promise.measured, promise.unit,
                        promise.limit, promise.unit, verdict);
  }
  return text;
}

}  // namespace arkvory::bench
