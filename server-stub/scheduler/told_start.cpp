// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/told_start.h"

#include <algorithm>
#include <bit>
#include <chrono>

namespace arkvory::server {
namespace {

using Hundredths = std::chrono::duration<std::int64_t, std::centi>;

constexpr Duration kFurthest = std::chrono::hours(24 * 100);

// Numbers below 2^31 with `kDigits` binary digits after the first and five of exponent; codes rise with the numbers.
template <unsigned kDigits>
struct Short {
  static constexpr unsigned kBits = kDigits + 5;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kDigits;

  static std::uint32_t rounded_down(std::uint64_t number) {
    if (number < kOne) return static_cast<std::uint32_t>(number);
    const auto shift = static_cast<unsigned>(std::bit_width(number)) - kDigits - 1;
    return ((shift + 1) << kDigits) | static_cast<std::uint32_t>((number >> shift) - kOne);
  }
  static std::uint32_t rounded_up(std::uint64_t number) {
    const auto code = rounded_down(number);
    return number_of(code) < number ? code + 1 : code;
  }
  static std::uint32_t nearest(std::uint64_t number) {
    const auto code = rounded_down(number);
    return number - number_of(code) > number_of(code + 1) - number ? code + 1 : code;
  }
  static std::uint64_t number_of(std::uint32_t code) {
    const auto exponent = code >> kDigits;
    const auto digits = code & (kOne - 1);
    return exponent == 0 ? digits : (kOne + digits) << (exponent - 1);
  }
};

using Point = Short<9>;
using Side = Short<4>;
static_assert(Point::kBits + 2 * Side::kBits == 32);

std::uint64_t hundredths(Duration time) {
  return static_cast<std::uint64_t>(std::chrono::floor<Hundredths>(std::max(time, Duration(0))).count());
}

std::uint64_t between(std::uint64_t low, std::uint64_t high) { return high - std::min(low, high); }

}  // namespace

void ToldStart::keep(const StartEstimate& told, Duration waited) {
  if (is_known() || waited + std::max(told.point, told.to) > kFurthest) return;
  const auto point = Point::nearest(hundredths(waited + told.point));
  const auto kept = Point::number_of(point);
  const auto earlier = Side::rounded_up(between(hundredths(waited + told.from), kept));
  const auto later = Side::rounded_up(between(kept, hundredths(waited + told.to)));
  code_ = point << (2 * Side::kBits) | earlier << Side::kBits | later;
}

std::optional<ToldStart::Error> ToldStart::error(Duration wait) const {
  if (!is_known()) return std::nullopt;
  constexpr std::uint32_t kSide = (1U << Side::kBits) - 1;
  const auto point = Point::number_of(code_ >> (2 * Side::kBits));
  const auto earlier = Side::number_of((code_ >> Side::kBits) & kSide);
  const auto later = Side::number_of(code_ & kSide);
  const auto started = hundredths(wait);
  const bool is_inside = started + earlier >= point && started <= point + later;
  return Error{Hundredths(static_cast<std::int64_t>(between(point, started) + between(started, point))), is_inside};
}

}  // namespace arkvory::server
