// SPDX-License-Identifier: Apache-2.0
// A network namespace without a name: it and its devices go when nobody is in it any more, however this program ends.
#pragma once

#include <string>

#include "core/base/descriptor.h"
#include "core/base/result.h"

namespace arkvory::bench {

class NetworkSpace {
 public:
  // Fault::local where this process may not make one. This thread stays where it is.
  static Result<NetworkSpace> make();

  // While it lives, the thread that made it is in there, and so is every program that it starts.
  class Visit {
   public:
    explicit Visit(const NetworkSpace& space);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    int home_;
  };
  Visit visit() const { return Visit(*this); }
  // As ip(8) may name it while this program runs.
  std::string path() const;

 private:
  NetworkSpace(Descriptor home, Descriptor place) : home_(std::move(home)), place_(std::move(place)) {}

  Descriptor home_;
  Descriptor place_;
};

// With what errno says.
Error system_failure(const char* what);

}  // namespace arkvory::bench
