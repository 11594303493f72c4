// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/registry.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "tests/checkpoint/example.h"
#include "tests/sim/simulated_disk.h"

namespace arkvory {

namespace {

std::vector<std::filesystem::path> targets_of(Registry& registry) {
  auto listing = registry.targets();
  REQUIRE(listing.has_value());
  std::vector<std::filesystem::path> targets;
  for (const auto& entry : listing->entries) targets.push_back(entry.target);
  return targets;
}

using Paths = std::vector<std::filesystem::path>;

}  // namespace

TEST_CASE("targets are listed by the time they were added and keep it") {
  sim::SimulatedDisk disk;
  Registry registry(disk, "/home/state");
  CHECK(targets_of(registry).empty());
  REQUIRE(registry.add("/home/b", test::wall(1000)).has_value());
  REQUIRE(registry.add("/home/a", test::wall(2000)).has_value());
  REQUIRE(registry.add("/home/c", test::wall(1000)).has_value());
  REQUIRE(registry.add("/home/b", test::wall(9000)).has_value());
  CHECK(targets_of(registry) == Paths{"/home/b", "/home/c", "/home/a"});
  REQUIRE(registry.remove("/home/b").has_value());
  REQUIRE(registry.remove("/home/b").has_value());
  REQUIRE(registry.remove("/home/never").has_value());
  CHECK(targets_of(registry) == Paths{"/home/c", "/home/a"});
}

TEST_CASE("a name may be any bytes a file system takes") {
  sim::SimulatedDisk disk;
  Registry registry(disk, "/home/state");
  const std::filesystem::path odd = "/home/\xFF\n\"x\\ «ё»";
  REQUIRE(registry.add(odd, test::wall(1)).has_value());
  CHECK(targets_of(registry) == Paths{odd});
}

TEST_CASE("damaged, newer and misplaced entries are passed over with a word each") {
  sim::SimulatedDisk disk;
  Registry registry(disk, "/home/state");
  REQUIRE(registry.add("/home/a", test::wall(1)).has_value());
  const auto entry = disk.paths().front();
  const auto content = *disk.content(entry);
  disk.put("/home/state/registry/00.json", content);
  disk.put("/home/state/registry/01.json", "");
  disk.put("/home/state/registry/02.json", "{\"format\": 2}");
  disk.put("/home/state/registry/03.json", std::string(100'000, ' '));
  disk.put("/home/state/registry/04.json", R"({"format":1,"target":"relative","added":"2027-01-01T00:00:00.000Z"})");
  disk.put("/home/state/registry/note.txt", "not ours");
  auto listing = registry.targets();
  REQUIRE(listing.has_value());
  CHECK(listing->entries.size() == 1);
  CHECK(listing->notes.size() == 5);
}

TEST_CASE("an added target is listed after a power cut and a removed one is not") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    sim::SimulatedDisk disk;
    Registry registry(disk, "/home/state");
    REQUIRE(registry.add("/home/a", test::wall(1)).has_value());
    REQUIRE(registry.add("/home/b", test::wall(2)).has_value());
    REQUIRE(registry.remove("/home/a").has_value());
    Rng rng(seed);
    disk.crash(rng, sim::CrashMode::tear);
    CHECK(targets_of(registry) == Paths{"/home/b"});
  }
}

TEST_CASE("a damaged entry is replaced when its target is added again") {
  sim::SimulatedDisk disk;
  Registry registry(disk, "/home/state");
  REQUIRE(registry.add("/home/a", test::wall(1)).has_value());
  disk.put(disk.paths().front(), "torn");
  CHECK(targets_of(registry).empty());
  REQUIRE(registry.add("/home/a", test::wall(1)).has_value());
  CHECK(targets_of(registry) == Paths{"/home/a"});
  CHECK(disk.access(disk.paths().front()) == Access::owner_only);
}

TEST_CASE("a state folder that can't be written is a failure that names it") {
  sim::SimulatedDisk disk;
  disk.on_operation([](const sim::DiskOperation& operation) {
    return operation.action == sim::DiskAction::make_folder ? EACCES : 0;
  });
  Registry registry(disk, "/home/state");
  auto added = registry.add("/home/a", test::wall(1));
  REQUIRE(!added.has_value());
  CHECK(added.error().text() == "cannot make the folder /home/state/registry (Permission denied)");
}

}  // namespace arkvory
