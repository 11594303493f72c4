// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/disk_workspace.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <set>

#include "checkpoint/checkpoint.h"
#include "checkpoint/read_checkpoint.h"
#include "core/engine/file_names.h"
#include "core/engine/part_file.h"
#include "tests/checkpoint/example.h"
#include "tests/checkpoint/fake_processes.h"
#include "tests/sim/simulated_disk.h"
#include "tests/sim/virtual_clock.h"

namespace arkvory {

namespace {

const std::filesystem::path kTarget = "/home/out.bin";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// One machine; each World on the same disk and table is a process on it.
struct World {
  explicit World(sim::SimulatedDisk& files, Owner self = Owner{100, "boot-a", 1000})
      : disk(files),
        processes(std::move(self)),
        registry(files, "/home/state"),
        workspace(files, clock, processes, &registry) {}

  sim::SimulatedDisk& disk;
  sim::VirtualClock clock;
  test::FakeProcesses processes;
  Registry registry;
  DiskWorkspace workspace;
};

DownloadFacts facts() { return DownloadFacts{test::id(), test::url("http://example.org/a")}; }

// The ranges of a part file into which `text` was written and synced.
SyncedRanges written(const Place& place, std::string_view text) {
  PartFile part(place.part, part_path(place.target));
  REQUIRE(part.write(0, bytes_of(text)).has_value());
  REQUIRE(part.sync().has_value());
  return part.synced();
}

Place claimed(World& world) {
  auto place = world.workspace.claim(kTarget);
  REQUIRE_MESSAGE(place.has_value(), place.error().text());
  return std::move(*place);
}

std::set<std::string> names(const sim::SimulatedDisk& disk) {
  std::set<std::string> found;
  for (const auto& path : disk.paths())
    if (path.parent_path() == "/home") found.insert(path.filename().string());
  return found;
}

std::size_t listed(World& world) { return world.registry.targets()->entries.size(); }

// A checkpoint of another process, put there as if it had written it.
void put_checkpoint(sim::SimulatedDisk& disk, const Owner& writer, const std::string& last_error = {}) {
  Checkpoint checkpoint{SavedProgress{facts()}};
  checkpoint.progress.facts.last_error = last_error;
  checkpoint.writer = writer;
  disk.put(checkpoint_path(kTarget), encode_checkpoint(checkpoint));
}

}  // namespace

TEST_CASE("a claim makes the part file, for its owner only, and an unused one goes with the place") {
  sim::SimulatedDisk disk;
  World world(disk);
  {
    auto place = claimed(world);
    CHECK(place.target == kTarget);
    CHECK(place.notes.empty());
    CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory-part"});
    CHECK(disk.access(part_path(kTarget)) == Access::owner_only);
    CHECK(*place.log->restore() == std::nullopt);
  }
  CHECK(names(disk).empty());
  CHECK(listed(world) == 0);
}

TEST_CASE("what was recorded is restored by the next claim and listed") {
  sim::SimulatedDisk disk;
  World world(disk);
  {
    auto place = claimed(world);
    REQUIRE(place.log->record(facts(), written(place, "hello")).has_value());
    CHECK(disk.access(checkpoint_path(kTarget)) == Access::owner_only);
    CHECK(listed(world) == 1);
  }
  CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
  auto place = claimed(world);
  auto saved = place.log->restore();
  REQUIRE(saved.has_value());
  REQUIRE(saved->has_value());
  CHECK((*saved)->facts.id == test::id());
  CHECK((*saved)->claimed == IntervalSet{ByteRange(0, 5)});
}

TEST_CASE("an empty part file stays where a checkpoint speaks of it") {
  sim::SimulatedDisk disk;
  World world(disk);
  REQUIRE(claimed(world).log->record(facts(), SyncedRanges()).has_value());
  CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
}

TEST_CASE("a part file with bytes in it stays, and one that was published is left alone") {
  sim::SimulatedDisk disk;
  World world(disk);
  {
    auto place = claimed(world);
    (void)written(place, "hello");
  }
  CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory-part"});
  {
    auto place = claimed(world);
    REQUIRE(place.part->truncate(0).has_value());
    REQUIRE(disk.rename(part_path(kTarget), kTarget).has_value());
    disk.put(part_path(kTarget), "");  // another one's by now
  }
  CHECK(names(disk) == std::set<std::string>{"out.bin", "out.bin.arkvory-part"});
}

TEST_CASE("forget leaves no trace and is durable") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    sim::SimulatedDisk disk;
    World world(disk);
    {
      auto place = claimed(world);
      REQUIRE(place.log->record(facts(), written(place, "hello")).has_value());
      REQUIRE(disk.rename(part_path(kTarget), kTarget).has_value());
      REQUIRE(place.log->forget().has_value());
      REQUIRE(place.log->forget().has_value());
    }
    CHECK(names(disk) == std::set<std::string>{"out.bin"});
    Rng rng(seed);
    disk.crash(rng, sim::CrashMode::tear);
    CHECK(names(disk) == std::set<std::string>{"out.bin"});
    CHECK(listed(world) == 0);
  }
}

TEST_CASE("a damaged checkpoint is set aside once, named, and never thrown away") {
  sim::SimulatedDisk disk;
  World world(disk);
  disk.put(checkpoint_path(kTarget), "{\"format\": 1, torn");
  SUBCASE("by restore, after which the download begins again") {
    auto place = claimed(world);
    auto saved = place.log->restore();
    REQUIRE(!saved.has_value());
    CHECK(saved.error().fault == Fault::state);
    CHECK(saved.error().words ==
          "the checkpoint /home/out.bin.arkvory is damaged; it is now /home/out.bin.bad.arkvory");
    CHECK(*place.log->restore() == std::nullopt);
    REQUIRE(place.log->record(facts(), SyncedRanges()).has_value());
    CHECK((*place.log->restore())->facts.id == test::id());
  }
  SUBCASE("by a record without restore") { REQUIRE(claimed(world).log->record(facts(), SyncedRanges()).has_value()); }
  SUBCASE("by forget") { REQUIRE(claimed(world).log->forget().has_value()); }
  CHECK(disk.content(bad_checkpoint_path(kTarget)) == "{\"format\": 1, torn");
}

TEST_CASE("a newer checkpoint is untouched whatever is called (E10)") {
  sim::SimulatedDisk disk;
  World world(disk);
  const std::string newer = "{\"format\": 4, \"other\": true}\n";
  disk.put(checkpoint_path(kTarget), newer);
  {
    auto place = claimed(world);
    for (int i = 0; i < 2; ++i) {
      auto saved = place.log->restore();
      REQUIRE(!saved.has_value());
      CHECK(saved.error().fault == Fault::state);
      CHECK(saved.error().words.find("newer version") != std::string::npos);
      CHECK(place.log->record(facts(), SyncedRanges()).error().fault == Fault::state);
      CHECK(place.log->forget().error().fault == Fault::state);
    }
  }
  CHECK(discard(disk, world.processes, &world.registry, kTarget).error().fault == Fault::state);
  CHECK(disk.content(checkpoint_path(kTarget)) == newer);
  CHECK(names(disk).count("out.bin.bad.arkvory") == 0);
}

TEST_CASE("a checkpoint that is too large is damage and not read") {
  sim::SimulatedDisk disk;
  World world(disk);
  disk.put(checkpoint_path(kTarget), std::string(kLargestCheckpoint + 1, ' '));
  auto place = claimed(world);
  CHECK(place.log->restore().error().fault == Fault::state);
  CHECK(*place.log->restore() == std::nullopt);
}

TEST_CASE("of two that claim one target the second fails and names the first") {
  sim::SimulatedDisk disk;
  World first(disk, Owner{100, "boot-a", 1000});
  World second(disk, Owner{200, "boot-a", 2000});
  auto place = claimed(first);
  SUBCASE("by the kernel's table, before anything is recorded") {
    second.processes.hold_lock(*place.part->identity(), 100);
    auto refused = second.workspace.claim(kTarget);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().fault == Fault::locked);
    CHECK(refused.error().words == "cannot begin /home/out.bin: the process with pid 100 works on it");
  }
  SUBCASE("by the checkpoint") {
    second.processes.run(Owner{100, "boot-a", 1000});
    REQUIRE(place.log->record(facts(), SyncedRanges()).has_value());
    auto refused = second.workspace.claim(kTarget);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().words == "cannot begin /home/out.bin: the process with pid 100 works on it");
  }
  SUBCASE("as another process where neither tells") {
    auto refused = second.workspace.claim(kTarget);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().fault == Fault::locked);
    CHECK(refused.error().words == "cannot begin /home/out.bin: another process works on it");
  }
  SUBCASE("as this run where it is the same process") {
    REQUIRE(place.log->record(facts(), SyncedRanges()).has_value());
    auto refused = first.workspace.claim(kTarget);
    REQUIRE(!refused.has_value());
    CHECK(refused.error().words == "cannot begin /home/out.bin: this run works on it already");
  }
  CHECK(disk.content(part_path(kTarget)).has_value());
}

TEST_CASE("where the lock is worth nothing the living writer of the checkpoint still counts") {
  sim::SimulatedDisk disk;
  World world(disk);
  put_checkpoint(disk, Owner{7, "boot-a", 70});
  world.processes.run(Owner{7, "boot-a", 70});
  auto refused = world.workspace.claim(kTarget);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().fault == Fault::locked);
  CHECK(refused.error().words.find("pid 7") != std::string::npos);
  world.processes.end(7);
  CHECK(claimed(world).notes.empty());
}

TEST_CASE("a run that ended with an error and lives on for other downloads keeps nobody out") {
  sim::SimulatedDisk disk;
  World world(disk);
  put_checkpoint(disk, Owner{7, "boot-a", 70}, "connection refused");
  world.processes.run(Owner{7, "boot-a", 70});
  CHECK(claimed(world).notes.empty());
}

TEST_CASE("a lock of an earlier boot or of a reused pid is taken over with a note (E3)") {
  sim::SimulatedDisk disk;
  World world(disk);
  SUBCASE("another boot") {
    put_checkpoint(disk, Owner{7, "boot-0", 70});
    world.processes.run(Owner{7, "boot-a", 70});
    const auto place = claimed(world);
    REQUIRE(place.notes.size() == 1);
    CHECK(place.notes[0] == "took over from a run (pid 7) of before the last start of this machine, or on another one");
  }
  SUBCASE("a reused pid") {
    put_checkpoint(disk, Owner{7, "boot-a", 70});
    world.processes.run(Owner{7, "boot-a", 71});
    const auto place = claimed(world);
    REQUIRE(place.notes.size() == 1);
    CHECK(place.notes[0] == "took over from a run that is gone (its pid 7 belongs to another process now)");
  }
  SUBCASE("no note where that run had come to its end") {
    put_checkpoint(disk, Owner{7, "boot-0", 70}, "the server refused");
    CHECK(claimed(world).notes.empty());
  }
}

TEST_CASE("a claim takes what a kill left, and what a torn replacement left goes") {
  sim::SimulatedDisk disk;
  World first(disk);
  auto place = claimed(first);
  REQUIRE(place.log->record(facts(), written(place, "hello")).has_value());
  disk.put(aside_path(checkpoint_path(kTarget)), "half of a checkp");
  disk.kill();
  World second(disk, Owner{200, "boot-a", 2000});
  auto again = claimed(second);
  CHECK((*again.log->restore())->claimed == IntervalSet{ByteRange(0, 5)});
  CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
}

TEST_CASE("a part file replaced between opening and locking is not mistaken for ours") {
  sim::SimulatedDisk disk;
  World world(disk);
  bool replaced = false;
  disk.on_operation([&](const sim::DiskOperation& operation) {
    if (operation.action == sim::DiskAction::lock && !replaced) {
      replaced = true;
      disk.put(part_path(kTarget), "of the next one");
    }
    return 0;
  });
  auto place = claimed(world);
  CHECK(*place.part->size() == 15);
}

TEST_CASE("a folder that can't be written and odd things at the part's name are local failures (E6)") {
  sim::SimulatedDisk disk;
  World world(disk);
  SUBCASE("missing") {
    auto place = world.workspace.claim("/missing/out.bin");
    REQUIRE(!place.has_value());
    CHECK(place.error().fault == Fault::local);
  }
  SUBCASE("symlink") {
    disk.put_other(part_path(kTarget), FileKind::symlink);
    CHECK(world.workspace.claim(kTarget).error().cause == "it is a symbolic link");
  }
  SUBCASE("folder as checkpoint") {
    REQUIRE(disk.make_folders(checkpoint_path(kTarget)).has_value());
    CHECK(world.workspace.claim(kTarget).error().fault == Fault::local);
  }
  SUBCASE("read-only") {
    disk.on_operation([](const sim::DiskOperation&) { return EROFS; });
    CHECK(world.workspace.claim(kTarget).error().cause == "Read-only file system");
  }
}

TEST_CASE("a full disk leaves the old record whole and the error names the cause (E4)") {
  sim::SimulatedDisk disk;
  World world(disk);
  auto place = claimed(world);
  const auto held = written(place, "hello");
  REQUIRE(place.log->record(facts(), held).has_value());
  disk.set_free_space(0);
  auto changed = facts();
  changed.generation = 2;
  auto refused = place.log->record(changed, held);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().cause == "No space left on device");
  CHECK((*place.log->restore())->facts.generation == 1);
  CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
}

TEST_CASE("whatever moment the power goes, a checkpoint claims only what is on disk (E1)") {
  // Runs the same work, cut before each of its file operations, with several fates of what was not synced.
  const std::string first_bytes(1500, 'a');
  const std::string second_bytes(1500, 'b');
  const auto work = [&](World& world) {
    auto place = claimed(world);
    PartFile part(place.part, part_path(kTarget));
    for (const auto& [offset, bytes] : {std::pair{std::uint64_t{0}, &first_bytes}, {1500, &second_bytes}}) {
      // Not in a REQUIRE, which would take the stop for a failure of its own.
      if (!part.write(offset, bytes_of(*bytes))) return;
      if (!part.sync()) return;
      if (!place.log->record(facts(), part.synced())) return;
    }
  };
  std::uint64_t operations = 0;
  {
    sim::SimulatedDisk disk;
    World world(disk);
    work(world);
    operations = disk.operations();
  }
  std::set<std::uint64_t> held;
  for (std::uint64_t stop = 1; stop <= operations + 1; ++stop) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      sim::SimulatedDisk disk;
      disk.stop_at(stop);
      {
        World world(disk);
        try {
          work(world);
        } catch (const sim::Stopped&) {
        }
      }
      Rng rng(seed);
      disk.crash(rng, sim::CrashMode::tear);
      CAPTURE(stop);
      CAPTURE(seed);
      World next(disk, Owner{200, "boot-b", 5});
      auto place = claimed(next);
      auto saved = place.log->restore();
      REQUIRE_MESSAGE(saved.has_value(), saved.error().text());
      if (!*saved) continue;
      const auto claims = (*saved)->claimed.prefix_end();
      CHECK(((*saved)->claimed.total() == claims));
      CHECK(disk.content(part_path(kTarget))->substr(0, claims) == (first_bytes + second_bytes).substr(0, claims));
      CHECK(listed(next) == 1);
      held.insert(claims);
    }
  }
  CHECK(held == std::set<std::uint64_t>{1500, 3000});
}

TEST_CASE("read_checkpoint and running_owner look without touching") {
  sim::SimulatedDisk disk;
  World world(disk, Owner{200, "boot-a", 2000});
  CHECK(*read_checkpoint(disk, kTarget) == std::nullopt);
  CHECK(*running_owner(disk, world.processes, kTarget) == std::nullopt);
  put_checkpoint(disk, Owner{7, "boot-a", 70});
  CHECK((*read_checkpoint(disk, kTarget))->writer.pid == 7);
  CHECK(*running_owner(disk, world.processes, kTarget) == std::nullopt);
  world.processes.run(Owner{7, "boot-a", 70});
  CHECK((*running_owner(disk, world.processes, kTarget))->pid == 7);
  disk.put(checkpoint_path(kTarget), "damaged");
  CHECK(read_checkpoint(disk, kTarget).error().fault == Fault::state);
  disk.put(part_path(kTarget), "");
  world.processes.hold_lock((*disk.status(part_path(kTarget)))->identity, 7);
  CHECK(**running_owner(disk, world.processes, kTarget) == Owner{7, "boot-a", 70});
  CHECK(disk.content(checkpoint_path(kTarget)) == "damaged");
}

TEST_CASE("discard removes part files, checkpoint and listing and keeps what was set aside") {
  sim::SimulatedDisk disk;
  World world(disk);
  {
    auto place = claimed(world);
    REQUIRE(place.log->record(facts(), written(place, "hello")).has_value());
  }
  disk.put(part_path(kTarget, 2), "second");
  disk.put(part_path(kTarget, 3), "third");
  disk.put(bad_part_path(kTarget), "bad");
  disk.put("/home/out.bin", "an older file");
  REQUIRE(discard(disk, world.processes, &world.registry, kTarget).has_value());
  CHECK(names(disk) == std::set<std::string>{"out.bin", "out.bin.bad.arkvory-part"});
  CHECK(listed(world) == 0);
  auto again = discard(disk, world.processes, &world.registry, kTarget);
  REQUIRE(!again.has_value());
  CHECK(again.error().fault == Fault::refused);
}

TEST_CASE("a running download is not discarded, and a mere listing is") {
  sim::SimulatedDisk disk;
  World world(disk);
  {
    auto place = claimed(world);
    REQUIRE(place.log->record(facts(), written(place, "hello")).has_value());
    CHECK(discard(disk, world.processes, &world.registry, kTarget).error().fault == Fault::locked);
    CHECK(names(disk) == std::set<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
  }
  REQUIRE(disk.remove(checkpoint_path(kTarget)).has_value());
  REQUIRE(disk.remove(part_path(kTarget)).has_value());
  CHECK(listed(world) == 1);
  REQUIRE(discard(disk, world.processes, &world.registry, kTarget).has_value());
  CHECK(listed(world) == 0);
}

TEST_CASE("a discard cut anywhere claims nothing that is gone and can be done again") {
  const auto prepare = [](World& world) {
    auto place = claimed(world);
    REQUIRE(place.log->record(facts(), written(place, "hello")).has_value());
  };
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  {
    sim::SimulatedDisk disk;
    World world(disk);
    prepare(world);
    begin = disk.operations();
    REQUIRE(discard(disk, world.processes, &world.registry, kTarget).has_value());
    end = disk.operations();
  }
  for (std::uint64_t stop = begin + 1; stop <= end; ++stop) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      sim::SimulatedDisk disk;
      World world(disk);
      prepare(world);
      disk.stop_at(stop);
      CHECK_THROWS_AS((void)discard(disk, world.processes, &world.registry, kTarget), sim::Stopped);
      Rng rng(seed);
      disk.crash(rng, sim::CrashMode::tear);
      CAPTURE(stop);
      CAPTURE(seed);
      auto checkpoint = read_checkpoint(disk, kTarget);
      REQUIRE(checkpoint.has_value());
      if (*checkpoint) CHECK(disk.content(part_path(kTarget)) == "hello");
      auto again = discard(disk, world.processes, &world.registry, kTarget);
      CHECK((again.has_value() || again.error().fault == Fault::refused));
      CHECK(names(disk).empty());
      CHECK(listed(world) == 0);
    }
  }
}

}  // namespace arkvory
