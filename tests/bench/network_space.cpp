// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/network_space.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::bench {

namespace {

constexpr const char* kOwnNamespace = "/proc/thread-self/ns/net";

}  // namespace

Error system_failure(const char* what) { return {Fault::local, what, std::generic_category().message(errno)}; }

Result<NetworkSpace> NetworkSpace::make() {
  Descriptor home(open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
  if (!home.is_open()) return pass_on(system_failure("there are no network namespaces"));
  if (unshare(CLONE_NEWNET) != 0) return pass_on(system_failure("no network namespace can be made"));
  Descriptor place(open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
  ensure(setns(home.number(), CLONE_NEWNET) == 0, "who has left a namespace can go back");
  if (!place.is_open()) return pass_on(system_failure("the network namespace can't be opened"));
  return NetworkSpace(std::move(home), std::move(place));
}

std::string NetworkSpace::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), place_.number()); }

NetworkSpace::Visit::Visit(const NetworkSpace& space) : home_(space.home_.number()) {
  ensure(setns(space.place_.number(), CLONE_NEWNET) == 0, "a namespace of ours can be entered");
}

NetworkSpace::Visit::~Visit() { static_cast<void>(setns(home_, CLONE_NEWNET)); }

}  // namespace arkvory::bench
