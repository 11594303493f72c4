// SPDX-License-Identifier: Apache-2.0
// Telling a server that a download is over, so that its seat is free at once. It is a courtesy: how it ends is of no
// consequence, and it is given up after a few seconds.
#pragma once

#include "core/base/clock.h"
#include "core/http/transport.h"

namespace arkvory {

// The most that a farewell may take.
inline constexpr Duration kFarewellTime = std::chrono::seconds(3);

class Farewell final : public ResponseSink {
 public:
  // Begins to tell. The transport must outlive it; destruction gives up.
  Farewell(Transport& transport, const Request& request, Instant now);
  ~Farewell() override;
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

  // There was no time for it before: what it may take is counted from now.
  void wait_from(Instant now) { deadline_ = now + kFarewellTime; }
  Instant deadline() const { return deadline_; }
  bool is_over(Instant now) const { return has_ended_ || now >= deadline_; }
  // The status that was answered; 0 for none.
  int status() const { return status_; }

  Flow on_head(const ResponseHead& head) override;
  Flow on_body(std::span<const std::byte> bytes) override;
  void on_end(const TransferEnd& end) override;

 private:
  Transport& transport_;
  Instant deadline_;
  TransferId id_ = 0;
  bool has_ended_ = false;
  int status_ = 0;
};

// The same for a program that does nothing else: returns when it is over. The answer's status, or 0.
int say_farewell(Transport& transport, const Clock& clock, const Request& request);

}  // namespace arkvory
