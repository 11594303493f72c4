// SPDX-License-Identifier: Apache-2.0
// A sink that keeps all it is told, and checks the order in which it is told.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/http/transport.h"

namespace arkvory::test {

class Collector final : public ResponseSink {
 public:
  bool stops_in_head = false;
  std::optional<std::size_t> stops_after{};  // body bytes

  Flow on_head(const ResponseHead& one) override {
    CHECK_MESSAGE(!head, "one head only");
    CHECK_MESSAGE(!end, "nothing after the end");
    head = one;
    return stops_in_head ? Flow::stop : Flow::go_on;
  }

  Flow on_body(std::span<const std::byte> bytes) override {
    CHECK_MESSAGE(head.has_value(), "the head comes before the body");
    CHECK_MESSAGE(!bytes.empty(), "a piece of body has bytes");
    CHECK_MESSAGE(!end, "nothing after the end");
    body.insert(body.end(), bytes.begin(), bytes.end());
    return stops_after && body.size() >= *stops_after ? Flow::stop : Flow::go_on;
  }

  void on_end(const TransferEnd& one) override {
    CHECK_MESSAGE(!end, "one end only");
    end = one;
  }

  std::string text() const {
    std::string result;
    for (const auto byte : body) result += static_cast<char>(byte);
    return result;
  }
  EndKind kind() const {
    REQUIRE(end.has_value());
    return end->kind;
  }
  int status() const { return head ? head->status : 0; }
  bool was_told_nothing() const { return !head && body.empty() && !end; }

  std::optional<ResponseHead> head{};
  std::vector<std::byte> body{};
  std::optional<TransferEnd> end{};
};

// A request for `url`.
inline Request request_for(const std::string& url, Method method = Method::get, Headers headers = {}) {
  auto parsed = Url::parse(url);
  REQUIRE(parsed.has_value());
  Request request{std::move(*parsed), method, std::move(headers)};
  request.connect_timeout = std::chrono::seconds(10);
  return request;
}

// Waits, again and again, until `happened` or 20 s of the clock have passed; whether it happened.
inline bool wait_for(Transport& transport, const Clock& clock, const std::function<bool()>& happened) {
  const auto deadline = clock.now() + std::chrono::seconds(20);
  while (!happened() && clock.now() < deadline) transport.wait_until(deadline);
  return happened();
}

inline bool wait_for_end(Transport& transport, const Clock& clock, const Collector& sink) {
  return wait_for(transport, clock, [&] { return sink.end.has_value(); });
}

}  // namespace arkvory::test
