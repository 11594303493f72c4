// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library into a client, it lets one kind of call fail: FAILING_CALL names it, FAILING_ERRNO is the
// error, FAILING_AFTER so many calls go well before, FAILING_TIMES so many fail then (all where it is left out). With
// FAILING_SIGNAL the client gets that signal in place of the error.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace {

long number(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : strtol(text, nullptr, 10);
}

bool fails(const char* call) {
  static std::atomic<long> seen = 0;
  const char* chosen = getenv("FAILING_CALL");
  if (chosen == nullptr || strcmp(chosen, call) != 0) return false;
  const long before = number("FAILING_AFTER", 0);
  const long count = seen++;
  const long times = number("FAILING_TIMES", 1'000'000'000);
  if (count < before || count - before >= times) return false;
  if (const long signal = number("FAILING_SIGNAL", 0); signal > 0) kill(getpid(), static_cast<int>(signal));
  errno = static_cast<int>(number("FAILING_ERRNO", EIO));
  return true;
}

}  // namespace

extern "C" {

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return fails("write") ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

int fdatasync(int file) { return fails("sync") ? -1 : static_cast<int>(syscall(SYS_fdatasync, file)); }

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (fails("publish")) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
  return fails("allocate") ? -1 : static_cast<int>(syscall(SYS_fallocate, file, mode, offset, length));
}

int posix_fallocate64(int file, off64_t offset, off64_t length) {
  if (fails("allocate")) return errno;
  return syscall(SYS_fallocate, file, 0, offset, length) == 0 ? 0 : errno;
}

}  // extern "C"
