// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/sweep.h"

#include <vector>

#include "core/base/size.h"
#include "server-stub/scheduler/setting_options.h"

namespace arkvory::server {

Result<Sweep> parse_sweep(std::string_view text) {
  constexpr std::uint64_t kMostValues = 100'000;
  const auto refused = [&] {
    return fail(Fault::usage, "--sweep takes a setting and a range such as sessions=1..64, not " + std::string(text));
  };
  const auto equals = text.find('=');
  const auto dots = text.find("..");
  if (equals == std::string_view::npos || dots == std::string_view::npos || dots < equals) return refused();
  const auto name = text.substr(0, equals);
  const auto from = parse_number(text.substr(equals + 1, dots - equals - 1));
  const auto to = parse_number(text.substr(dots + 2));
  if (!from || !to || *to < *from || *to - *from >= kMostValues) return refused();
  const auto* row = find_setting(name);
  if (row == nullptr || name == "bandwidth")
    return fail(Fault::usage, "--sweep: there is no setting " + std::string(name));
  return Sweep{std::string(name), *from, *to};
}

Result<void> run_sweep(const Scenario& scenario, const Sweep& sweep,
                       const std::function<bool(std::uint64_t value, const SimulationReport&)>& on_report) {
  const auto* row = find_setting(sweep.setting);
  auto varied = scenario;
  for (const auto value : {sweep.from, sweep.to})
    if (!row->read(std::to_string(value), varied.settings))
      return fail(Fault::usage,
                  "--sweep: " + sweep.setting + " takes " + row->expected + ", not " + std::to_string(value));
  for (auto value = sweep.from;; ++value) {
    row->read(std::to_string(value), varied.settings);
    if (!on_report(value, simulate(varied)) || value == sweep.to) return {};
  }
}

}  // namespace arkvory::server
