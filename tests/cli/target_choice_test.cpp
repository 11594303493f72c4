// SPDX-License-Identifier: Apache-2.0
#include "cli/target_choice.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace arkvory::cli {

namespace {

struct Place {
  test::TempFolder folder;
  PosixFileSystem files;
  std::filesystem::path current = std::filesystem::canonical(folder.path());

  Result<TargetChoice> output(const std::string& name) { return choose_target(files, current, name, std::nullopt); }
  Error refused(const std::string& name) {
    const auto choice = output(name);
    REQUIRE(!choice);
    CHECK(choice.error().fault == Fault::local);
    CHECK(choice.error().words.find(name) != std::string::npos);
    return choice.error();
  }
};

}  // namespace

TEST_CASE("-o names folder and file, absolute and without links") {
  Place place;
  std::filesystem::create_directory(place.folder / "sub");
  std::filesystem::create_directory_symlink("sub", place.folder / "link");
  CHECK(place.output("a.bin")->folder == place.current);
  CHECK(place.output("a.bin")->name == "a.bin");
  CHECK(place.output("sub/a.bin")->folder == place.current / "sub");
  CHECK(place.output("link/a.bin")->folder == place.current / "sub");
  CHECK(place.output("sub/../a.bin")->folder == place.current);
  CHECK(place.output((place.folder / "sub/x").native())->folder == place.current / "sub");
  CHECK(place.output("./-")->name == "-");
}

TEST_CASE("without -o the folder is -d or the current one, and the answer names the file") {
  Place place;
  std::filesystem::create_directory(place.folder / "sub");
  const auto here = choose_target(place.files, place.current, std::nullopt, std::nullopt);
  CHECK(here->folder == place.current);
  CHECK(here->name.empty());
  CHECK(choose_target(place.files, place.current, std::nullopt, "sub")->folder == place.current / "sub");
  const auto missing = choose_target(place.files, place.current, std::nullopt, "none");
  REQUIRE(!missing);
  CHECK(missing.error().fault == Fault::local);
  CHECK(missing.error().words == "folder none does not exist; none is made");
}

TEST_CASE("an existing file is left to the download to judge (D8)") {
  Place place;
  std::ofstream(place.folder / "there") << "x";
  CHECK(place.output("there"));
}

TEST_CASE("a target that can't become a file is refused before anything is requested (E6)") {
  Place place;
  std::filesystem::create_directory(place.folder / "sub");
  std::filesystem::create_symlink("nowhere", place.folder / "link");
  REQUIRE(mkfifo((place.folder / "fifo").c_str(), 0600) == 0);
  std::ofstream(place.folder / "file") << "x";
  CHECK(place.refused("sub").words == "sub is a folder; -d downloads into it");
  CHECK(place.refused("new/").words == "new/ is a folder; -d downloads into it");
  CHECK(place.refused(".").words == ". is a folder; -d downloads into it");
  CHECK(place.refused("link").words == "link is a symbolic link; name the file itself");
  CHECK(place.refused("fifo").words == "fifo is a FIFO, socket or device, no regular file");
  CHECK(place.output("missing/a").error().words == "folder missing does not exist; none is made");
  CHECK(place.output("file/a").error().fault == Fault::local);
}

TEST_CASE("a name must leave room for the files beside it (D7)") {
  Place place;
  CHECK(place.output(std::string(223, 'a')));
  CHECK(place.refused(std::string(224, 'a')).words.find("too long") != std::string::npos);
}

TEST_CASE("a target named to other commands need not exist") {
  Place place;
  std::filesystem::create_directory(place.folder / "sub");
  std::filesystem::create_directory_symlink("sub", place.folder / "link");
  CHECK(absolute_target(place.current, "gone") == place.current / "gone");
  CHECK(absolute_target(place.current, "link/gone") == place.current / "sub/gone");
  CHECK(absolute_target(place.current, "/no/such/folder/x") == "/no/such/folder/x");
}

}  // namespace arkvory::cli
