// SPDX-License-Identifier: Apache-2.0
// The body of an operator's change, and the same overrides as another process may have stored them.
#include <algorithm>
#include <variant>

#include "core/protocol/problem.h"
#include "server-stub/http/live_settings.h"
#include "server-stub/http/operator_routes.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using namespace arkvory::server;

namespace {

void check(const Answer& answer) {
  ensure(answer.status == 400, "what is wrong is refused");
  const auto problem = arkvory::Problem::parse(answer.text);
  ensure(problem && !problem->detail.empty(), "and said");
  ensure(problem->field.empty() || problem->field.front() == '/', "with its place");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = arkvory::fuzz::as_text(data, size);
  const SchedulerSettings environment;
  const auto account = read_account_change(text);
  if (const auto* refused = std::get_if<Answer>(&account)) check(*refused);
  const auto change = read_settings_change(text, environment);
  if (const auto* refused = std::get_if<Answer>(&change)) check(*refused);
  const auto* accepted = std::get_if<SettingsChange>(&change);
  const std::string overrides = accepted != nullptr ? accepted->overrides : std::string(text);

  const auto understood = understand(environment, {1, overrides, "ops", {}});
  const auto& problem = understood.problem;
  ensure(accepted == nullptr || problem.empty(), "what was accepted can be used");
  ensure(std::none_of(problem.begin(), problem.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
         "a problem is one line");
  LiveSettings live(environment);
  ensure(live.take(understood), "a newer revision is taken");
  const auto shown = live.to_json();
  ensure(!shown.empty() && shown.find('\n') == std::string::npos, "all can be shown");
  const auto& in_force = live.in_force();
  ensure(in_force.seats() > 0 && in_force.reserved_seats() <= in_force.seats(), "somebody can be served");
  ensure(in_force.queue_limit == environment.queue_limit && in_force.bandwidth == environment.bandwidth,
         "what sizes memory stays");
  return 0;
}
