// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/operator_routes.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/rfc3339.h"
#include "core/http/percent.h"
#include "server-stub/http/operator_access.h"
#include "server-stub/http/target.h"
#include "server-stub/scheduler/setting_json.h"

namespace arkvory::server {
namespace {

constexpr std::string_view kApi = "/api/v1/system/downloads/";
constexpr std::string_view kSettings = "settings";
constexpr std::string_view kQueue = "queue";
constexpr std::string_view kAccounts = "accounts/";
constexpr std::string_view kAllowed = "GET, HEAD, PUT";
// What the store can count up from.
constexpr std::uint64_t kMostRevisions = std::uint64_t{1} << 53U;

Answer no_such_call() { return refusal(404, "not_found", "there is no such thing here"); }

Answer wrong_body(const JsonFault& wrong) {
  return refusal(400, "invalid_request", (wrong.pointer.empty() ? "the body " : "it ") + wrong.words, wrong.pointer);
}

// The keys of a change; both are needed.
std::uint64_t take_change(const JsonPart& body, std::string_view other, std::string_view takes) {
  const std::array<std::string_view, 2> keys{"expectedRevision", other};
  body.only_has(keys);
  if (!body.has("expectedRevision"))
    throw JsonFault{"/expectedRevision", "is needed, the revision that the change is made to"};
  if (const std::string key(other); !body.has(key)) throw JsonFault{"/" + key, "is needed, " + std::string(takes)};
  return body.at("expectedRevision").number(0, kMostRevisions);
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace

std::optional<OperatorRouted> route_operator(const Request& request, const ControlKeys& keys) {
  using Routed = OperatorRouted;
  auto path = path_of(request.target);
  if (!path.starts_with(kApi)) return std::nullopt;
  auto who = operator_of(request, keys);
  if (auto* refused = std::get_if<Answer>(&who)) return Routed(std::move(*refused));
  path.remove_prefix(kApi.size());
  OperatorRequest asked;
  asked.who = std::get<std::string>(std::move(who));
  asked.is_change = request.method == "PUT";
  if (path.starts_with(kAccounts)) {
    auto name = percent_decoded(path.substr(kAccounts.size()));
    if (!name || name->empty()) return Routed(no_such_call());
    asked.call = OperatorCall::account;
    asked.account = std::move(*name);
  } else if (path != kSettings && path != kQueue) {
    return Routed(no_such_call());
  }
  const bool is_looked_at = request.method == "GET" || request.method == "HEAD";
  if (path == kQueue) return is_looked_at ? Routed(QueueViewRequest{}) : Routed(method_not_allowed("GET, HEAD"));
  if (!asked.is_change && !is_looked_at) return Routed(method_not_allowed(std::string(kAllowed)));
  return Routed(std::move(asked));
}

bool needs_body(const Request& request, const ControlKeys& keys) {
  const auto routed = route_operator(request, keys);
  const auto* asked = routed ? std::get_if<OperatorRequest>(&*routed) : nullptr;
  return asked != nullptr && asked->is_change;
}

std::variant<Answer, SettingsChange> read_settings_change(std::string_view body, const SchedulerSettings& environment) {
  try {
    const auto json = parse_written_json(body);
    const JsonPart document{json, ""};
    const auto expected = take_change(document, "overrides", "an object; {} returns to the environment's values");
    const auto overrides = document.at("overrides");
    static_cast<void>(overridden(environment, overrides, Reading::strict));
    return SettingsChange{expected, overrides.json.dump()};
  } catch (const JsonFault& wrong) {
    return wrong_body(wrong);
  }
}

std::variant<Answer, AccountChange> read_account_change(std::string_view body) {
  constexpr const char* kTakes = "interactive, release, bulk, background or null for that of the principals file";
  try {
    const auto json = parse_written_json(body);
    const JsonPart document{json, ""};
    AccountChange change;
    change.expected_revision = take_change(document, "class", kTakes);
    if (document.at("class").json.is_null()) return change;
    change.own_class = read_written(document.at("class"), parse_download_class, kTakes);
    return change;
  } catch (const JsonFault& wrong) {
    return wrong_body(wrong);
  }
}

Answer json_answer(std::string json) {
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", "application/json");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = std::move(json) + "\n";
  return answer;
}

Answer revision_mismatch(std::uint64_t current) {
  Problem problem;
  problem.status = 409;
  problem.title = reason_phrase(409);
  problem.code = "revision_mismatch";
  problem.detail = "it was changed meanwhile and is of revision " + std::to_string(current) + " now";
  problem.revision = current;
  return refusal(std::move(problem));
}

Answer no_such_account() { return refusal(404, "not_found", "the principals file has no service of this name"); }

Answer account_answer(const Principal& in_file, const AccountRecord& stored) {
  const bool is_stored = stored.revision > 0;
  const nlohmann::ordered_json body{
      {"name", in_file.name},
      {"class", to_string(stored.own_class.value_or(in_file.own_class))},
      {"fileClass", to_string(in_file.own_class)},
      {"revision", stored.revision},
      {"updatedBy", text_or_null(stored.updated_by)},
      {"updatedAt", text_or_null(is_stored ? format_rfc3339(stored.updated_at) : std::string())}};
  return json_answer(body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace arkvory::server
