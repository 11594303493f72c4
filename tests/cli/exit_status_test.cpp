// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_status.h"

#include <doctest/doctest.h>

#include <array>
#include <utility>

namespace arkvory::cli {

TEST_CASE("the numbers and words of the exit statuses are those of client.md") {
  const std::array<std::string_view, 16> words{"ok",      "internal",  "usage",   "wait_limit", "deadline", "network",
                                               "refused", "integrity", "locked",  "changed",    "local",    "untrusted",
                                               "auth",    "state",     "partial", "conflict"};
  const auto all = all_exit_statuses();
  REQUIRE(all.size() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(static_cast<std::size_t>(all[i]) == i);
    CHECK(word(all[i]) == words[i]);
    CHECK(!meaning(all[i]).empty());
  }
}

TEST_CASE("each fault ends with its status") {
  const std::array<std::pair<Fault, int>, 16> table{{{Fault::internal, 1},
                                                     {Fault::usage, 2},
                                                     {Fault::wait_limit, 3},
                                                     {Fault::deadline, 4},
                                                     {Fault::busy, 5},
                                                     {Fault::weather, 5},
                                                     {Fault::network, 5},
                                                     {Fault::refused, 6},
                                                     {Fault::integrity, 7},
                                                     {Fault::locked, 8},
                                                     {Fault::changed, 9},
                                                     {Fault::local, 10},
                                                     {Fault::untrusted, 11},
                                                     {Fault::auth, 12},
                                                     {Fault::state, 13},
                                                     {Fault::conflict, 15}}};
  for (const auto& [fault, number] : table) {
    CAPTURE(to_string(fault));
    REQUIRE(exit_status(fault));
    CHECK(static_cast<int>(*exit_status(fault)) == number);
    CHECK(ending_of({.error = Error{fault, "x"}}).number == number);
  }
  CHECK(!exit_status(Fault::interrupted));
}

TEST_CASE("an interrupted download ends with 128 and the signal's number") {
  const auto ending = ending_of({.error = Error{Fault::interrupted, "x"}, .signal = 15});
  CHECK(ending.number == 143);
  CHECK(ending.word == "signal");
}

TEST_CASE("failures that are alike end with their own status, different ones with partial (E8)") {
  const auto sum = [](std::vector<Fault> faults) { return combined(faults); };
  CHECK(sum({}) == ExitStatus::ok);
  CHECK(sum({Fault::refused}) == ExitStatus::refused);
  CHECK(sum({Fault::refused, Fault::refused}) == ExitStatus::refused);
  CHECK(sum({Fault::refused, Fault::wait_limit}) == ExitStatus::partial);
  // Three faults, one status.
  CHECK(sum({Fault::busy, Fault::weather, Fault::network}) == ExitStatus::network);
  CHECK(sum({Fault::interrupted, Fault::local}) == ExitStatus::local);
}

}  // namespace arkvory::cli
