// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/gated_origin.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/size.h"
#include "tests/support/object_answer.h"

namespace arkvory::test {

namespace {

constexpr std::uint64_t kPiece = 64 * kKiB;

}  // namespace

struct GatedOrigin::Gate {
  std::span<const std::byte> bytes;
  std::uint64_t allowed;
  Watcher watcher;
  std::mutex mutex{};
  std::condition_variable opened{};
  std::uint64_t given = 0;

  // Waits until something may be sent; how much of `wanted`.
  std::uint64_t take(std::uint64_t wanted) {
    std::unique_lock lock(mutex);
    opened.wait(lock, [this] { return given < allowed; });
    const auto taken = std::min({wanted, kPiece, allowed - given});
    given += taken;
    return taken;
  }

  void answer(const RawRequest& request, RawConnection& connection) {
    const ObjectFacts facts{.size = bytes.size(), .etag = "\"gated\""};
    const auto head = answer_for(facts, request.method, request.headers);
    connection.send_head(head.status, head.headers);
    if (!head.bytes) return;
    auto left = bytes.subspan(head.bytes->begin(), head.bytes->length());
    while (!left.empty() && connection.is_open()) {
      const auto count = take(left.size());
      connection.send(left.first(count));
      left = left.subspan(count);
      if (watcher) watcher(given_so_far());
    }
  }

  std::uint64_t given_so_far() {
    const std::lock_guard lock(mutex);
    return given;
  }

  void open() {
    {
      const std::lock_guard lock(mutex);
      allowed = UINT64_MAX;
    }
    opened.notify_all();
  }
};

GatedOrigin::GatedOrigin(std::span<const std::byte> bytes, std::uint64_t allowed, Watcher watcher)
    : gate_(std::make_shared<Gate>(bytes, allowed, std::move(watcher))),
      origin_(std::make_unique<RawOrigin>([gate = gate_](const RawRequest& request, RawConnection& connection) {
        gate->answer(request, connection);
      })) {}

// A held answer must not keep the origin from stopping.
GatedOrigin::~GatedOrigin() { open(); }

void GatedOrigin::open() { gate_->open(); }

}  // namespace arkvory::test
