// SPDX-License-Identifier: Apache-2.0
// The workspace on the machine's disk, between real processes.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checkpoint/disk_workspace.h"
#include "checkpoint/read_checkpoint.h"
#include "core/engine/file_names.h"
#include "core/engine/part_file.h"
#include "tests/checkpoint/example.h"
#include "tests/support/temp_folder.h"

namespace arkvory {

namespace {

struct Machine {
  test::TempFolder folder;
  std::filesystem::path target = folder / "out.bin";
  PosixFileSystem files;
  SystemClock clock;
  SystemProcessTable processes;
  Registry registry{files, folder / "state"};
  DiskWorkspace workspace{files, clock, processes, &registry};
};

// Another process that claims, records five bytes, says so, and then stays until it is killed.
pid_t start_other(Machine& machine, bool recording) {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto place = machine.workspace.claim(machine.target);
    if (!place) ::_exit(1);
    if (recording) {
      PartFile part(place->part, part_path(machine.target));
      if (!part.write(0, std::as_bytes(std::span(std::string_view("hello"))))) ::_exit(1);
      if (!part.sync()) ::_exit(1);
      auto facts = DownloadFacts{test::id(), test::url("http://ann:hush@example.org/a?sig=k")};
      facts.shape.token_file = "/home/ann/token";
      facts.shape.header_names = {"X-Api-Key"};
      if (!place->log->record(facts, part.synced())) ::_exit(1);
    }
    if (::write(ready[1], "y", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  ::close(ready[1]);
  char told = '?';
  REQUIRE(::read(ready[0], &told, 1) == 1);
  ::close(ready[0]);
  return child;
}

void kill_other(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("a second process is told who has the target, and takes it over after a kill") {
  Machine machine;
  bool recording = false;
  SUBCASE("with a record") { recording = true; }
  SUBCASE("before the first record") { recording = false; }
  const pid_t other = start_other(machine, recording);
  auto refused = machine.workspace.claim(machine.target);
  auto owner = running_owner(machine.files, machine.processes, machine.target);
  auto discarded = discard(machine.files, machine.processes, &machine.registry, machine.target);
  kill_other(other);

  REQUIRE(!refused.has_value());
  CHECK(refused.error().fault == Fault::locked);
  REQUIRE(!discarded.has_value());
  CHECK(discarded.error().fault == Fault::locked);
  if (recording) {
    CHECK(refused.error().words.find("pid " + std::to_string(other)) != std::string::npos);
    CHECK((*owner)->pid == other);
  }

  auto place = machine.workspace.claim(machine.target);
  REQUIRE_MESSAGE(place.has_value(), place.error().text());
  CHECK(place->notes.empty());
  auto saved = place->log->restore();
  REQUIRE(saved.has_value());
  CHECK(saved->has_value() == recording);
  if (recording) CHECK((*saved)->claimed == IntervalSet{ByteRange(0, 5)});
}

TEST_CASE("the checkpoint holds references and no secret, for its owner only (E11)") {
  Machine machine;
  kill_other(start_other(machine, true));
  const auto path = checkpoint_path(machine.target);
  const auto text = **read_whole(machine.files, path, kLargestCheckpoint);
  CHECK(text.find("hush") == std::string::npos);
  CHECK(text.find("ann:") == std::string::npos);
  CHECK(text.find("/home/ann/token") != std::string::npos);
  struct stat about {};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
  REQUIRE(::stat(part_path(machine.target).c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
  REQUIRE(::stat((machine.folder / "state/registry").c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0700);
}

TEST_CASE("of many processes that claim one target at once exactly one gets it") {
  Machine machine;
  for (int round = 0; round < 5; ++round) {
    int outcomes[2];
    int release[2];
    REQUIRE(::pipe(outcomes) == 0);
    REQUIRE(::pipe(release) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        ::close(release[1]);
        auto place = machine.workspace.claim(machine.target);
        const char told = place ? 'y' : place.error().fault == Fault::locked ? 'l' : 'e';
        if (::write(outcomes[1], &told, 1) != 1) ::_exit(1);
        char end = 0;
        if (::read(release[0], &end, 1) < 0) ::_exit(1);  // until all have tried
        place = fail(Fault::interrupted, "over");
        ::_exit(0);
      }
      children.push_back(child);
    }
    ::close(release[0]);
    std::string told(6, '?');
    for (auto& c : told) REQUIRE(::read(outcomes[0], &c, 1) == 1);
    ::close(release[1]);
    for (const auto child : children) ::waitpid(child, nullptr, 0);
    ::close(outcomes[0]);
    ::close(outcomes[1]);
    CAPTURE(told);
    CHECK(std::count(told.begin(), told.end(), 'y') == 1);
    CHECK(std::count(told.begin(), told.end(), 'l') == 5);
    CHECK(machine.files.list(machine.folder.path())->empty());
  }
}

}  // namespace arkvory
