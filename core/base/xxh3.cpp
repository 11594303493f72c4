// SPDX-License-Identifier: Apache-2.0
#include <xxhash.h>

#include "core/base/digest.h"
#include "core/base/ensure.h"

namespace arkvory {

std::uint64_t xxh3(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct Xxh3::State {
  XXH3_state_t* raw = XXH3_createState();
  State() { ensure(raw != nullptr && XXH3_64bits_reset(raw) == XXH_OK, "XXH3 can begin"); }
  ~State() { XXH3_freeState(raw); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Xxh3::Xxh3() : state_(std::make_unique<State>()) {}
Xxh3::~Xxh3() = default;
Xxh3::Xxh3(Xxh3&&) noexcept = default;
Xxh3& Xxh3::operator=(Xxh3&&) noexcept = default;

void Xxh3::reset() { ensure(XXH3_64bits_reset(state_->raw) == XXH_OK, "XXH3 can begin"); }

void Xxh3::update(std::span<const std::byte> bytes) {
  ensure(XXH3_64bits_update(state_->raw, bytes.data(), bytes.size()) == XXH_OK, "XXH3 takes bytes");
}

std::uint64_t Xxh3::value() const { return XXH3_64bits_digest(state_->raw); }

}  // namespace arkvory
