// SPDX-License-Identifier: Apache-2.0
#include "core/engine/verified_file.h"

#include <doctest/doctest.h>

#include <string>

#include "core/engine/part_file.h"
#include "tests/sim/simulated_disk.h"

using namespace arkvory;

namespace {

constexpr const char* kPart = "/home/out.arkvory-part";
constexpr const char* kTarget = "/home/out";
constexpr std::string_view kContent = "the right bytes";

struct Fixture {
  sim::SimulatedDisk disk{"/home"};
  std::shared_ptr<File> file = *disk.open_or_create(kPart, Access::owner_only);
  PartFile part{file, kPart};

  Fixture() {
    REQUIRE(part.write(0, std::as_bytes(std::span(kContent))));
    REQUIRE(part.sync());
  }
  Result<VerifiedFile> check(std::optional<Sha256Digest> expected) {
    return VerifiedFile::check(
        file, kPart,
        {.size = kContent.size(), .on_disk = part.synced(), .expected = expected, .computed = *sha256_of(*file)});
  }
};

}  // namespace

TEST_CASE("a verified file takes its name, with the access bits of a new file") {
  Fixture f;
  auto verified = f.check(*sha256_of(*f.file));
  REQUIRE(verified);
  REQUIRE(std::move(*verified).publish_as(f.disk, kTarget, {}));
  CHECK(f.disk.content(kTarget) == std::string(kContent));
  CHECK(f.disk.access(kTarget) == Access::shared);
  CHECK_FALSE(f.disk.content(kPart));
}

TEST_CASE("a published name survives a power cut in the next moment") {
  for (const auto mode : {sim::CrashMode::keep, sim::CrashMode::drop, sim::CrashMode::tear}) {
    Fixture f;
    auto verified = f.check(std::nullopt);
    REQUIRE(verified);
    REQUIRE(std::move(*verified).publish_as(f.disk, kTarget, {}));
    Rng chance(1);
    f.disk.crash(chance, mode);
    CHECK(f.disk.content(kTarget) == std::string(kContent));
  }
}

TEST_CASE("another digest makes no verified file, and both are named (E7)") {
  Fixture f;
  const auto wrong = Sha256Digest::from_hex(std::string(64, 'a'));
  const auto verified = f.check(wrong);
  REQUIRE_FALSE(verified);
  CHECK(verified.error().fault == Fault::integrity);
  CHECK(verified.error().words.find(wrong->to_hex()) != std::string::npos);
  CHECK(verified.error().words.find(sha256_of(*f.file)->to_hex()) != std::string::npos);
}

TEST_CASE("a file that appeared under the name is not overwritten, and the verified bytes stay") {
  Fixture f;
  f.disk.put(kTarget, "somebody else's");
  auto verified = f.check(std::nullopt);
  REQUIRE(verified);
  const auto published = std::move(*verified).publish_as(f.disk, kTarget, {});
  REQUIRE_FALSE(published);
  CHECK(published.error().fault == Fault::local);
  CHECK(f.disk.content(kTarget) == "somebody else's");
  CHECK(f.disk.content(kPart) == std::string(kContent));
}

TEST_CASE("with --force the old file is replaced in one step") {
  Fixture f;
  f.disk.put(kTarget, "old");
  auto verified = f.check(std::nullopt);
  REQUIRE(verified);
  REQUIRE(std::move(*verified).publish_as(f.disk, kTarget, {.replace = true}));
  CHECK(f.disk.content(kTarget) == std::string(kContent));
}

TEST_CASE("the file's time is the remote one where that is wished") {
  Fixture f;
  auto verified = f.check(std::nullopt);
  REQUIRE(verified);
  const WallTime time{std::chrono::seconds(784111777)};
  REQUIRE(std::move(*verified).publish_as(f.disk, kTarget, {.modified = time}));
  CHECK(f.disk.modified_time(kTarget) == time);
}
