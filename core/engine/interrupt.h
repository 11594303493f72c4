// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace arkvory {

// Tells whether the user asked the run to stop: the signal's number, or 0.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  virtual int signal() = 0;
};

}  // namespace arkvory
