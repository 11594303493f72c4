// SPDX-License-Identifier: Apache-2.0
#include "core/base/size.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/base/wide.h"

namespace arkvory {

namespace {

// A decimal number at the front of `text`, fraction allowed, removed from it. Kept as digits and a power of ten so
// that `8MiB` is exact whatever its length.
struct Decimal {
  std::uint64_t digits = 0;
  std::uint64_t divisor = 1;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number;
  bool any = false;
  bool fraction = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !fraction && any) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    if (number.digits > (std::numeric_limits<std::uint64_t>::max() - 9) / 10) return std::nullopt;
    if (fraction && number.divisor > 1'000'000'000) return std::nullopt;
    number.digits = number.digits * 10 + static_cast<std::uint64_t>(c - '0');
    if (fraction) number.divisor *= 10;
    any = true;
  }
  if (!any || text[at - 1] == '.') return std::nullopt;
  text.remove_prefix(at);
  return number;
}

std::optional<std::uint64_t> scaled(const Decimal& number, std::uint64_t unit) {
  const auto wide = static_cast<Wide>(number.digits) * unit / number.divisor;
  if (wide > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(wide);
}

// The number of bytes in a unit such as `KiB`, `kB`, `k`, `B` or nothing.
std::optional<std::uint64_t> unit_size(std::string_view unit) {
  std::string lower;
  for (char c : unit) lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  if (lower.empty() || lower == "b") return 1;
  constexpr std::string_view prefixes = "kmgt";
  const auto power = prefixes.find(lower.front());
  if (power == std::string_view::npos) return std::nullopt;
  const auto rest = std::string_view(lower).substr(1);
  const bool binary = rest.empty() || rest == "ib";
  if (!binary && rest != "b") return std::nullopt;
  std::uint64_t size = 1;
  for (std::size_t i = 0; i <= power; ++i) size *= binary ? 1024 : 1000;
  return size;
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto number = take_decimal(text);
  if (!number) return std::nullopt;
  const auto unit = unit_size(text);
  if (!unit) return std::nullopt;
  return scaled(*number, *unit);
}

std::optional<std::uint64_t> parse_rate(std::string_view text) {
  if (text.size() > 2 && text.substr(text.size() - 2) == "/s") text.remove_suffix(2);
  return parse_size(text);
}

std::optional<Duration> parse_duration(std::string_view text) {
  using namespace std::chrono_literals;
  struct Unit {
    std::string_view name;
    Duration length;
  };
  // `ms` before `m`: the longest name that fits is meant.
  static constexpr std::array units{Unit{"ms", 1ms}, Unit{"s", 1s}, Unit{"min", 1min}, Unit{"m", 1min},
                                    Unit{"h", 1h},   Unit{"d", 24h}};
  if (text.empty()) return std::nullopt;
  Duration sum{0};
  Duration smallest_yet = Duration::max();
  while (!text.empty()) {
    const auto number = take_decimal(text);
    if (!number) return std::nullopt;
    Duration length{0};
    if (text.empty()) {
      if (smallest_yet != Duration::max()) return std::nullopt;  // `1h30`: of what?
      length = 1s;
    }
    for (const auto& unit : units) {
      if (length.count() != 0 || text.substr(0, unit.name.size()) != unit.name) continue;
      length = unit.length;
      text.remove_prefix(unit.name.size());
    }
    if (length.count() == 0 || length >= smallest_yet) return std::nullopt;
    smallest_yet = length;
    const auto part = scaled(*number, static_cast<std::uint64_t>(length.count()));
    if (!part || Duration(static_cast<Duration::rep>(*part)) > Duration::max() - sum) return std::nullopt;
    sum += Duration(static_cast<Duration::rep>(*part));
  }
  return sum;
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < kKiB) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would print as 1024.0.
  while (value >= 1023.95 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string format_rate(double bytes_per_second) {
  return format_size(static_cast<std::uint64_t>(std::max(0.0, bytes_per_second))) + "/s";
}

std::string format_duration(Duration duration) {
  using namespace std::chrono;
  const auto all = duration.count() <= 0 ? seconds(0) : ceil<seconds>(duration);
  if (all < 1min) return fmt::format("{} s", all.count());
  if (all < 1h) return fmt::format("{} min", floor<minutes>(all).count());
  if (all < 24h) return fmt::format("{} h {:02} min", floor<hours>(all).count(), floor<minutes>(all % 1h).count());
  return fmt::format("{} d {:02} h", floor<hours>(all).count() / 24, floor<hours>(all).count() % 24);
}

}  // namespace arkvory
