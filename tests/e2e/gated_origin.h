// SPDX-License-Identifier: Apache-2.0
// An origin with one object that hands out its bytes as a test allows, so that a moment in the middle of a download
// lasts as long as the test needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/support/raw_origin.h"

namespace arkvory::test {

class GatedOrigin {
 public:
  // Called after each piece, with the bytes of the object that were handed out in all, from several threads.
  using Watcher = std::function<void(std::uint64_t given)>;

  // `allowed`: no more bytes than that are sent, over all answers, until `open`. A held answer stays in its middle.
  explicit GatedOrigin(std::span<const std::byte> bytes, std::uint64_t allowed = UINT64_MAX, Watcher watcher = {});
  ~GatedOrigin();
  GatedOrigin(const GatedOrigin&) = delete;
  GatedOrigin& operator=(const GatedOrigin&) = delete;

  void open();

  std::string url() const { return origin_->url("/object.bin"); }
  const RawOrigin& raw() const { return *origin_; }
  std::vector<Served> served() const { return origin_->served(); }

 private:
  struct Gate;
  std::shared_ptr<Gate> gate_;
  std::unique_ptr<RawOrigin> origin_;
};

}  // namespace arkvory::test
