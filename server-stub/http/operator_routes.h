// SPDX-License-Identifier: Apache-2.0
// The operator API (protocol.md §5) as functions of values: what a request asks for, what its body says, and how it is
// answered. What is stored and applied between these is OperatorDesk's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/protocol/download_class.h"
#include "server-stub/http/exchange.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/store/account_store.h"
#include "server-stub/store/control_keys.h"
#include "server-stub/store/principals.h"

namespace arkvory::server {

enum class OperatorCall { settings, account };

struct OperatorRequest {
  OperatorCall call = OperatorCall::settings;
  bool is_change = false;  // PUT, else GET or HEAD
  std::string account{};
  std::string who{};  // the name of the control key
};

// `…/queue`, which the server itself knows.
struct QueueViewRequest {};

// Nothing where the target is none of the operator API's. Refusals in this order: 404 without control keys, 401, 404,
// 405.
using OperatorRouted = std::variant<Answer, OperatorRequest, QueueViewRequest>;
std::optional<OperatorRouted> route_operator(const Request& request, const ControlKeys& keys);

// Whether the body of this request means something: of no other is it kept.
bool needs_body(const Request& request, const ControlKeys& keys);

struct SettingsChange {
  std::uint64_t expected_revision = 0;
  std::string overrides{};  // JSON
};

// `{"expectedRevision":N,"overrides":{…}}`, or 400 with the place in `field`: read strictly, against what this server
// would make of it.
std::variant<Answer, SettingsChange> read_settings_change(std::string_view body, const SchedulerSettings& environment);

struct AccountChange {
  std::uint64_t expected_revision = 0;
  std::optional<DownloadClass> own_class{};  // null: as the principals file says
};

// `{"expectedRevision":N,"class":"bulk"}`, or 400 with the place in `field`.
std::variant<Answer, AccountChange> read_account_change(std::string_view body);

// 200 with JSON that nobody keeps.
Answer json_answer(std::string json);
// 409: the change was meant for another revision than the current one.
Answer revision_mismatch(std::uint64_t current);
// 404: no service is called so.
Answer no_such_account();
// `{"name","class","fileClass","revision","updatedBy","updatedAt"}`: of a service as the principals file has it, with
// what is stored of it.
Answer account_answer(const Principal& in_file, const AccountRecord& stored);

}  // namespace arkvory::server
