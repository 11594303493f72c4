// SPDX-License-Identifier: Apache-2.0
// The user's wish to stop, as signals tell it.
#pragma once

#include "core/engine/interrupt.h"

namespace arkvory::cli {

// Catches INT, TERM and HUP, except those that were ignored when the program began (nohup). Must be made before any
// other thread. After the first signal was asked for, a second one ends the program at once, as if never caught.
class SignalInterrupt final : public Interrupt {
 public:
  SignalInterrupt();
  ~SignalInterrupt() override;
  SignalInterrupt(const SignalInterrupt&) = delete;
  SignalInterrupt& operator=(const SignalInterrupt&) = delete;

  int signal() override;
  // Readable once a signal has come; -1 where the system gives none.
  int descriptor() const { return descriptor_; }
  // Stops as if this signal had come.
  void stop_with(int number);

 private:
  void take_echoes();
  void release();

  int descriptor_ = -1;
  int signal_ = 0;
};

// SIGPIPE and SIGXFSZ (a file-size limit) become errors of the write that meets them.
void signals_become_errors();

// Ends the process by a signal, so that a shell sees 128+n.
[[noreturn]] void die_by(int signal);

}  // namespace arkvory::cli
