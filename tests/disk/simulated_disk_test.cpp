// SPDX-License-Identifier: Apache-2.0
// The twin must really lose what was not synced, or the crash tests that stand on it prove nothing.
#include <doctest/doctest.h>

#include <cerrno>
#include <set>
#include <string>

#include "tests/sim/simulated_disk.h"

namespace arkvory::sim {

namespace {

const std::filesystem::path kHome = "/home";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::shared_ptr<File> open(SimulatedDisk& disk, const std::string& name) {
  auto file = disk.open_or_create(kHome / name, Access::shared);
  REQUIRE(file.has_value());
  return *file;
}

void write(File& file, std::uint64_t offset, std::string_view text) {
  REQUIRE(file.write_at(offset, bytes_of(text)).has_value());
}

// The contents of `name` that crashes with many seeds leave; "-" where the file is gone.
template <typename Prepare>
std::set<std::string> outcomes(CrashMode mode, const std::string& name, Prepare prepare) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimulatedDisk disk;
    prepare(disk);
    Rng rng(seed);
    disk.crash(rng, mode);
    seen.insert(disk.content(kHome / name).value_or("-"));
  }
  return seen;
}

}  // namespace

TEST_CASE("dropped: data that was not synced is gone and synced data stays") {
  SimulatedDisk disk;
  disk.put(kHome / "a", "old.");
  auto file = open(disk, "a");
  write(*file, 0, "new!");
  REQUIRE(file->sync().has_value());
  write(*file, 4, "more");
  Rng rng(1);
  disk.crash(rng, CrashMode::drop);
  CHECK(disk.content(kHome / "a") == "new!");
}

TEST_CASE("kept: everything written stays") {
  SimulatedDisk disk;
  auto file = open(disk, "a");
  write(*file, 0, "new!");
  Rng rng(1);
  disk.crash(rng, CrashMode::keep);
  CHECK(disk.content(kHome / "a") == "new!");
}

TEST_CASE("torn: each unsynced sector is old or new in any combination and synced bytes stay") {
  const std::string old_sectors(4 * 512, 'o');
  bool reordered = false;
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimulatedDisk disk;
    disk.put(kHome / "a", old_sectors);
    auto file = open(disk, "a");
    write(*file, 512, std::string(512, 's'));
    REQUIRE(file->sync().has_value());
    write(*file, 0, std::string(512, 'n'));
    write(*file, 2 * 512, std::string(2 * 512, 'n'));
    Rng rng(seed);
    disk.crash(rng, CrashMode::tear);
    const auto content = *disk.content(kHome / "a");
    REQUIRE(content.size() == old_sectors.size());
    CHECK(content.substr(512, 512) == std::string(512, 's'));
    std::string pattern;
    for (std::size_t at = 0; at < content.size(); at += 512) {
      CHECK(content.substr(at, 512) == std::string(512, content[at]));
      pattern.push_back(content[at]);
    }
    seen.insert(pattern);
    if (pattern == "oson") reordered = true;
  }
  CHECK(reordered);
  CHECK(seen.size() == 8);
}

TEST_CASE("torn: a file that grew has any of the sizes and zeros where nothing arrived") {
  const auto seen = outcomes(CrashMode::tear, "a", [](SimulatedDisk& disk) {
    disk.put(kHome / "a", "ab");
    write(*open(disk, "a"), 2, "cd");
  });
  CHECK(seen == std::set<std::string>{"ab", "abcd", std::string("ab\0\0", 4)});
}

TEST_CASE("torn: an unsynced truncation is done or not and never costs the bytes before it") {
  const auto seen = outcomes(CrashMode::tear, "a", [](SimulatedDisk& disk) {
    disk.put(kHome / "a", "abcd");
    REQUIRE(open(disk, "a")->truncate(2).has_value());
  });
  CHECK(seen == std::set<std::string>{"ab", "abcd"});
}

TEST_CASE("an unsynced new file may vanish although its data was synced") {
  const auto prepare = [](SimulatedDisk& disk) {
    auto file = open(disk, "a");
    write(*file, 0, "data");
    REQUIRE(file->sync().has_value());
  };
  CHECK(outcomes(CrashMode::drop, "a", prepare) == std::set<std::string>{"-"});
  CHECK(outcomes(CrashMode::tear, "a", prepare) == std::set<std::string>{"-", "data"});
}

TEST_CASE("a file in a synced folder stays and loses only unsynced data") {
  const auto prepare = [](SimulatedDisk& disk) {
    write(*open(disk, "a"), 0, "data");
    REQUIRE(disk.sync_folder(kHome).has_value());
  };
  CHECK(outcomes(CrashMode::drop, "a", prepare) == std::set<std::string>{""});
}

TEST_CASE("an unsynced rename may be undone and never loses both files") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimulatedDisk disk;
    disk.put(kHome / "a", "new");
    disk.put(kHome / "b", "old");
    REQUIRE(disk.rename(kHome / "a", kHome / "b").has_value());
    Rng rng(seed);
    disk.crash(rng, CrashMode::tear);
    const auto source = disk.content(kHome / "a");
    const auto target = disk.content(kHome / "b");
    CHECK((target == "old" || target == "new"));
    CHECK((source == "new" || target == "new"));
  }
  CHECK(outcomes(CrashMode::drop, "b", [](SimulatedDisk& disk) {
          disk.put(kHome / "a", "new");
          disk.put(kHome / "b", "old");
          REQUIRE(disk.rename(kHome / "a", kHome / "b").has_value());
        }) == std::set<std::string>{"old"});
}

TEST_CASE("renaming without syncing the file first may leave an empty file") {
  const auto seen = outcomes(CrashMode::tear, "b", [](SimulatedDisk& disk) {
    disk.put(kHome / "b", "old");
    write(*open(disk, "a"), 0, "new");
    REQUIRE(disk.rename(kHome / "a", kHome / "b").has_value());
    REQUIRE(disk.sync_folder(kHome).has_value());
  });
  CHECK(seen.contains(""));
  CHECK(!seen.contains("old"));
}

TEST_CASE("an unsynced removal may be undone and a synced one is not") {
  const auto removed = [](SimulatedDisk& disk) {
    disk.put(kHome / "a", "data");
    REQUIRE(disk.remove(kHome / "a").has_value());
  };
  CHECK(outcomes(CrashMode::tear, "a", removed) == std::set<std::string>{"-", "data"});
  CHECK(outcomes(CrashMode::tear, "a", [&](SimulatedDisk& disk) {
          removed(disk);
          REQUIRE(disk.sync_folder(kHome).has_value());
        }) == std::set<std::string>{"-"});
}

TEST_CASE("replace_durably is whole at every operation at which the power may go") {
  const std::string old_content(1500, 'o');
  const std::string new_content(2500, 'n');
  std::set<std::string> seen;
  for (std::uint64_t stop = 1; stop <= 7; ++stop) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SimulatedDisk disk;
      disk.put(kHome / "a", old_content);
      disk.stop_at(stop);
      bool done = false;
      try {
        done = disk.replace_durably(kHome / "a", bytes_of(new_content)).has_value();
      } catch (const Stopped& stopped) {
        CHECK(stopped.operation == stop);
      }
      CHECK(done == (stop == 7));
      Rng rng(seed);
      disk.crash(rng, CrashMode::tear);
      const auto content = disk.content(kHome / "a").value_or("-");
      CHECK((content == new_content || (!done && content == old_content)));
      seen.insert(content);
    }
  }
  CHECK(seen.size() == 2);
}

TEST_CASE("after a crash or a kill an open file is dead") {
  SimulatedDisk disk;
  auto file = open(disk, "a");
  write(*file, 0, "data");
  disk.kill();
  auto written = file->write_at(0, bytes_of("late"));
  REQUIRE(!written.has_value());
  CHECK(written.error().cause == "Input/output error");
  CHECK(disk.content(kHome / "a") == "data");
  auto again = open(disk, "a");
  Rng rng(1);
  disk.crash(rng, CrashMode::keep);
  CHECK(!again->sync().has_value());
  CHECK(!again->size().has_value());
}

TEST_CASE("a kill frees locks and keeps what was not synced until the power goes") {
  SimulatedDisk disk;
  auto file = open(disk, "a");
  REQUIRE(*file->try_lock());
  write(*file, 0, "data");
  disk.kill();
  CHECK(*open(disk, "a")->try_lock());
  CHECK(disk.content(kHome / "a") == "data");
  Rng rng(1);
  disk.crash(rng, CrashMode::drop);
  CHECK(disk.content(kHome / "a") == std::nullopt);
}

TEST_CASE("a failed sync loses the bytes before it for ever (E4: EIO on fsync)") {
  SimulatedDisk disk;
  disk.put(kHome / "a", "old.");
  auto file = open(disk, "a");
  write(*file, 0, "new!");
  disk.on_operation([](const DiskOperation& operation) { return operation.action == DiskAction::sync ? EIO : 0; });
  auto synced = file->sync();
  REQUIRE(!synced.has_value());
  CHECK(synced.error().cause == "Input/output error");
  disk.on_operation({});
  CHECK(file->sync().has_value());
  CHECK(disk.content(kHome / "a") == "new!");
  Rng rng(1);
  disk.crash(rng, CrashMode::drop);
  CHECK(disk.content(kHome / "a") == "old.");
}

TEST_CASE("the hook sees each operation and its failure names the cause (E4: EDQUOT, EROFS)") {
  SimulatedDisk disk;
  std::vector<DiskAction> actions;
  disk.on_operation([&](const DiskOperation& operation) {
    actions.push_back(operation.action);
    if (operation.action == DiskAction::write) return EDQUOT;
    return operation.action == DiskAction::rename ? EROFS : 0;
  });
  auto file = open(disk, "a");
  auto written = file->write_at(0, bytes_of("data"));
  REQUIRE(!written.has_value());
  CHECK(written.error().cause == "Disk quota exceeded");
  auto renamed = disk.rename(kHome / "a", kHome / "b");
  REQUIRE(!renamed.has_value());
  CHECK(renamed.error().cause == "Read-only file system");
  CHECK(actions == std::vector{DiskAction::open, DiskAction::write, DiskAction::rename});
  CHECK(disk.operations() == 3);
}

TEST_CASE("after a stop nothing has an effect until the next process") {
  SimulatedDisk disk;
  disk.put(kHome / "a", "data");
  disk.stop_at(1);
  CHECK_THROWS_AS((void)disk.remove(kHome / "a"), Stopped);
  CHECK(disk.is_stopped());
  CHECK(!disk.remove(kHome / "a").has_value());
  CHECK(disk.operations() == 1);
  disk.kill();
  CHECK(!disk.is_stopped());
  CHECK(disk.content(kHome / "a") == "data");
  CHECK(disk.remove(kHome / "a").has_value());
}

TEST_CASE("space is used by new bytes only and comes back with the file (E4: ENOSPC)") {
  SimulatedDisk disk;
  disk.set_free_space(10);
  auto file = open(disk, "a");
  write(*file, 100, "12345678");
  write(*file, 100, "ABCDEFGH");
  CHECK(*disk.free_space(kHome) == 2);
  auto written = file->write_at(0, bytes_of("123"));
  REQUIRE(!written.has_value());
  CHECK(written.error().cause == "No space left on device");
  REQUIRE(disk.remove(kHome / "a").has_value());
  CHECK(*disk.free_space(kHome) == 10);
}

TEST_CASE("links and special files are refused as on the machine's disk") {
  SimulatedDisk disk;
  disk.put_other(kHome / "link", FileKind::symlink);
  disk.put_other(kHome / "fifo", FileKind::other);
  CHECK(disk.open_or_create(kHome / "link", Access::shared).error().cause == "it is a symbolic link");
  CHECK(disk.open_or_create(kHome / "fifo", Access::shared).error().cause == "it is a special file");
  CHECK(*disk.open_to_read(kHome / "link") == nullptr);
  CHECK(*disk.rename_to_new(kHome / "absent", kHome / "link") == false);
}

}  // namespace arkvory::sim
