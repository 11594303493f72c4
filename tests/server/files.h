// SPDX-License-Identifier: Apache-2.0
// Small helpers to put files where a test wants them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/base/ensure.h"

namespace arkvory::test {

inline void put(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  ensure(file.good(), "a test can write its files");
}

// Returns once the kernel stamps files with another time than `path` has: a change from now on shows in its times.
inline void wait_for_next_tick(const std::filesystem::path& path) {
  const auto probe = path.string() + ".tick";
  do {
    put(probe, "x");
  } while (std::filesystem::last_write_time(probe) == std::filesystem::last_write_time(path));
  std::filesystem::remove(probe);
}

}  // namespace arkvory::test
