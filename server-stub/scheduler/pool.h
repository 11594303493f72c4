// SPDX-License-Identifier: Apache-2.0
// Where records of a million sessions are kept: nothing here grows by doubling, which would waste as much as they need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace arkvory::server {

// Makes room for one more, an eighth at a time.
template <typename Value>
void make_room(std::vector<Value>& pool) {
  if (pool.size() == pool.capacity()) pool.reserve(pool.size() + pool.size() / 8 + 4);
}

// Makes `index` one of its indices.
template <typename Value>
void grow_to_hold(std::vector<Value>& pool, std::size_t index) {
  if (index < pool.size()) return;
  if (index >= pool.capacity()) pool.reserve(std::max(index + 1, pool.capacity() + pool.capacity() / 8 + 16));
  pool.resize(index + 1);
}

// Large records, in chunks: none is ever moved, so that growing copies nothing.
template <typename Record>
class RecordPool {
 public:
  Record& operator[](std::size_t index) { return chunks_[index / kChunk][index % kChunk]; }
  const Record& operator[](std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }
  std::size_t size() const { return size_; }
  // One more, at the end.
  void grow() {
    if (size_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique<Record[]>(kChunk));
    ++size_;
  }

 private:
  static constexpr std::size_t kChunk = 256;
  std::vector<std::unique_ptr<Record[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace arkvory::server
