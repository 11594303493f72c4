// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/request_admission.h"

#include <doctest/doctest.h>

#include <vector>

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

TEST_CASE("S2: so many are let in, the next ones wait in order and come in as slots are given back") {
  RequestAdmission admission({2, 64, 8});
  std::vector<RequestSlot> slots;
  slots.push_back(*admission.enter());
  slots.push_back(*admission.enter());
  CHECK_FALSE(admission.enter());
  const auto first = admission.wait("a", true);
  const auto second = admission.wait("b", true);
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(admission.next());
  slots.pop_back();
  CHECK_FALSE(admission.enter());  // not before those who wait
  auto next = admission.next();
  REQUIRE(next);
  CHECK(next->first == *first);
  CHECK(admission.active() == 2);
  CHECK(admission.waiting() == 1);
  admission.leave(*second);
  CHECK(admission.waiting() == 0);
}

TEST_CASE("S2: the line is bounded, and so is a principal's part of it") {
  RequestAdmission admission({1, 3, 2});
  const auto slot = admission.enter();
  const auto first = admission.wait("a", true);
  CHECK(admission.wait("a", true));
  CHECK_FALSE(admission.wait("a", true));
  CHECK(admission.wait("b", true));
  CHECK_FALSE(admission.wait("c", true));
  admission.leave(*first);
  CHECK(admission.wait("a", true));
}

TEST_CASE("S2: limits per principal don't concern anonymous") {
  RequestAdmission admission({1, 10, 1});
  const auto slot = admission.enter();
  CHECK(admission.wait("anonymous", false));
  CHECK(admission.wait("anonymous", false));
}

TEST_CASE("S2: what is told to those refused grows with the line and with how long answers take") {
  RequestAdmission admission({1, 10, 10});
  const auto slot = admission.enter();
  CHECK(admission.retry_after() == 1s);
  for (int i = 0; i < 4; ++i) CHECK(admission.wait("a", true));
  CHECK(admission.retry_after() == 5s);
  for (int i = 0; i < 100; ++i) admission.took(10s);
  CHECK(admission.retry_after() == 30s);  // never more (E3)
}
