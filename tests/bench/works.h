// SPDX-License-Identifier: Apache-2.0
// What is measured, one file for each work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/figures.h"

namespace arkvory::bench {

struct Setting {
  std::string client{};
  std::string nginx = "/usr/sbin/nginx";
  std::filesystem::path folder{};           // in memory, where that has the room
  std::filesystem::path disk = "/var/tmp";  // not in memory
  std::uint64_t pairs = 5;
  std::uint64_t size = 0;  // of the big file
  bool is_tiny = false;    // as little as goes through the whole of it
};

struct Measured {
  std::vector<Row> rows{};
  std::uint64_t peak_bytes = 0;  // of the client, in any of these runs
};

// Nothing where a run failed, which has been said. What could not be measured here is a row that tells why.
using Work = std::optional<Measured> (*)(const Setting&);

std::optional<Measured> big_file(const Setting& setting);    // wall, CPU, and the peak of 16 connections
std::optional<Measured> small_file(const Setting& setting);  // from start to exit
std::optional<Measured> many_files(const Setting& setting);  // from a list
std::optional<Measured> long_list(const Setting& setting);   // peak memory of a million lines
std::optional<Measured> lossy_link(const Setting& setting);  // against aria2c, over a link of our own

}  // namespace arkvory::bench
