// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/root_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/server/files.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

const std::vector<Confinement> kBothWays{Confinement::by_kernel, Confinement::by_component};

std::unique_ptr<RootFolder> open_root(const std::filesystem::path& path, Confinement confinement) {
  auto root = RootFolder::open_root(path, confinement);
  REQUIRE(root);
  return std::move(*root);
}

Found open(RootFolder& root, const char* url) {
  auto found = root.open(*RelativePath::from_url(url));
  REQUIRE(found);
  return std::move(*found);
}

bool is_absent(RootFolder& root, const char* url) { return std::holds_alternative<Absent>(open(root, url)); }

std::string content(ObjectFile& file) {
  std::string bytes(file.identity().size, '\0');
  REQUIRE(file.read(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

std::shared_ptr<ObjectFile> file(RootFolder& root, const char* url) {
  auto found = open(root, url);
  REQUIRE(std::holds_alternative<std::shared_ptr<ObjectFile>>(found));
  return std::get<std::shared_ptr<ObjectFile>>(found);
}

}  // namespace

TEST_CASE("files and folders below the root are found, whichever way confines paths") {
  const test::TempFolder folder;
  test::put(folder / "a.bin", "alpha");
  test::put(folder / "sub/deep/b.bin", "beta");
  test::put(folder / "empty", "");
  for (const auto way : kBothWays) {
    const auto root = open_root(folder.path(), way);
    CHECK(content(*file(*root, "a.bin")) == "alpha");
    CHECK(content(*file(*root, "sub/deep/b.bin")) == "beta");
    CHECK(file(*root, "empty")->identity().size == 0);
    const auto listing = std::get<Folder>(open(*root, ""));
    REQUIRE(listing.entries.size() == 3);
    CHECK(listing.entries[0].name == "a.bin");
    CHECK(listing.entries[0].identity == file(*root, "a.bin")->identity());
    CHECK(listing.entries[2].kind == EntryKind::folder);
    CHECK(std::holds_alternative<Folder>(open(*root, "sub")));
    CHECK(std::holds_alternative<Folder>(open(*root, "sub/")));
    CHECK(is_absent(*root, "a.bin/"));
    CHECK(is_absent(*root, "a.bin/x"));
    CHECK(is_absent(*root, "missing"));
    CHECK(is_absent(*root, std::string(300, 'n').c_str()));
  }
}

TEST_CASE("no symlink leads out of the root, whichever way confines paths") {
  const test::TempFolder outside;
  test::put(outside / "secret", "secret");
  const test::TempFolder folder;
  test::put(folder / "root/a.bin", "alpha");
  test::put(folder / "beside", "secret");
  const auto base = folder / "root";
  std::filesystem::create_symlink(outside / "secret", base / "absolute");
  std::filesystem::create_symlink("../beside", base / "relative");
  std::filesystem::create_directory_symlink(outside.path(), base / "folder");
  std::filesystem::create_directory_symlink("..", base / "up");
  std::filesystem::create_symlink("/proc/self/environ", base / "proc");
  std::filesystem::create_symlink("loop", base / "loop");
  for (const auto way : kBothWays) {
    const auto root = open_root(base, way);
    for (const char* url : {"absolute", "relative", "folder/secret", "folder", "up", "up/beside", "proc", "loop"}) {
      CAPTURE(url);
      CHECK(is_absent(*root, url));
    }
    const auto listing = std::get<Folder>(open(*root, ""));
    REQUIRE(listing.entries.size() == 1);
    CHECK(listing.entries[0].name == "a.bin");
  }
}

TEST_CASE("what is in memory is found without waiting, and nothing else than by waiting") {
  const test::TempFolder folder;
  const test::TempFolder outside;
  test::put(outside / "secret", "secret");
  test::put(folder / "sub/a.bin", "alpha");
  std::filesystem::create_symlink(outside / "secret", folder / "way-out");
  std::filesystem::create_symlink("sub/a.bin", folder / "inside");
  const auto root = open_root(folder.path(), Confinement::by_kernel);
  const auto cached = [&](const char* url) { return root->open_cached(*RelativePath::from_url(url)); };
  for (const char* url : {"sub/a.bin", "inside"}) {
    static_cast<void>(open(*root, url));  // in memory from now on
    const auto found = cached(url);
    REQUIRE(found);
    REQUIRE(*found);
    const auto& object = std::get<std::shared_ptr<ObjectFile>>(**found);
    CHECK(object->identity() == file(*root, url)->identity());
    CHECK(content(*object) == "alpha");
  }
  // A folder is listed, and what is not there is looked for, where waiting does no harm.
  for (const char* url : {"", "sub", "sub/", "none", "way-out"}) {
    CAPTURE(url);
    static_cast<void>(open(*root, url));
    CHECK(!cached(url));
  }
  CHECK(!open_root(folder.path(), Confinement::by_component)->open_cached(*RelativePath::from_url("sub/a.bin")));
}

TEST_CASE("a symlink that stays inside is followed by the kernel's way and by no other") {
  const test::TempFolder folder;
  test::put(folder / "sub/a.bin", "alpha");
  std::filesystem::create_symlink("sub/a.bin", folder / "link");
  const auto kernel = open_root(folder.path(), Confinement::by_kernel);
  CHECK(content(*file(*kernel, "link")) == "alpha");
  const auto listing = std::get<Folder>(open(*kernel, ""));
  REQUIRE(listing.entries.size() == 2);
  CHECK(listing.entries[0].is_symlink);
  CHECK(is_absent(*open_root(folder.path(), Confinement::by_component), "link"));
}

TEST_CASE("a FIFO, a socket or a device is no object, and opening one never hangs") {
  const test::TempFolder folder;
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  for (const auto way : kBothWays) {
    const auto root = open_root(folder.path(), way);
    CHECK(is_absent(*root, "fifo"));
    CHECK(std::get<Folder>(open(*root, "")).entries.empty());
  }
}

TEST_CASE("a read after a change fails, however the file was changed") {
  const test::TempFolder folder;
  const auto path = folder / "a.bin";
  const std::vector<std::pair<const char*, void (*)(const std::filesystem::path&)>> changes{
      {"appended", [](const std::filesystem::path& name) { std::ofstream(name, std::ios::app) << "x"; }},
      {"cut", [](const std::filesystem::path& name) { std::filesystem::resize_file(name, 2); }},
      {"time set", [](const std::filesystem::path& name) { std::filesystem::last_write_time(name, {}); }},
      {"removed", [](const std::filesystem::path& name) { std::filesystem::remove(name); }},
  };
  for (const auto& [words, change] : changes) {
    CAPTURE(words);
    test::put(path, "0123456789");
    test::wait_for_next_tick(path);
    const auto root = open_root(folder.path(), Confinement::by_kernel);
    const auto opened = file(*root, "a.bin");
    change(path);
    std::string bytes(10, '\0');
    const auto into = std::as_writable_bytes(std::span(bytes));
    const auto read = opened->read(0, into);
    REQUIRE(!read);
    CHECK(read.error().fault == Fault::changed);
    const auto cached = opened->read_cached(0, into);
    if (cached) CHECK(!*cached);
  }
}

TEST_CASE("a root that is none is refused with its name") {
  const test::TempFolder folder;
  test::put(folder / "file", "x");
  for (const auto& path : {folder / "missing", folder / "file"}) {
    const auto root = RootFolder::open_root(path);
    REQUIRE(!root);
    CHECK(root.error().fault == Fault::local);
    CHECK(root.error().text().find(path.string()) != std::string::npos);
  }
}
