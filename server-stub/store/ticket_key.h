// SPDX-License-Identifier: Apache-2.0
// The key that tickets are signed with (protocol.md §4). It has no formatter and no `<<`: whoever has it can forge a
// place in the queue.
#pragma once

#include <array>
#include <cstddef>

namespace arkvory::server {

class TicketKey {
 public:
  using Bytes = std::array<std::byte, 32>;

  explicit TicketKey(const Bytes& bytes) : bytes_(bytes) {}
  // A new one, from the system's generator.
  static TicketKey fresh();

  // For the signer and the store, and nobody else.
  const Bytes& reveal() const { return bytes_; }
  friend bool operator==(const TicketKey&, const TicketKey&) = default;

 private:
  Bytes bytes_;
};

}  // namespace arkvory::server
