// SPDX-License-Identifier: Apache-2.0
// One list of cases for both file systems: what code that runs on the twin may rely on, the real one keeps.
#include <doctest/doctest.h>

#include <string>

#include "core/base/file_system.h"
#include "tests/sim/simulated_disk.h"
#include "tests/support/temp_folder.h"

namespace arkvory {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string read_from(File& file, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  const auto got = file.read_at(offset, std::as_writable_bytes(std::span(text)));
  REQUIRE(got.has_value());
  text.resize(*got);
  return text;
}

struct Real {
  PosixFileSystem files;
  test::TempFolder folder;
  std::filesystem::path root = folder.path();
};

struct Twin {
  sim::SimulatedDisk files{"/home"};
  std::filesystem::path root = "/home";
};

std::optional<std::string> whole(FileSystem& files, const std::filesystem::path& path) {
  auto content = read_whole(files, path, 1 << 20);
  REQUIRE(content.has_value());
  return *content;
}

void put(FileSystem& files, const std::filesystem::path& path, std::string_view content) {
  auto file = files.open_or_create(path, Access::shared);
  REQUIRE(file.has_value());
  REQUIRE((*file)->truncate(0).has_value());
  REQUIRE((*file)->write_at(0, bytes_of(content)).has_value());
}

}  // namespace

}  // namespace arkvory

TYPE_TO_STRING_AS("the machine's disk", arkvory::Real);
TYPE_TO_STRING_AS("its twin", arkvory::Twin);

namespace arkvory {

TEST_CASE_TEMPLATE("a new file is empty and what is written reads back", Disk, Real, Twin) {
  Disk disk;
  auto file = disk.files.open_or_create(disk.root / "a", Access::shared);
  REQUIRE(file.has_value());
  CHECK(*(*file)->size() == 0);
  CHECK(read_from(**file, 0, 10).empty());
  REQUIRE((*file)->write_at(0, bytes_of("hello")).has_value());
  REQUIRE((*file)->write_at(3, bytes_of("LO")).has_value());
  CHECK(*(*file)->size() == 5);
  CHECK(read_from(**file, 0, 10) == "helLO");
  CHECK(read_from(**file, 4, 10) == "O");
  CHECK(read_from(**file, 5, 10).empty());
  CHECK(read_from(**file, 1000, 10).empty());
  CHECK((*file)->sync().has_value());
}

TEST_CASE_TEMPLATE("a write behind the end leaves zeros before it", Disk, Real, Twin) {
  Disk disk;
  auto file = disk.files.open_or_create(disk.root / "a", Access::shared);
  REQUIRE(file.has_value());
  REQUIRE((*file)->write_at(4, bytes_of("x")).has_value());
  CHECK(read_from(**file, 0, 10) == std::string("\0\0\0\0x", 5));
}

TEST_CASE_TEMPLATE("an offset above what a file can have is a local failure", Disk, Real, Twin) {
  Disk disk;
  auto file = disk.files.open_or_create(disk.root / "a", Access::shared);
  REQUIRE(file.has_value());
  auto written = (*file)->write_at(0xFFFF'FFFF'FFFF'FFF0U, bytes_of("0123456789012345678"));
  REQUIRE(!written.has_value());
  CHECK(written.error().fault == Fault::local);
  CHECK(read_from(**file, 0xFFFF'FFFF'FFFF'FFF0U, 10).empty());
  CHECK(!(*file)->truncate(0xFFFF'FFFF'FFFF'FFF0U).has_value());
}

TEST_CASE_TEMPLATE("truncation cuts and extends with zeros", Disk, Real, Twin) {
  Disk disk;
  auto file = disk.files.open_or_create(disk.root / "a", Access::shared);
  REQUIRE(file.has_value());
  REQUIRE((*file)->write_at(0, bytes_of("hello")).has_value());
  REQUIRE((*file)->truncate(2).has_value());
  REQUIRE((*file)->truncate(4).has_value());
  CHECK(read_from(**file, 0, 10) == std::string("he\0\0", 4));
}

TEST_CASE_TEMPLATE("two open files of one name share content and an existing file is not emptied", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", "held");
  auto first = disk.files.open_or_create(disk.root / "a", Access::shared);
  auto second = disk.files.open_to_read(disk.root / "a");
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  CHECK(read_from(**second, 0, 10) == "held");
  REQUIRE((*first)->write_at(0, bytes_of("HE")).has_value());
  CHECK(read_from(**second, 0, 10) == "HEld");
  CHECK(*(*first)->identity() == *(*second)->identity());
}

TEST_CASE_TEMPLATE("a file opened to read can't be written", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", "held");
  auto file = disk.files.open_to_read(disk.root / "a");
  REQUIRE(file.has_value());
  CHECK(!(*file)->write_at(0, bytes_of("x")).has_value());
  CHECK(!(*file)->truncate(0).has_value());
  CHECK(whole(disk.files, disk.root / "a") == "held");
}

TEST_CASE_TEMPLATE("nothing at a path is no failure where one asks or reads or removes", Disk, Real, Twin) {
  Disk disk;
  CHECK(*disk.files.open_to_read(disk.root / "a") == nullptr);
  CHECK(*disk.files.status(disk.root / "a") == std::nullopt);
  CHECK(disk.files.remove(disk.root / "a").has_value());
  CHECK(whole(disk.files, disk.root / "a") == std::nullopt);
  CHECK(disk.files.list(disk.root / "a")->empty());
}

TEST_CASE_TEMPLATE("a failure names the path and has the system's text as cause", Disk, Real, Twin) {
  Disk disk;
  auto file = disk.files.open_or_create(disk.root / "missing" / "a", Access::shared);
  REQUIRE(!file.has_value());
  CHECK(file.error().fault == Fault::local);
  CHECK(file.error().words == "cannot open " + (disk.root / "missing" / "a").string());
  CHECK(file.error().cause == "No such file or directory");
}

TEST_CASE_TEMPLATE("a folder is not opened as a file", Disk, Real, Twin) {
  Disk disk;
  REQUIRE(disk.files.make_folders(disk.root / "folder").has_value());
  auto written = disk.files.open_or_create(disk.root / "folder", Access::shared);
  auto read = disk.files.open_to_read(disk.root / "folder");
  REQUIRE(!written.has_value());
  REQUIRE(!read.has_value());
  CHECK(written.error().cause == "it is a folder");
  CHECK(read.error().cause == "it is a folder");
  CHECK(!disk.files.remove(disk.root / "folder").has_value());
}

TEST_CASE_TEMPLATE("one open file has the lock until it is closed", Disk, Real, Twin) {
  Disk disk;
  auto first = disk.files.open_or_create(disk.root / "a", Access::shared);
  auto second = disk.files.open_or_create(disk.root / "a", Access::shared);
  CHECK(*(*first)->try_lock());
  CHECK(*(*first)->try_lock());
  CHECK(!*(*second)->try_lock());
  first->reset();
  CHECK(*(*second)->try_lock());
}

TEST_CASE_TEMPLATE("a lock belongs to the file and not to its name", Disk, Real, Twin) {
  Disk disk;
  auto first = disk.files.open_or_create(disk.root / "a", Access::shared);
  CHECK(*(*first)->try_lock());
  REQUIRE(disk.files.rename(disk.root / "a", disk.root / "b").has_value());
  auto fresh = disk.files.open_or_create(disk.root / "a", Access::shared);
  auto moved = disk.files.open_or_create(disk.root / "b", Access::shared);
  CHECK(*(*fresh)->try_lock());
  CHECK(!*(*moved)->try_lock());
  CHECK(*(*fresh)->identity() != *(*first)->identity());
  CHECK((*disk.files.status(disk.root / "b"))->identity == *(*first)->identity());
}

TEST_CASE_TEMPLATE("status tells kind and size", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", "12345");
  REQUIRE(disk.files.make_folders(disk.root / "folder").has_value());
  const auto file = *disk.files.status(disk.root / "a");
  REQUIRE(file.has_value());
  CHECK(file->kind == FileKind::regular);
  CHECK(file->size == 5);
  CHECK((*disk.files.status(disk.root / "folder"))->kind == FileKind::folder);
}

TEST_CASE_TEMPLATE("rename replaces and rename_to_new does not", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", "new");
  put(disk.files, disk.root / "b", "old");
  CHECK(*disk.files.rename_to_new(disk.root / "a", disk.root / "b") == false);
  CHECK(whole(disk.files, disk.root / "a") == "new");
  CHECK(whole(disk.files, disk.root / "b") == "old");
  REQUIRE(disk.files.rename(disk.root / "a", disk.root / "b").has_value());
  CHECK(whole(disk.files, disk.root / "a") == std::nullopt);
  CHECK(whole(disk.files, disk.root / "b") == "new");
  CHECK(*disk.files.rename_to_new(disk.root / "b", disk.root / "c") == true);
  CHECK(whole(disk.files, disk.root / "c") == "new");
  CHECK(!disk.files.rename(disk.root / "absent", disk.root / "c").has_value());
  CHECK(!disk.files.rename_to_new(disk.root / "absent", disk.root / "d").has_value());
}

TEST_CASE_TEMPLATE("a folder under the new name is never replaced (E6)", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", "new");
  REQUIRE(disk.files.make_folders(disk.root / "folder").has_value());
  CHECK(*disk.files.rename_to_new(disk.root / "a", disk.root / "folder") == false);
  auto renamed = disk.files.rename(disk.root / "a", disk.root / "folder");
  REQUIRE(!renamed.has_value());
  CHECK(renamed.error().cause == "Is a directory");
  CHECK(whole(disk.files, disk.root / "a") == "new");
}

TEST_CASE_TEMPLATE("replace_durably makes and replaces and leaves nothing beside", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, aside_path(disk.root / "a"), "left by a crash, and longer than what comes");
  REQUIRE(disk.files.replace_durably(disk.root / "a", bytes_of("one")).has_value());
  CHECK(whole(disk.files, disk.root / "a") == "one");
  REQUIRE(disk.files.replace_durably(disk.root / "a", bytes_of("")).has_value());
  CHECK(whole(disk.files, disk.root / "a") == "");
  CHECK(*disk.files.list(disk.root) == std::vector<std::string>{"a"});
}

TEST_CASE_TEMPLATE("a replacement that fails leaves the old content and nothing beside", Disk, Real, Twin) {
  Disk disk;
  REQUIRE(disk.files.make_folders(disk.root / "folder").has_value());
  CHECK(!disk.files.replace_durably(disk.root / "folder", bytes_of("one")).has_value());
  CHECK(!disk.files.replace_durably(disk.root / "missing" / "a", bytes_of("one")).has_value());
  CHECK(*disk.files.list(disk.root) == std::vector<std::string>{"folder"});
}

TEST_CASE_TEMPLATE("folders are made with those above them and listed in order", Disk, Real, Twin) {
  Disk disk;
  REQUIRE(disk.files.make_folders(disk.root / "x" / "y" / "z").has_value());
  REQUIRE(disk.files.make_folders(disk.root / "x" / "y" / "z").has_value());
  put(disk.files, disk.root / "x" / "b", "");
  put(disk.files, disk.root / "x" / "a", "");
  CHECK(*disk.files.list(disk.root / "x") == std::vector<std::string>{"a", "b", "y"});
  CHECK(disk.files.sync_folder(disk.root / "x").has_value());
  CHECK(!disk.files.sync_folder(disk.root / "missing").has_value());
  CHECK(!disk.files.make_folders(disk.root / "x" / "a").has_value());
  CHECK(!disk.files.make_folders(disk.root / "x" / "a" / "below").has_value());
}

TEST_CASE_TEMPLATE("a removed file stays readable for who has it open", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", "held");
  auto file = disk.files.open_to_read(disk.root / "a");
  REQUIRE(disk.files.remove(disk.root / "a").has_value());
  CHECK(read_from(**file, 0, 10) == "held");
  CHECK(*disk.files.status(disk.root / "a") == std::nullopt);
}

TEST_CASE_TEMPLATE("read_whole refuses more than the limit", Disk, Real, Twin) {
  Disk disk;
  put(disk.files, disk.root / "a", std::string(9000, 'x'));
  CHECK(*read_whole(disk.files, disk.root / "a", 9000) == std::string(9000, 'x'));
  auto refused = read_whole(disk.files, disk.root / "a", 8999);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().fault == Fault::local);
  CHECK(refused.error().cause == "it is larger than the 8999 bytes allowed");
}

TEST_CASE_TEMPLATE("free space is told for a folder that is there", Disk, Real, Twin) {
  Disk disk;
  CHECK(*disk.files.free_space(disk.root) > 0);
  CHECK(!disk.files.free_space(disk.root / "missing").has_value());
}

TEST_CASE_TEMPLATE("times and access are set on the open file", Disk, Real, Twin) {
  Disk disk;
  auto file = disk.files.open_or_create(disk.root / "a", Access::owner_only);
  REQUIRE(file.has_value());
  CHECK((*file)->set_modified_time(WallTime(std::chrono::seconds(1'000'000'000))).has_value());
  CHECK((*file)->set_access(Access::shared).has_value());
}

}  // namespace arkvory
