// SPDX-License-Identifier: Apache-2.0
// A KeyStore that ends with the process: for a server without a state folder, and for tests.
#pragma once

#include <mutex>

#include "server-stub/store/key_store.h"

namespace arkvory::server {

class MemoryStore final : public KeyStore {
 public:
  Result<TicketKey> ticket_key() override { return key_; }
  Result<void> note_issued(WallTime time) override {
    const std::lock_guard lock(mutex_);
    issued_ = std::chrono::floor<std::chrono::milliseconds>(time);
    return {};
  }
  Result<std::optional<WallTime>> last_issued() override {
    const std::lock_guard lock(mutex_);
    return issued_;
  }

 private:
  const TicketKey key_ = TicketKey::fresh();
  std::mutex mutex_;
  std::optional<WallTime> issued_{};
};

}  // namespace arkvory::server
