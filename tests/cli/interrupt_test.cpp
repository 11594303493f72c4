// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace arkvory::cli {

namespace {

// How a child that does this ends. It has no thread but its own.
int end_of_child(const std::function<void()>& deed) {
  const auto child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The test's own handlers would report an end that is meant.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
    deed();
    _exit(99);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

bool is_readable(int descriptor) {
  pollfd ready{descriptor, POLLIN, 0};
  return poll(&ready, 1, 0) == 1;
}

}  // namespace

TEST_CASE("a signal makes the descriptor readable and is told from then on") {
  const auto status = end_of_child([] {
    SignalInterrupt interrupt;
    if (interrupt.signal() != 0 || is_readable(interrupt.descriptor())) _exit(1);
    raise(SIGTERM);
    if (!is_readable(interrupt.descriptor())) _exit(2);
    if (interrupt.signal() != SIGTERM || interrupt.signal() != SIGTERM) _exit(3);
    _exit(0);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a second signal ends the program at once") {
  const auto status = end_of_child([] {
    SignalInterrupt interrupt;
    raise(SIGINT);
    if (interrupt.signal() != SIGINT) _exit(1);
    raise(SIGTERM);
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("a signal that was ignored when the program began stays ignored") {
  const auto status = end_of_child([] {
    ::signal(SIGHUP, SIG_IGN);
    SignalInterrupt interrupt;
    raise(SIGHUP);
    _exit(interrupt.signal() == 0 ? 0 : 1);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("dying by a signal looks to a shell as if it had never been caught") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const auto status = end_of_child([number] {
      SignalInterrupt interrupt;
      signals_become_errors();
      die_by(number);
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
  }
}

}  // namespace arkvory::cli
