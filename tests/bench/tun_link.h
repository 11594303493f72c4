// SPDX-License-Identifier: Apache-2.0
// A long, slow and lossy link between two network namespaces of its own, for machines whose kernel has no netem: a TUN
// device at either end, and a thread that carries the packets.
#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "tests/bench/network_space.h"
#include "tests/bench/shaped_path.h"

namespace arkvory::bench {

class TunLink {
 public:
  // Fault::local where this process may not make namespaces or TUN devices, or the kernel has none.
  static Result<std::unique_ptr<TunLink>> make(const LinkNature& nature, std::uint64_t seed);
  ~TunLink();
  TunLink(const TunLink&) = delete;
  TunLink& operator=(const TunLink&) = delete;

  NetworkSpace::Visit at_server() const;
  NetworkSpace::Visit at_client() const;
  std::string server_address() const;
  std::string network() const;  // as ip(8) names it
  std::string device() const;   // at either end

  // What became of the packets so far, in words.
  std::string traffic() const;

 private:
  struct State;
  explicit TunLink(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace arkvory::bench
