// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/counted_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> now{0};
std::atomic<std::int64_t> peak{0};

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const auto bytes = static_cast<std::int64_t>(malloc_usable_size(memory));
  const auto sum = now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto most = peak.load(std::memory_order_relaxed);
  while (sum > most && !peak.compare_exchange_weak(most, sum, std::memory_order_relaxed)) {
  }
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  now.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace arkvory::bench {

std::int64_t allocated_now() { return now.load(); }

std::int64_t peak_allocated() { return peak.exchange(now.load()); }

}  // namespace arkvory::bench
