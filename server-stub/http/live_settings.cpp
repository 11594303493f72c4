// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/live_settings.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/rfc3339.h"
#include "server-stub/scheduler/setting_json.h"

namespace arkvory::server {

namespace {

// Null where it is no JSON, or none that anyone should have stored.
nlohmann::ordered_json shown_overrides(const std::string& stored) {
  try {
    return parse_written_json(stored);
  } catch (const JsonFault&) {
    return nullptr;
  }
}

}  // namespace

UnderstoodSettings understand(const SchedulerSettings& environment, const SettingsRecord& record) {
  try {
    const auto json = parse_written_json(record.overrides);
    return {record, overridden(environment, {json, "/overrides"}, Reading::lenient), {}};
  } catch (const JsonFault& wrong) {
    return {record, environment,
            "the stored settings of revision " + std::to_string(record.revision) +
                " can't be used, the environment's values are in force: " + wrong.line()};
  }
}

bool LiveSettings::take(const Result<UnderstoodSettings>& stored) {
  is_store_failing_ = !stored.has_value();
  store_problem_.clear();
  if (!stored) {
    const auto kept = record_.revision == 0 ? std::string("the environment's values are")
                                            : "revision " + std::to_string(record_.revision) + " is";
    store_problem_ = "the settings can't be read, " + kept + " in force: " + stored.error().words;
    return false;
  }
  const auto& record = stored->record;
  if (record.revision < record_.revision)
    store_problem_ = "the stored settings are of revision " + std::to_string(record.revision) + ", older than " +
                     std::to_string(record_.revision) + ", which is in force until a restart";
  if (record.revision <= record_.revision) return false;
  record_ = record;
  in_force_ = stored->settings;
  record_problem_ = stored->problem;
  return true;
}

std::string LiveSettings::to_json() const {
  using Json = nlohmann::ordered_json;
  const bool is_stored = record_.revision > 0;
  const auto problem = this->problem();
  const Json body{{"revision", record_.revision},
                  {"effective", settings_json(in_force_)},
                  {"environment", settings_json(environment_)},
                  {"overrides", shown_overrides(record_.overrides)},
                  {"updatedBy", is_stored ? Json(record_.updated_by) : Json(nullptr)},
                  {"updatedAt", is_stored ? Json(format_rfc3339(record_.updated_at)) : Json(nullptr)},
                  {"admission", in_force_.strategy == Strategy::shared ? "per-request" : "session"},
                  {"problem", problem.empty() ? Json(nullptr) : Json(problem)}};
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace arkvory::server
