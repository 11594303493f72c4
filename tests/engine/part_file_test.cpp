// SPDX-License-Identifier: Apache-2.0
#include "core/engine/part_file.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>

#include "core/base/rng.h"
#include "core/engine/block_check.h"
#include "tests/sim/simulated_disk.h"

using namespace arkvory;

namespace {

constexpr const char* kPath = "/home/out.arkvory-part";

std::vector<std::byte> random_bytes(std::size_t count, std::uint64_t seed) {
  Rng chance(seed);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(chance.next());
  return bytes;
}

struct Fixture {
  sim::SimulatedDisk disk{"/home"};
  std::shared_ptr<File> file = *disk.open_or_create(kPath, Access::owner_only);
  PartFile part{file, kPath};

  void write(const std::vector<std::byte>& object, std::uint64_t begin, std::uint64_t end) {
    REQUIRE(part.write(begin, std::span(object).subspan(begin, end - begin)));
  }
};

}  // namespace

TEST_CASE("what was written is held at once, but only a sync makes it fit for a record") {
  Fixture f;
  const auto object = random_bytes(1000, 1);
  f.write(object, 0, 300);
  CHECK(f.part.held() == IntervalSet{ByteRange(0, 300)});
  CHECK(f.part.synced().ranges().empty());
  CHECK(f.part.unsynced_bytes() == 300);
  REQUIRE(f.part.sync());
  CHECK(f.part.synced().ranges() == IntervalSet{ByteRange(0, 300)});
  CHECK(f.part.unsynced_bytes() == 0);
}

TEST_CASE("after a failed sync only what the last good one covered is held (E4)") {
  Fixture f;
  const auto object = random_bytes(1000, 1);
  f.write(object, 0, 100);
  REQUIRE(f.part.sync());
  f.write(object, 100, 300);
  f.disk.on_operation(
      [](const sim::DiskOperation& operation) { return operation.action == sim::DiskAction::sync ? EIO : 0; });
  const auto synced = f.part.sync();
  REQUIRE_FALSE(synced);
  CHECK(synced.error().fault == Fault::local);
  CHECK(f.part.held() == IntervalSet{ByteRange(0, 100)});
  CHECK(f.part.synced().ranges() == IntervalSet{ByteRange(0, 100)});
}

TEST_CASE("bytes whose write failed are not held") {
  Fixture f;
  const auto object = random_bytes(1000, 1);
  f.disk.on_operation(
      [](const sim::DiskOperation& operation) { return operation.action == sim::DiskAction::write ? ENOSPC : 0; });
  CHECK_FALSE(f.part.write(0, object));
  CHECK(f.part.held().empty());
}

TEST_CASE("each complete block has the digest of its bytes, however they came") {
  const std::uint64_t size = 2 * kBlockSize + 12345;
  const auto object = random_bytes(size, 7);
  BlockDigests expected;
  for (std::uint64_t block = 0; block < 3; ++block) {
    const auto range = block_range(block, size);
    expected[block] = xxh3(std::span(object).subspan(range.begin(), range.length()));
  }
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Rng chance(seed);
    Fixture f;
    f.part.set_object_size(size);
    // Several writers, each going on from where it stands, in random order and steps; odd seeds start inside blocks.
    std::vector<ByteRange> pieces;
    const std::uint64_t step = seed % 2 == 0 ? kBlockSize : kBlockSize / 3 + 17;
    for (std::uint64_t at = 0; at < size; at += step) pieces.emplace_back(at, std::min(size, at + step));
    while (!pieces.empty()) {
      auto& piece = pieces[chance.below(pieces.size())];
      const auto count = std::min(piece.length(), 1 + chance.below(3'000'000));
      f.write(object, piece.begin(), piece.begin() + count);
      const auto rest = ByteRange::make(piece.begin() + count, piece.end());
      if (rest)
        piece = *rest;
      else
        pieces.erase(pieces.begin() + (&piece - pieces.data()));
      if (chance.chance(10)) REQUIRE(f.part.sync());
    }
    REQUIRE(f.part.sync());
    CHECK(f.part.synced().blocks() == expected);
  }
}

TEST_CASE("a claim is believed no further than the file is long (E2)") {
  Fixture f;
  const auto object = random_bytes(1000, 1);
  f.write(object, 0, 300);
  REQUIRE(f.part.sync());
  PartFile later(f.file, kPath);
  REQUIRE(later.adopt({ByteRange(0, 200), ByteRange(250, 500)}, {}));
  CHECK(later.held() == IntervalSet{ByteRange(0, 200), ByteRange(250, 300)});
  CHECK(later.synced().ranges() == later.held());
  CHECK(later.unsynced_bytes() == 0);
}

TEST_CASE("a claim about an empty file is not believed at all") {
  Fixture f;
  REQUIRE(f.part.adopt({ByteRange(0, 200)}, {}));
  CHECK(f.part.held().empty());
}

TEST_CASE("a restart gives up everything and empties the file") {
  Fixture f;
  f.write(random_bytes(1000, 1), 0, 300);
  REQUIRE(f.part.sync());
  REQUIRE(f.part.restart());
  CHECK(f.part.held().empty());
  CHECK(f.part.synced().ranges().empty());
  CHECK(*f.file->size() == 0);
}

TEST_CASE("what is held is compared with what comes, to the last byte") {
  Fixture f;
  const auto object = random_bytes(600'000, 1);
  f.write(object, 0, 600'000);
  CHECK(*f.part.equals(0, object));
  CHECK(*f.part.equals(599'999, std::span(object).subspan(599'999)));
  auto other = object;
  other.back() ^= std::byte{1};
  CHECK_FALSE(*f.part.equals(0, other));
  REQUIRE(f.file->truncate(599'999));
  CHECK_FALSE(*f.part.equals(0, object));
}

TEST_CASE("the only block of a small object is digested once a record is to speak of it, and not before") {
  Fixture f;
  const std::uint64_t size = 70'000;
  f.part.set_object_size(size);
  const auto object = random_bytes(size, 5);
  f.write(object, 0, size);
  REQUIRE(f.part.sync_bytes());
  CHECK(f.part.synced().ranges() == IntervalSet{ByteRange(0, size)});
  CHECK(f.part.digested().empty());
  REQUIRE(f.part.sync());
  CHECK(f.part.synced().blocks() == BlockDigests{{0, xxh3(object)}});
}

TEST_CASE("what is written over is held, but neither on disk nor digested until the next sync") {
  Fixture f;
  const std::uint64_t size = 2 * kBlockSize;
  f.part.set_object_size(size);
  const auto object = random_bytes(size, 3);
  f.write(object, 0, size);
  REQUIRE(f.part.sync());
  const auto before = f.part.synced().blocks();
  const auto right = random_bytes(1000, 4);
  REQUIRE(f.part.overwrite(kBlockSize + 5, right));
  CHECK(f.part.held() == IntervalSet{ByteRange(0, size)});
  CHECK_FALSE(f.part.synced().ranges().contains(ByteRange(kBlockSize + 5, kBlockSize + 6)));
  CHECK(f.part.synced().blocks().size() == 1);
  REQUIRE(f.part.sync());
  CHECK(f.part.synced().ranges() == IntervalSet{ByteRange(0, size)});
  CHECK(f.part.synced().blocks().at(0) == before.at(0));
  CHECK(f.part.synced().blocks().at(1) != before.at(1));
  CHECK(damaged_blocks(*f.file, f.part.held(), f.part.synced().blocks(), size)->empty());
}

TEST_CASE("a failed overwrite leaves nothing held that may be half of each") {
  Fixture f;
  const auto object = random_bytes(1000, 1);
  f.write(object, 0, 1000);
  REQUIRE(f.part.sync());
  f.disk.on_operation(
      [](const sim::DiskOperation& operation) { return operation.action == sim::DiskAction::write ? EIO : 0; });
  CHECK_FALSE(f.part.overwrite(100, std::span(object).first(50)));
  CHECK(f.part.held() == IntervalSet{ByteRange(0, 100), ByteRange(150, 1000)});
  CHECK(f.part.synced().ranges() == f.part.held());
}

TEST_CASE("what is dropped is held no longer, on disk or not") {
  Fixture f;
  f.part.set_object_size(1000);
  f.write(random_bytes(1000, 1), 0, 1000);
  REQUIRE(f.part.sync());
  f.part.drop(ByteRange(200, 300));
  CHECK(f.part.held() == IntervalSet{ByteRange(0, 200), ByteRange(300, 1000)});
  CHECK(f.part.synced().ranges() == f.part.held());
  CHECK(f.part.synced().blocks().empty());
  CHECK(f.part.digested().empty());
}
