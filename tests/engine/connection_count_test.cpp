// SPDX-License-Identifier: Apache-2.0
#include "core/engine/connection_count.h"

#include <doctest/doctest.h>

using namespace arkvory;

TEST_CASE("what the server says of too many connections counts for good, down to one") {
  ConnectionCount count(3);
  CHECK(count.lower_for_good());
  CHECK(count.lower_for_good());
  CHECK_FALSE(count.lower_for_good());
  for (int i = 0; i < 10'000; ++i) count.served();
  CHECK(count.now() == 1);
}

TEST_CASE("after a fault one connection fewer, until some ranges have come; then twice as many where it fails again") {
  ConnectionCount count(4);
  CHECK(count.lower_for_now());
  for (int i = 0; i < 3; ++i) count.served();
  CHECK(count.now() == 3);
  count.served();
  CHECK(count.now() == 4);
  CHECK(count.lower_for_now());
  for (int i = 0; i < 7; ++i) count.served();
  CHECK(count.now() == 3);
  count.served();
  CHECK(count.now() == 4);
}

TEST_CASE("lowered to what is of use, never below one, and never raised by that") {
  ConnectionCount count(16);
  count.lower_to(20);
  CHECK(count.now() == 16);
  count.lower_to(2);
  CHECK(count.now() == 2);
  count.lower_to(0);
  CHECK(count.now() == 1);
  for (int i = 0; i < 4; ++i) count.served();
  CHECK(count.now() == 2);
}

TEST_CASE("never more than allowed, never fewer than one") {
  ConnectionCount count(1);
  CHECK_FALSE(count.lower_for_now());
  for (int i = 0; i < 100; ++i) count.served();
  CHECK(count.now() == 1);
}
