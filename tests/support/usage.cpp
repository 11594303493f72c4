// SPDX-License-Identifier: Apache-2.0
#include "tests/support/usage.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/size.h"

namespace arkvory::test {

namespace {

std::uint64_t number_after(std::istream& text, const std::string& name) {
  std::uint64_t number = 0;
  for (std::string word; text >> word;)
    if (word == name) {
      text >> number;
      break;
    }
  return number;
}

}  // namespace

Usage usage_of(pid_t pid) {
  Usage usage;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    std::ifstream schedule(task.path() / "schedstat");
    std::uint64_t on_cpu = 0;
    schedule >> on_cpu;
    std::ifstream status(task.path() / "status");
    const auto own_will = number_after(status, "voluntary_ctxt_switches:");
    const auto forced = number_after(status, "nonvoluntary_ctxt_switches:");
    usage.on_cpu += on_cpu;
    usage.wake_ups += own_will;
    usage.switches += own_will + forced;
  }
  return usage;
}

std::size_t open_descriptors(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator all(fmt::format("/proc/{}/fd", pid), error);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::uint64_t own_memory(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  return number_after(status, "RssAnon:") * kKiB;
}

}  // namespace arkvory::test
