// SPDX-License-Identifier: Apache-2.0
// What the tests of one download in virtual time have in common.
#pragma once

#include <doctest/doctest.h>

#include "core/base/size.h"
#include "tests/sim/world.h"

namespace arkvory::sim {

// One process to its end, and the promises checked.
inline BatchResult run(World& world, const Job& job) {
  const auto result = world.run(job);
  REQUIRE(result);
  check_promises(world, *result);
  return *result;
}

inline Fault fault_of(const BatchResult& result) {
  REQUIRE(result.failures.size() == 1);
  return result.failures.front().fault;
}

// Of 20 MiB, in ranges of 1 MiB that take a second each.
inline Job slow_download(World& world) {
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  return job;
}

// The same, stopped by a signal two seconds after the world began.
inline Job stopped_download(World& world) {
  using namespace std::chrono_literals;
  auto job = slow_download(world);
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  return job;
}

// What a server of ours says with a 503: a place, and when to come back.
inline Headers queued(std::uint64_t position, const std::string& retry_after, const std::string& ticket = "2.a.b.c") {
  Headers headers;
  headers.add("Retry-After", retry_after);
  headers.add("Arkvory-Queue-Position", std::to_string(position));
  headers.add("Arkvory-Queue-Ticket", ticket);
  return headers;
}

inline Headers asked_back(const std::string& retry_after) {
  Headers headers;
  headers.add("Retry-After", retry_after);
  return headers;
}

inline GivenTime given(const World& world, Duration from_now) { return {"+", world.clock.wall_now() + from_now}; }

}  // namespace arkvory::sim
