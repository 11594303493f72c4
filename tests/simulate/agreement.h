// SPDX-License-Identifier: Apache-2.0
// The simulator and the second one, compared event by event.
#pragma once

#include <optional>
#include <string>

#include "server-stub/simulate/scenario.h"

namespace arkvory::server {

// The first event in which the two differ, with some of what came before; none where they agree.
std::optional<std::string> difference(const Scenario& scenario, std::size_t before = 0);

}  // namespace arkvory::server
