// SPDX-License-Identifier: Apache-2.0
// The scheduler's settings in JSON (scheduler.md, Settings): as overrides and scenarios state them, and as they are
// shown. The one place where settings are read from JSON; names and ranges are those of setting_options.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "core/protocol/written_json.h"
#include "server-stub/scheduler/settings.h"

namespace arkvory::server {

enum class Reading {
  strict,   // a key that is unknown is wrong
  lenient,  // it is skipped: a newer version wrote it
};

// Takes the settings that the object has into `settings`. `known` are the names that mean something there. Throws
// JsonFault where a known one is out of range.
void take_settings(const JsonPart& part, std::span<const std::string_view> known, Reading reading,
                   SchedulerSettings& settings);

// The settings in force with these overrides over what flags and environment say. Throws JsonFault, also for a setting
// that sizes memory at the start, in either reading.
//
// Fewer sessions lower the reserve and the share of a principal to fit; where one of these is itself among the
// overrides, a strict reading refuses it instead.
SchedulerSettings overridden(const SchedulerSettings& environment, const JsonPart& overrides, Reading reading);

// All settings, by their names; sizes and rates in bytes, what is unlimited as null. Of those that depend on others -
// sessions, reserve - the number that counts.
nlohmann::ordered_json settings_json(const SchedulerSettings& settings);

}  // namespace arkvory::server
