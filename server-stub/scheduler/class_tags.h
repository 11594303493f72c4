// SPDX-License-Identifier: Apache-2.0
// Weights are on bytes (O3, Exactly 2): what each class has been given over its weight, and the tags that follow from
// it. The session with the smallest tag is served next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/wide.h"
#include "core/protocol/download_class.h"

namespace arkvory::server {

inline constexpr std::size_t kClasses = kDownloadClassNames.size();

// In half bytes over weight, times the product of all weights: whole numbers, so that equal tags are equal.
using Tag = Wide;

class ClassTags {
 public:
  using Weights = std::array<std::uint64_t, kClasses>;

  explicit ClassTags(const Weights& weights);
  // From now on; what classes were given counts on as it did.
  void change(const Weights& weights);

  // Of a session that wants `bytes` and has `before` ahead of it in its class.
  Tag tag(std::size_t in, std::uint64_t before, std::uint64_t bytes) const {
    return given_[in] + (2 * static_cast<Wide>(before) + bytes) * scale_[in];
  }
  // F.
  Tag given(std::size_t in) const { return given_[in]; }
  // What half a byte adds to a tag.
  std::uint64_t scale(std::size_t in) const { return scale_[in]; }

  // That session has a seat now.
  void grant(std::size_t in, std::uint64_t before, std::uint64_t bytes);
  // What it did not deliver in the end; F may then fall below V.
  void give_back(std::size_t in, std::uint64_t bytes);
  // What it delivered beyond that.
  void charge(std::size_t in, std::uint64_t bytes);
  // The class was empty, or closed by its window: it banks no credit.
  void restart(std::size_t in);

 private:
  void scale(const Weights& weights);
  std::array<Tag, kClasses> given_{};
  std::array<std::uint64_t, kClasses> scale_{};
  Tag greatest_{};  // V: the greatest tag ever granted
  Wide unit_ = 1;   // the product of the weights
};

}  // namespace arkvory::server
