// SPDX-License-Identifier: Apache-2.0
// One case from its beginning to its line in the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/hostile/case.h"
#include "tests/hostile/clients.h"
#include "tests/hostile/judge.h"

namespace arkvory::hostile {

struct Line {
  Verdict verdict{};
  std::string exit = "-";
  std::size_t requests = 0;
  std::uint64_t bytes = 0;
  double time = 0;
  std::string requests_seen{};  // a line each
};

Line perform(const Case& one, const Client& client);

}  // namespace arkvory::hostile
