// SPDX-License-Identifier: Apache-2.0
// Running commands side by side, and what they need around them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "tests/bench/figures.h"
#include "tests/support/process.h"

namespace arkvory::bench {

// Whether there is room for `bytes` and for the reserve that the client wants to stay free.
bool has_room(const std::filesystem::path& folder, std::uint64_t bytes);

// Writes `size` bytes that no file system can leave out or pack, and tells their digest; nothing where the disk fails.
std::optional<Sha256Digest> write_content(const std::filesystem::path& path, std::uint64_t size,
                                          std::uint64_t seed = 1);

// The first of these programs that can't be run, in words; empty where all can.
std::string missing_program(const std::vector<std::string>& programs);

// Our environment, but with the client's registry in `folder` and without the proxies of this machine.
test::ProcessOptions environment_in(const std::filesystem::path& folder);

struct Command {
  std::string name;
  std::vector<std::string> words;
  // Called after a run that ended as it had to: whether all that it had to leave is there. Takes it away again.
  std::function<bool(const test::Finished&)> has_done;
  int exit_code = 0;
};

// Whether exactly these bytes are at `path`, by their number; removes it.
bool take_file(const std::filesystem::path& path, std::uint64_t size);

// Runs each command once a round, each round beginning with the next of them, and prints what few rounds brought.
// Nothing, said on stderr, where a run failed.
std::optional<std::vector<Round>> alternate(const std::vector<Command>& commands, std::uint64_t rounds,
                                            const test::ProcessOptions& how);
// One run; likewise.
std::optional<Run> measure(const Command& command, const test::ProcessOptions& how);

}  // namespace arkvory::bench
