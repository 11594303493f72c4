// SPDX-License-Identifier: Apache-2.0
#include "core/engine/block_check.h"

#include <doctest/doctest.h>

#include "core/engine/part_file.h"
#include "tests/sim/simulated_disk.h"
#include "tests/support/pattern.h"

using namespace arkvory;

namespace {

// A part file of two whole blocks and a rest, on disk and digested.
struct Held {
  static constexpr std::uint64_t kSize = 2 * kBlockSize + 5;

  Held() {
    part.set_object_size(kSize);
    REQUIRE(part.write(0, test::pattern(3, kSize)));
    REQUIRE(part.sync());
  }
  std::vector<std::uint64_t> damaged() {
    auto found = damaged_blocks(*file, part.synced().ranges(), part.synced().blocks(), kSize);
    REQUIRE(found);
    return *found;
  }
  void change(std::uint64_t offset) {
    std::byte byte{};
    REQUIRE(file->read_at(offset, std::span(&byte, 1)));
    byte ^= std::byte{0x55};
    REQUIRE(file->write_at(offset, std::span(&byte, 1)));
  }

  sim::SimulatedDisk disk{"/home"};
  std::shared_ptr<File> file = *disk.open_or_create("/home/out.arkvory-part", Access::owner_only);
  PartFile part{file, "/home/out.arkvory-part"};
};

}  // namespace

TEST_CASE("a block that was changed on disk is found, others are not accused") {
  Held held;
  REQUIRE(held.part.synced().blocks().size() == 3);
  CHECK(held.damaged().empty());
  held.change(kBlockSize + 100);
  CHECK(held.damaged() == std::vector<std::uint64_t>{1});
  held.change(Held::kSize - 1);
  CHECK(held.damaged() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("a block that the file is too short for counts as damaged") {
  Held held;
  REQUIRE(held.file->truncate(kBlockSize + 1));
  CHECK(held.damaged() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("blocks that are not whole within the claim, or beyond the object, are passed over") {
  Held held;
  held.change(100);
  const IntervalSet claimed{ByteRange(1, Held::kSize)};
  BlockDigests blocks = held.part.synced().blocks();
  blocks[7] = 1;
  CHECK(damaged_blocks(*held.file, claimed, blocks, Held::kSize)->empty());
}

TEST_CASE("a check goes on by pieces of any length, and ends") {
  Held held;
  held.change(kBlockSize);
  BlockCheck check(held.part.held(), held.part.synced().blocks(), Held::kSize);
  std::vector<std::byte> buffer(100'001);
  int steps = 0;
  for (; !check.is_over(); ++steps) REQUIRE(check.advance(*held.file, buffer));
  CHECK(check.damaged() == std::vector<std::uint64_t>{1});
  CHECK(steps == 2 * 84 + 1);
  CHECK(BlockCheck({}, {}, 0).is_over());
}
