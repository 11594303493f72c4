// SPDX-License-Identifier: Apache-2.0
#include "core/engine/farewell.h"

namespace arkvory {

Farewell::Farewell(Transport& transport, const Request& request, Instant now)
    : transport_(transport), deadline_(now + kFarewellTime), id_(transport.start(request, *this)) {}

Farewell::~Farewell() {
  if (!has_ended_) transport_.cancel(id_);
}

Flow Farewell::on_head(const ResponseHead& head) {
  status_ = head.status;
  return Flow::stop;
}

Flow Farewell::on_body(std::span<const std::byte>) { return Flow::stop; }

void Farewell::on_end(const TransferEnd&) { has_ended_ = true; }

int say_farewell(Transport& transport, const Clock& clock, const Request& request) {
  Farewell farewell(transport, request, clock.now());
  while (!farewell.is_over(clock.now())) transport.wait_until(farewell.deadline());
  return farewell.status();
}

}  // namespace arkvory
