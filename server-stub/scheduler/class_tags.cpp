// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/class_tags.h"

#include <algorithm>

namespace arkvory::server {

ClassTags::ClassTags(const Weights& weights) { scale(weights); }

void ClassTags::scale(const Weights& weights) {
  unit_ = 1;
  for (const auto weight : weights) unit_ *= weight;
  for (std::size_t i = 0; i < kClasses; ++i) scale_[i] = static_cast<std::uint64_t>(unit_ / weights[i]);
}

void ClassTags::change(const Weights& weights) {
  const auto unit = unit_;
  scale(weights);
  const auto convert = [&](Tag tag) { return tag / unit * unit_ + tag % unit * unit_ / unit; };
  greatest_ = convert(greatest_);
  for (auto& given : given_) given = convert(given);
}

void ClassTags::grant(std::size_t in, std::uint64_t before, std::uint64_t bytes) {
  greatest_ = std::max(greatest_, tag(in, before, bytes));
  charge(in, bytes);
}

void ClassTags::give_back(std::size_t in, std::uint64_t bytes) {
  given_[in] -= std::min(given_[in], 2 * static_cast<Wide>(bytes) * scale_[in]);
}

void ClassTags::charge(std::size_t in, std::uint64_t bytes) { given_[in] += 2 * static_cast<Wide>(bytes) * scale_[in]; }

void ClassTags::restart(std::size_t in) { given_[in] = std::max(given_[in], greatest_); }

}  // namespace arkvory::server
