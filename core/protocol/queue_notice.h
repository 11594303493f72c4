// SPDX-License-Identifier: Apache-2.0
// What a waiting answer tells of the place in the queue (protocol.md §3), read leniently: junk counts as absent, and an
// answer of another server tells nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/http/headers.h"

namespace arkvory {

struct QueueNotice {
  struct Span {
    WallTime from{};
    WallTime to{};
    friend bool operator==(const Span&, const Span&) = default;
  };

  std::optional<std::uint64_t> position{};  // 1 is next
  std::optional<WallTime> starts_at{};      // the point estimate
  std::optional<Span> starts_between{};
  std::optional<WallTime> check_at{};  // when the server wants to be asked again
  std::string reason{};                // `download_queued`, `too_many_ranges`, …
  std::string download_class{};        // the class that applies

  // What the head tells.
  static QueueNotice from(const Headers& headers);
  // Adds what the problem body tells; what the head told stands.
  void add(std::string_view body);

  // It speaks of a place in a queue, and not only of being busy.
  bool is_queued() const { return position || starts_at || starts_between || reason == "download_queued"; }

  friend bool operator==(const QueueNotice&, const QueueNotice&) = default;
};

}  // namespace arkvory
