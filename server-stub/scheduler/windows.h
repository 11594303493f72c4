// SPDX-License-Identifier: Apache-2.0
// When a class may begin sessions (W1): hours of the day in a zone of the IANA database, with its daylight saving.
//
// A window is [from, to) of local wall time; one over midnight belongs to the day it starts (Exactly 8). An hour that
// does not exist is skipped, one that exists twice counts twice.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/protocol/download_class.h"

namespace date {
class time_zone;
}

namespace arkvory::server {

struct Window {
  std::array<bool, 7> days{};           // from Monday; the days on which it starts
  std::chrono::minutes from{0};         // of the day, below 24 h
  std::chrono::minutes to{0};           // up to 24 h; not after `from`: of the next day
  std::string zone = "UTC";             // IANA name
  std::uint32_t outside_share_ppm = 0;  // of the rate, in millionths: what its sessions get together outside of it

  friend bool operator==(const Window&, const Window&) = default;
};

class ClassWindows {
 public:
  using ByClass = std::array<std::vector<Window>, kDownloadClassNames.size()>;

  // None for any class: all are open at any time.
  ClassWindows() = default;
  // Fault::usage for a zone that the system does not know; the words name it. Reads the zones' files.
  static Result<ClassWindows> make(ByClass windows);

  bool has_any(DownloadClass name) const;
  std::vector<Window> windows(DownloadClass name) const;
  // Whether the class is inside one of its windows, or has none.
  bool is_open(DownloadClass name, WallTime at) const;
  // The next moment after `after` at which is_open changes; none where it never does within the next 400 days.
  std::optional<WallTime> next_change(DownloadClass name, WallTime after) const;
  // Millionths of the rate for sessions that begin outside; of several windows the most. 0: none begins there.
  std::uint32_t outside_share_ppm(DownloadClass name) const;

 private:
  struct Known {
    Window window;
    const date::time_zone* zone;
  };
  // From a moment up to the next change, all is the same: what was asked for last is kept, for a replay asks again and
  // again.
  struct Stretch {
    WallTime begin;
    WallTime end;  // of what is known
    std::optional<WallTime> next_change;
    bool is_open;
  };
  static constexpr std::size_t kKept = 16;
  struct OfClass {
    std::vector<Known> windows{};
    mutable std::vector<Stretch> kept{};
    mutable std::size_t oldest = 0;
  };
  const OfClass& of(DownloadClass name) const { return classes_[static_cast<std::size_t>(name)]; }
  static bool is_inside_any(const OfClass& all, WallTime at);
  static const Stretch& stretch_at(const OfClass& all, WallTime at);

  std::array<OfClass, kDownloadClassNames.size()> classes_{};
};

// `mon-sun`, `mon,wed,fri`, `sat-mon`; none where it is not of that form.
std::optional<std::array<bool, 7>> parse_days(std::string_view text);
std::string format_days(const std::array<bool, 7>& days);  // as `parse_days` takes it; `mon-sun` for all
// `22:00`; `24:00` is only an end.
std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text);
std::string format_time_of_day(std::chrono::minutes time);

}  // namespace arkvory::server
