// SPDX-License-Identifier: Apache-2.0
// Vectors that hold a record for each of a million sessions grow by an eighth: doubling would waste as much as they
// need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace arkvory::server {

// Makes `index` one of its indices.
template <typename Value>
void grow_to_hold(std::vector<Value>& pool, std::size_t index) {
  if (index < pool.size()) return;
  if (index >= pool.capacity()) pool.reserve(std::max(index + 1, pool.capacity() + pool.capacity() / 8 + 16));
  pool.resize(index + 1);
}

}  // namespace arkvory::server
