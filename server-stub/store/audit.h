// SPDX-License-Identifier: Apache-2.0
// What operators changed, for those who ask later: a row for each change, none of which is ever changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace arkvory::server {

struct AuditRow {
  WallTime at{};               // to the millisecond
  std::string who;             // the name of the control key
  std::string subject;         // `settings`, or `account:` and a name
  std::uint64_t revision = 0;  // that the change made
  std::string content;         // the overrides, or the class; empty: back to the file's

  friend bool operator==(const AuditRow&, const AuditRow&) = default;
};

class Audit {
 public:
  virtual ~Audit() = default;

  // The last `most`, newest first.
  virtual Result<std::vector<AuditRow>> audit(std::size_t most) = 0;
};

}  // namespace arkvory::server
