// SPDX-License-Identifier: Apache-2.0
// The rows of hostile-cases.md, by their letters. Several guises of one row are A4a, A4b and so on.
#pragma once

#include <vector>

#include "tests/hostile/case.h"

namespace arkvory::hostile {

std::vector<Case> busy_cases();        // A
std::vector<Case> time_cases();        // A, where clocks or processes are meddled with
std::vector<Case> range_cases();       // B, what is asked of ranges
std::vector<Case> validator_cases();   // B, validators, sizes and encodings
std::vector<Case> body_cases();        // C, bodies and heads on the wire
std::vector<Case> connection_cases();  // C, connections, TLS and HTTP/2
std::vector<Case> network_cases();     // C, names and routes, in namespaces of their own
std::vector<Case> route_cases();       // D
std::vector<Case> local_cases();       // E
std::vector<Case> disk_cases();        // E, disks and targets that fail

// All of them, in the order of the page.
std::vector<Case> all_cases();

}  // namespace arkvory::hostile
