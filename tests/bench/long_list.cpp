// SPDX-License-Identifier: Apache-2.0
// A list of a million lines, none of which can be fetched: what of a list is held in memory.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "core/base/size.h"
#include "tests/bench/measure.h"
#include "tests/bench/works.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

namespace {

constexpr int kNetworkFault = 5;  // the exit status of a batch of which a file failed by the network

// A port that nobody listens on: discard (RFC 863), which no system has had open for decades.
constexpr int kClosedPort = 9;

void write_list(const std::filesystem::path& path, std::uint64_t lines) {
  std::ofstream list(path);
  for (std::uint64_t i = 0; i < lines; ++i)
    list << fmt::format("http://127.0.0.1:{0}/a/folder/object-{1:07}.bin\tout=object-{1:07}.bin\n", kClosedPort, i);
}

}  // namespace

std::optional<Measured> long_list(const Setting& setting) {
  const std::uint64_t lines = setting.is_tiny ? 200 : 1'000'000;
  const auto work = fmt::format("a list of {} lines, peak memory", lines);
  if (!has_room(setting.folder, lines * 100)) return Measured{{skipped(work, "there is no room")}};
  const test::TempFolder folder(setting.folder);
  write_list(folder / "list.tsv", lines);
  std::filesystem::create_directory(folder / "files");
  auto how = environment_in(folder.path());
  how.error_file = "/dev/null";  // a line for each that failed
  std::puts(work.c_str());
  const std::vector<Command> commands{{"arkvoryctl",
                                       {setting.client, "download", "-i", (folder / "list.tsv").string(), "-j", "8",
                                        "-d", (folder / "files").string(), "--keep-going", "--max-retries", "0", "-q"},
                                       [](const test::Finished&) { return true; },
                                       kNetworkFault}};
  const auto rounds = alternate(commands, 1, how);
  if (!rounds) return std::nullopt;
  return Measured{{alone(work, *rounds, 0, kPeak, 24)}, largest_peak(*rounds, {0})};
}

}  // namespace arkvory::bench
