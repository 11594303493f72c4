// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/owner.h"

#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/base/size.h"

namespace arkvory {

namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

// The device and inode as /proc/locks writes them: `08:01:1234`, major and minor in hexadecimal.
std::optional<std::string> lock_table_name(const std::string& identity) {
  const auto colon = identity.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto device = parse_number(identity.substr(0, colon));
  const auto inode = parse_number(identity.substr(colon + 1));
  if (!device || !inode) return std::nullopt;
  char name[64];
  std::snprintf(name, sizeof name, "%02x:%02x:%llu", ::major(*device), ::minor(*device),
                static_cast<unsigned long long>(*inode));
  return name;
}

}  // namespace

bool is_alive(ProcessTable& processes, const Owner& owner) {
  if (owner.boot_id.empty() || owner.boot_id != processes.self().boot_id) return false;
  return processes.start_time(owner.pid) == owner.start_time;
}

Owner SystemProcessTable::self() {
  const std::int64_t pid = ::getpid();
  return Owner{pid, first_line(proc_ / "sys/kernel/random/boot_id"), start_time(pid).value_or(0)};
}

std::optional<std::uint64_t> SystemProcessTable::start_time(std::int64_t pid) {
  const auto line = first_line(proc_ / std::to_string(pid) / "stat");
  // Field 2, the program's name in brackets, may hold spaces and brackets; after its last bracket comes field 3.
  const auto bracket = line.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(bracket + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number)
    if (!(fields >> field)) return std::nullopt;
  return parse_number(field);
}

std::optional<std::int64_t> SystemProcessTable::lock_holder(const std::string& identity) {
  const auto wanted = lock_table_name(identity);
  if (!wanted) return std::nullopt;
  std::ifstream table(proc_ / "locks");
  std::string line;
  // `1: FLOCK  ADVISORY  WRITE 708 08:01:1234 0 EOF`; a waiting one has `->` after the number.
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string number, kind, manner, access, pid, file;
    if (!(fields >> number >> kind >> manner >> access >> pid >> file)) continue;
    if (kind != "FLOCK" || file != *wanted) continue;
    const auto holder = parse_number(pid);
    if (holder && *holder > 0) return static_cast<std::int64_t>(*holder);
  }
  return std::nullopt;
}

}  // namespace arkvory
