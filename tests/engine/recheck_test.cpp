// SPDX-License-Identifier: Apache-2.0
#include "core/engine/recheck.h"

#include <doctest/doctest.h>

#include "core/base/size.h"

using namespace arkvory;

namespace {

constexpr std::uint64_t kSize = 20 * kMiB;

}  // namespace

TEST_CASE("a recheck asks for what is wanted and for nothing else, and is over when that has come") {
  Recheck recheck(Recheck::Purpose::identity, {ByteRange(10, 20), ByteRange(kSize - 5, kSize)}, kSize);
  CHECK(recheck.settled().first_gap(0, kSize) == ByteRange(10, 20));
  CHECK_FALSE(recheck.is_over());
  recheck.came(ByteRange(10, 20));
  CHECK(recheck.settled().first_gap(0, kSize) == ByteRange(kSize - 5, kSize));
  recheck.came(ByteRange(kSize - 5, kSize));
  CHECK(recheck.is_over());
  recheck.begin_again();
  CHECK_FALSE(recheck.is_over());
}

TEST_CASE("answers are held against the size alone, and the names of those that agreed are noted") {
  Recheck recheck(Recheck::Purpose::repair, {ByteRange(0, kSize)}, kSize);
  CHECK(recheck.expected().size == kSize);
  CHECK_FALSE(recheck.expected().tag);
  RemoteObject object;
  object.tag = StrongTag::parse("\"A\"");
  recheck.agreed(object);
  CHECK(recheck.agreed().size() == 1);
}

TEST_CASE("the sample is the last 64 KiB of what is held and one complete block") {
  Rng chance(1);
  const BlockDigests complete{{0, 1}, {1, 2}};
  const auto sample = sample_of({ByteRange(0, 17 * kMiB)}, complete, kSize, chance);
  CHECK(sample.contains(ByteRange(17 * kMiB - 64 * kKiB, 17 * kMiB)));
  const bool first = sample.contains(ByteRange(0, 8 * kMiB));
  CHECK(first != sample.contains(ByteRange(8 * kMiB, 16 * kMiB)));
  CHECK(sample.total() == 8 * kMiB + 64 * kKiB);
}

TEST_CASE("a sample never leaves what is held, however little that is") {
  Rng chance(1);
  CHECK(sample_of({}, {}, kSize, chance).empty());
  CHECK(sample_of({ByteRange(5, 105)}, {}, kSize, chance) == IntervalSet{ByteRange(5, 105)});
  // The object's last block is shorter.
  const auto last = sample_of({ByteRange(16 * kMiB, kSize)}, {{2, 1}}, kSize, chance);
  CHECK(last == IntervalSet{ByteRange(16 * kMiB, kSize)});
}
