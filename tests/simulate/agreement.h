// SPDX-License-Identifier: Apache-2.0
// The simulator and the second one, compared event by event.
#pragma once

#include <optional>
#include <string>

#include "server-stub/simulate/scenario.h"

namespace arkvory::server {

// The first event in which the two differ, with some of what came before; none where they agree.
std::optional<std::string> difference(const Scenario& scenario, std::size_t before = 0);

// The first line after an event in which anyone has not the same place or the same bytes ahead; none where they agree.
// `compared` grows by the lines that are equal.
std::optional<std::string> line_difference(const Scenario& scenario, std::size_t& compared);

// The first answer whose estimate is not the same to the millisecond (E1); none where they agree. `compared` grows by
// the estimates that are equal.
std::optional<std::string> estimate_difference(const Scenario& scenario, std::size_t& compared);

}  // namespace arkvory::server
