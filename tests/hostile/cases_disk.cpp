// SPDX-License-Identifier: Apache-2.0
// Disks that fail or are full, and targets that are no files.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace fs = std::filesystem;

namespace {

std::function<void(Stage&)> failing(const std::string& call, int error, int after, int times = 0) {
  return [=](Stage& stage) {
    stage.environment["LD_PRELOAD"] = ARKVORY_FAILING_DISK;
    stage.environment["FAILING_CALL"] = call;
    stage.environment["FAILING_ERRNO"] = std::to_string(error);
    stage.environment["FAILING_AFTER"] = std::to_string(after);
    if (times > 0) stage.environment["FAILING_TIMES"] = std::to_string(times);
  };
}

Case failure(const std::string& id, const std::string& title, const std::string& said,
             std::function<void(Stage&)> before) {
  return {.id = id,
          .title = title,
          .right = {.exits = {10}, .says = {said}},
          .only_ours = true,
          .before = std::move(before)};
}

void limit_files(Stage& stage) { stage.wrapper = {"bash", "-c", "ulimit -f 1024; exec \"$@\"", "bash"}; }

bool mounted(Stage& stage, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mount");
  arguments.push_back(stage.files().string());
  return test::run(arguments).end.exit_code == 0;
}

// On a file system of its own, which is taken away before the further run.
Verdict play_on(Stage& stage, const std::vector<std::string>& mount) {
  if (!mounted(stage, mount)) return Verdict::skipped("mounts are refused here");
  stage.site().answer_with(ok());
  const auto run = stage.run();
  test::run({"umount", stage.files().string()});
  return judge(stage, run);
}

Verdict play_read_only(Stage& stage) {
  if (!mounted(stage, {"--bind", stage.files().string()})) return Verdict::skipped("mounts are refused here");
  return play_on(stage, {"-o", "remount,bind,ro"});
}

// The target is something else from the beginning: nothing is asked for, nothing of it is changed.
Verdict play_odd_target(Stage& stage, const std::function<void(const fs::path&)>& make) {
  const auto target = stage.file("out.bin");
  make(target);
  const auto before = fs::symlink_status(target).type();
  stage.site().answer_with(ok());
  const auto run = stage.run();
  if (!run.end) return Verdict::of("hangs");
  if (run.end->exit_code != 10) return Verdict::of(fmt::format("exit {}, expected 10", run.end->exit_code));
  if (fs::symlink_status(target).type() != before) return Verdict::of("the target was replaced");
  return Verdict::of(run.bytes_sent() < kSlack ? "" : "fetched it all for a target that can't be");
}

// The target becomes something else while it is fetched: the verified bytes stay, and a further run needs no more.
Verdict play_late_target(Stage& stage, const std::function<void(const fs::path&)>& make) {
  const auto target = stage.file("out.bin");
  stage.site().answer_with([make, target, right = ok()](const Ask& ask) {
    make(target);
    right(ask);
  });
  const auto run = stage.run();
  if (!run.end) return Verdict::of("hangs");
  if (run.end->exit_code != 10) return Verdict::of(fmt::format("exit {}, expected 10", run.end->exit_code));
  if (!equals(stage.file("out.bin.arkvory-part"), stage.object().bytes))
    return Verdict::of("the verified bytes were not kept");
  fs::remove_all(target);
  stage.site().answer_with(ok());
  const auto again = stage.run();
  stage.last = run;
  if (!again.is_right) return Verdict::of("the next run does not finish: " + again.errors);
  return Verdict::of(again.bytes_sent() < kSlack ? "" : "the next run fetches it again");
}

void make_folder(const fs::path& path) { fs::create_directory(path); }
void make_link(const fs::path& path) { fs::create_symlink("elsewhere", path); }
void make_fifo(const fs::path& path) { mkfifo(path.c_str(), 0600); }
void make_file(const fs::path& path) { put(path, "somebody else's"); }

Case target(const std::string& id, const std::string& title, bool late, std::function<void(const fs::path&)> make) {
  return {.id = id, .title = title, .only_ours = true, .course = [late, make = std::move(make)](Stage& stage) {
            return late ? play_late_target(stage, make) : play_odd_target(stage, make);
          }};
}

}  // namespace

std::vector<Case> disk_cases() {
  return {
      failure("E4a", "a limit on file sizes (EFBIG)", "too large", limit_files),
      failure("E4b", "EDQUOT after some writes", "quota", failing("write", EDQUOT, 3)),
      failure("E4c", "EROFS after some writes", "read-only", failing("write", EROFS, 3)),
      failure("E4d", "EIO on a write", "out.bin", failing("write", EIO, 3)),
      failure("E4e", "EIO on each sync", "out.bin", failing("sync", EIO, 0)),
      {.id = "E4f",
       .title = "EIO on the first sync",
       .server = edited(only_first(1, cut_after(kSmall / 2, Break::fin))),
       .right = {.exits = {0, 10}, .most_bytes = 2 * kSmall},
       .only_ours = true,
       .before = failing("sync", EIO, 0, 1)},
      {.id = "E4g",
       .title = "a disk with 66 MiB",
       .right = {.exits = {10}, .says = {"free"}},
       .apart = true,
       .only_ours = true,
       .course =
           [](Stage& stage) {
             return play_on(stage, {"-t", "tmpfs", "-o", "size=66m", "none"});
           }},
      {.id = "E4h",
       .title = "a read-only file system",
       .right = {.exits = {10}, .says = {"read-only"}},
       .apart = true,
       .only_ours = true,
       .course = play_read_only},
      {.id = "E5",
       .title = "fallocate: EOPNOTSUPP",
       .right = {.most_requests = 1},
       .only_ours = true,
       .before = failing("allocate", EOPNOTSUPP, 0)},
      target("E6a", "the target is a folder", false, make_folder),
      target("E6b", "the target is a dangling link", false, make_link),
      target("E6c", "the target is a FIFO", false, make_fifo),
      target("E6d", "the target becomes a folder meanwhile", true, make_folder),
      target("E6e", "the target becomes a file meanwhile", true, make_file),
  };
}

}  // namespace arkvory::hostile
