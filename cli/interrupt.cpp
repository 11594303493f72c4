// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>

namespace arkvory::cli {

namespace {

sigset_t caught_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    sigaction(number, nullptr, &present);
    // A blocked signal reaches a signalfd even where it is ignored.
    if (present.sa_handler != SIG_IGN) sigaddset(&set, number);
  }
  return set;
}

}  // namespace

SignalInterrupt::SignalInterrupt() {
  const auto set = caught_signals();
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ >= 0) pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalInterrupt::~SignalInterrupt() {
  release();
  if (descriptor_ >= 0) close(descriptor_);
}

int SignalInterrupt::signal() {
  if (signal_ != 0 || descriptor_ < 0) return signal_;
  signalfd_siginfo info{};
  if (read(descriptor_, &info, sizeof info) != sizeof info) return 0;
  const auto number = static_cast<int>(info.ssi_signo);
  take_echoes();
  stop_with(number);
  return signal_;
}

// timeout(1) and a shell whose terminal goes away send their signal twice, at once: to the process and to its group.
// That is one wish.
void SignalInterrupt::take_echoes() {
  constexpr int milliseconds = 50;
  pollfd ready{descriptor_, POLLIN, 0};
  signalfd_siginfo info{};
  while (poll(&ready, 1, milliseconds) == 1 && read(descriptor_, &info, sizeof info) == sizeof info) {
  }
}

void SignalInterrupt::stop_with(int number) {
  if (signal_ != 0) return;
  signal_ = number;
  release();
}

// From here on a signal does what it does to any program. One that is waiting already does it now.
void SignalInterrupt::release() {
  const auto set = caught_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void signals_become_errors() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

void die_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  // Only a signal that ends no process comes here.
  std::_Exit(128 + signal);
}

}  // namespace arkvory::cli
