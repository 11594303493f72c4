// SPDX-License-Identifier: Apache-2.0
// The scheduler's settings as flags and environment variables (scheduler.md, Settings): one row each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server-stub/scheduler/settings.h"

namespace arkvory::server {

inline constexpr std::uint64_t kMostWeight = 1000;

std::string_view to_string(Strategy strategy);
std::string_view to_string(BandwidthOrder order);

struct SettingRow {
  const char* flag;
  const char* variable;
  const char* value;     // what stands for it in help
  const char* meaning;   // a line of help
  const char* expected;  // goes on after "takes"
  // False where the text is none of these.
  bool (*read)(std::string_view text, SchedulerSettings& settings);
  bool is_fixed = false;  // sizes memory at the start: can't be overridden at run time
};

std::span<const SettingRow> setting_rows();
// As it is called in stored settings and scenarios: `sessionMinBytes` for `--session-min-bytes`.
std::string setting_name(const SettingRow& row);
// None where nothing is called so.
const SettingRow* find_setting(std::string_view name);

// The value of a variable; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char* variable)>;
// The values of the flags that were given, by flag.
using FlagValues = std::map<std::string, std::string, std::less<>>;

// Flags win over the environment, that over defaults; an empty variable counts as not set. Fault::usage with words that
// name the flag or the variable.
Result<SchedulerSettings> read_settings(const FlagValues& flags, const Environment& environment);

}  // namespace arkvory::server
