// SPDX-License-Identifier: Apache-2.0
// One request on its way: what was asked, what came, and how it ended. It decides nothing; its owner does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/byte_range.h"
#include "core/base/clock.h"
#include "core/engine/response_check.h"
#include "core/engine/route.h"
#include "core/engine/slow_range.h"
#include "core/http/transport.h"

namespace arkvory {

class Transfer;

class TransferOwner {
 public:
  virtual ~TransferOwner() = default;
  virtual Flow on_head(Transfer& transfer, const ResponseHead& head) = 0;
  virtual Flow on_body(Transfer& transfer, std::span<const std::byte> bytes) = 0;
};

class Transfer final : public ResponseSink {
 public:
  Transfer(TransferOwner& owner, Question asked, const Route& way, Instant started)
      : question(std::move(asked)),
        route(way.version()),
        at_first_origin(way.is_first_origin()),
        begun(started),
        last_activity(started),
        owner_(owner) {
    if (question.range) position = question.range->begin();
  }

  const Question question;
  const std::uint64_t route;   // Route::version when it began
  const bool at_first_origin;  // it asked the origin of the first URL
  TransferId id = 0;
  std::optional<Verdict> verdict{};    // once the head has come
  std::optional<ByteRange> granted{};  // of TakeRange: the bytes that come
  std::uint64_t position = 0;          // where the next byte belongs
  std::uint64_t new_bytes = 0;         // taken, and never held before
  const Instant begun;
  Instant last_activity;
  RangePace pace{};
  std::string words{};               // the body of a refusal, at most 64 KiB
  std::optional<Error> failure{};    // of our own side while taking bytes
  std::optional<TransferEnd> end{};  // once it has ended

  bool has_ended() const { return end.has_value(); }
  // Its bytes come, or came.
  bool is_served() const {
    return verdict && (std::holds_alternative<TakeRange>(*verdict) || std::holds_alternative<TakeWhole>(*verdict));
  }
  // The bytes it still is to bring.
  std::optional<ByteRange> remaining() const {
    if (!question.range) return std::nullopt;
    return ByteRange::make(position, granted ? granted->end() : question.range->end());
  }

  Flow on_head(const ResponseHead& head) override { return owner_.on_head(*this, head); }
  Flow on_body(std::span<const std::byte> bytes) override { return owner_.on_body(*this, bytes); }
  void on_end(const TransferEnd& how) override { end = how; }

 private:
  TransferOwner& owner_;
};

}  // namespace arkvory
