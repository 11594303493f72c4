// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/owner.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/base/file_system.h"
#include "tests/checkpoint/fake_processes.h"
#include "tests/support/temp_folder.h"

namespace arkvory {

TEST_CASE("an owner lives while boot and start time are its own (E3)") {
  test::FakeProcesses processes(Owner{100, "boot-a", 1000});
  processes.run(Owner{7, "boot-a", 70});
  CHECK(is_alive(processes, Owner{7, "boot-a", 70}));
  CHECK(!is_alive(processes, Owner{7, "boot-a", 71}));  // the pid was reused
  CHECK(!is_alive(processes, Owner{7, "boot-b", 70}));  // another boot
  CHECK(!is_alive(processes, Owner{8, "boot-a", 70}));  // no such process
  CHECK(!is_alive(processes, Owner{7, "", 70}));        // unknown
}

TEST_CASE("this process is found in the machine's table") {
  SystemProcessTable processes;
  const auto self = processes.self();
  CHECK(self.pid == ::getpid());
  CHECK(self.boot_id.size() == 36);
  CHECK(self.start_time > 0);
  CHECK(is_alive(processes, self));
}

TEST_CASE("a process that has ended is not alive") {
  SystemProcessTable processes;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    while (true) ::pause();
  }
  const auto start_time = processes.start_time(child);
  REQUIRE(start_time.has_value());
  const Owner owner{child, processes.self().boot_id, *start_time};
  CHECK(is_alive(processes, owner));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(!is_alive(processes, owner));
}

TEST_CASE("a program's name with spaces and brackets does not move the fields") {
  test::TempFolder proc;
  std::filesystem::create_directories(proc / "42");
  std::ofstream(proc / "42/stat") << "42 (a) b (c 1 2) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21\n";
  std::filesystem::create_directories(proc / "43");
  std::ofstream(proc / "43/stat") << "43 (short) S 1 2\n";
  SystemProcessTable processes(proc.path());
  CHECK(processes.start_time(42) == 4242);
  CHECK(processes.start_time(43) == std::nullopt);
  CHECK(processes.start_time(44) == std::nullopt);
  CHECK(processes.self().boot_id.empty());
}

TEST_CASE("the holder of a lock is read from the kernel's table by device and inode") {
  test::TempFolder proc;
  std::ofstream(proc / "locks") << "1: POSIX  ADVISORY  WRITE 1 fe:01:1234 0 EOF\n"
                                   "2: FLOCK  ADVISORY  WRITE 0 fe:01:1234 0 EOF\n"
                                   "2: -> FLOCK  ADVISORY  WRITE 3 fe:01:1234 0 EOF\n"
                                   "3: FLOCK  ADVISORY  WRITE 708 fe:01:1234 0 EOF\n"
                                   "damaged\n"
                                   "4: FLOCK  ADVISORY  WRITE 709 fe:01:12345 0 EOF\n";
  SystemProcessTable processes(proc.path());
  const std::string device = std::to_string((0xFEU << 8U) | 1U);
  CHECK(processes.lock_holder(device + ":1234") == 708);
  CHECK(processes.lock_holder(device + ":12345") == 709);
  CHECK(processes.lock_holder(device + ":123") == std::nullopt);
  CHECK(processes.lock_holder("nonsense") == std::nullopt);
  CHECK(processes.lock_holder("1:x") == std::nullopt);
}

}  // namespace arkvory
