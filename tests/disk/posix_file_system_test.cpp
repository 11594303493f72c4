// SPDX-License-Identifier: Apache-2.0
// What only the machine's disk has: links, special files, access bits, signals, limits.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "core/base/file_system.h"
#include "tests/support/temp_folder.h"

namespace arkvory {

namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

mode_t mode_of(const fs::path& path) {
  struct stat about {};
  REQUIRE(::lstat(path.c_str(), &about) == 0);
  return about.st_mode & 07777;
}

// Sets the umask for a test and puts it back.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

// Runs `work` in a process of its own and returns its exit status.
template <typename Work>
int in_child(Work work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(work());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a symlink is not followed to write and is followed to read") {
  PosixFileSystem files;
  test::TempFolder folder;
  std::ofstream(folder / "real") << "content";
  fs::create_symlink(folder / "real", folder / "link");
  fs::create_symlink(folder / "nowhere", folder / "dangling");

  auto written = files.open_or_create(folder / "link", Access::shared);
  REQUIRE(!written.has_value());
  CHECK(written.error().fault == Fault::local);
  CHECK(written.error().text() == "cannot open " + (folder / "link").string() + " (it is a symbolic link)");
  CHECK(!files.open_or_create(folder / "dangling", Access::shared).has_value());
  CHECK(!fs::exists(folder / "nowhere"));
  CHECK(*read_whole(files, folder / "link", 100) == "content");
  CHECK(*files.open_to_read(folder / "dangling") == nullptr);
  CHECK((*files.status(folder / "link"))->kind == FileKind::symlink);
}

TEST_CASE("a FIFO without another end is refused at once") {
  PosixFileSystem files;
  test::TempFolder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  auto written = files.open_or_create(folder / "fifo", Access::shared);
  auto read = files.open_to_read(folder / "fifo");
  REQUIRE(!written.has_value());
  REQUIRE(!read.has_value());
  CHECK(written.error().cause == "it is a FIFO");
  CHECK(read.error().cause == "it is a FIFO");
  CHECK((*files.status(folder / "fifo"))->kind == FileKind::other);
}

TEST_CASE("a device is refused") {
  PosixFileSystem files;
  auto opened = files.open_or_create("/dev/null", Access::shared);
  REQUIRE(!opened.has_value());
  CHECK(opened.error().cause == "it is a special file");
  CHECK(!files.open_to_read("/dev/zero").has_value());
}

TEST_CASE("rename_to_new replaces neither a symlink nor a FIFO (E6)") {
  PosixFileSystem files;
  test::TempFolder folder;
  std::ofstream(folder / "a") << "content";
  fs::create_symlink(folder / "nowhere", folder / "link");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(*files.rename_to_new(folder / "a", folder / "link") == false);
  CHECK(*files.rename_to_new(folder / "a", folder / "fifo") == false);
  CHECK(fs::is_symlink(folder / "link"));
}

TEST_CASE("of many that rename to one new name exactly one succeeds") {
  PosixFileSystem files;
  test::TempFolder folder;
  int successes = 0;
  for (int i = 0; i < 4; ++i) {
    const auto mine = folder / ("part" + std::to_string(i));
    std::ofstream(mine) << i;
    if (in_child([&] {
          auto done = files.rename_to_new(mine, folder / "target");
          return done && *done ? 1 : 0;
        }) == 1)
      ++successes;
  }
  CHECK(successes == 1);
  CHECK(*read_whole(files, folder / "target", 10) == "0");
}

TEST_CASE("new files are 0666 less the umask or 0600 and state is 0600 in folders of 0700") {
  const Umask umask(027);
  PosixFileSystem files;
  test::TempFolder folder;
  auto shared = files.open_or_create(folder / "shared", Access::shared);
  auto owned = files.open_or_create(folder / "owned", Access::owner_only);
  CHECK(mode_of(folder / "shared") == 0640);
  CHECK(mode_of(folder / "owned") == 0600);
  REQUIRE((*owned)->set_access(Access::shared).has_value());
  CHECK(mode_of(folder / "owned") == 0640);
  REQUIRE((*shared)->set_access(Access::owner_only).has_value());
  CHECK(mode_of(folder / "shared") == 0600);
  REQUIRE(files.make_folders(folder / "x" / "y").has_value());
  CHECK(mode_of(folder / "x") == 0700);
  CHECK(mode_of(folder / "x" / "y") == 0700);
  std::ofstream(folder / "state") << "readable by the group";
  REQUIRE(files.replace_durably(folder / "state", bytes_of("now")).has_value());
  CHECK(mode_of(folder / "state") == 0600);
  CHECK(::umask(027) == 027);
}

TEST_CASE("what lies under the name aside is not written through") {
  PosixFileSystem files;
  test::TempFolder folder;
  std::ofstream(folder / "precious") << "precious";
  fs::create_hard_link(folder / "precious", aside_path(folder / "state"));
  REQUIRE(files.replace_durably(folder / "state", bytes_of("now")).has_value());
  CHECK(*read_whole(files, folder / "precious", 100) == "precious");
  fs::create_symlink(folder / "precious", aside_path(folder / "state"));
  REQUIRE(files.replace_durably(folder / "state", bytes_of("then")).has_value());
  CHECK(*read_whole(files, folder / "precious", 100) == "precious");
  CHECK(*read_whole(files, folder / "state", 100) == "then");
  CHECK(!fs::is_symlink(folder / "state"));
}

TEST_CASE("a symlinked target of a replacement is itself replaced") {
  PosixFileSystem files;
  test::TempFolder folder;
  std::ofstream(folder / "precious") << "precious";
  fs::create_symlink(folder / "precious", folder / "state");
  REQUIRE(files.replace_durably(folder / "state", bytes_of("now")).has_value());
  CHECK(*read_whole(files, folder / "precious", 100) == "precious");
}

TEST_CASE("open files are closed in programs that are started") {
  PosixFileSystem files;
  test::TempFolder folder;
  auto file = files.open_or_create(folder / "a", Access::shared);
  bool found = false;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (fs::read_symlink(entry.path(), ignored) != fs::canonical(folder / "a")) continue;
    found = true;
    CHECK((::fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK(found);
}

TEST_CASE("a limit on file sizes is a local failure that names it (E4: EFBIG)") {
  PosixFileSystem files;
  test::TempFolder folder;
  const int outcome = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit { 4096, 4096 };
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    auto file = files.open_or_create(folder / "a", Access::shared);
    auto written = (*file)->write_at(0, bytes_of(std::string(8192, 'x')));
    if (written || written.error().fault != Fault::local || !written.error().cause.starts_with("File too large"))
      return 3;
    auto replaced = files.replace_durably(folder / "state", bytes_of(std::string(8192, 'x')));
    if (replaced || !replaced.error().cause.starts_with("File too large")) return 4;
    return 0;
  });
  CHECK(outcome == 0);
  CHECK(*files.list(folder.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("a file whose size is not known before is read to its end") {
  PosixFileSystem files;
  auto content = read_whole(files, "/proc/self/status", 1 << 20);
  REQUIRE(content.has_value());
  CHECK((*content)->find("Pid:") != std::string::npos);
}

TEST_CASE("the lock of a killed process is free") {
  PosixFileSystem files;
  test::TempFolder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto file = files.open_or_create(folder / "a", Access::shared);
    const char told = *(*file)->try_lock() ? 'y' : 'n';
    if (::write(ready[1], &told, 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char told = '?';
  REQUIRE(::read(ready[0], &told, 1) == 1);
  CHECK(told == 'y');
  auto file = files.open_or_create(folder / "a", Access::shared);
  CHECK(!*(*file)->try_lock());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(*(*file)->try_lock());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a modified time is set to the nanosecond") {
  PosixFileSystem files;
  test::TempFolder folder;
  auto file = files.open_or_create(folder / "a", Access::shared);
  REQUIRE((*file)->set_modified_time(WallTime(std::chrono::nanoseconds(1'500'000'000'123'456'789))).has_value());
  struct stat about {};
  REQUIRE(::stat((folder / "a").c_str(), &about) == 0);
  CHECK(about.st_mtim.tv_sec == 1'500'000'000);
  CHECK(about.st_mtim.tv_nsec == 123'456'789);
}

}  // namespace arkvory
