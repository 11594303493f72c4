// SPDX-License-Identifier: Apache-2.0
// A file of 1 KiB: what it costs to begin and to end.
#include <fmt/format.h>

#include <cstdio>

#include "core/base/size.h"
#include "tests/bench/measure.h"
#include "tests/bench/nginx.h"
#include "tests/bench/works.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

namespace {

constexpr const char* kWork = "1 KiB, from start to exit";

// So short a run that its ratio needs many.
constexpr std::uint64_t kRoundsPerPair = 20;

std::optional<Row> measure_in(const Setting& setting, const std::filesystem::path& parent, const Nginx& nginx,
                              const char* where, double limit, std::uint64_t& peak) {
  const test::TempFolder folder(parent);
  const auto target = folder / "target.bin";
  const auto url = nginx.url("content.bin");
  const auto took = [&](const test::Finished&) { return take_file(target, kKiB); };
  const std::vector<Command> commands{
      {"arkvoryctl", {setting.client, "download", url, "-o", target.string(), "-q"}, took},
      {"curl", {"curl", "-q", "-s", "-f", "-o", target.string(), url}, took}};
  const auto count = setting.is_tiny ? 1 : kRoundsPerPair * setting.pairs;
  const auto rounds = alternate(commands, count, environment_in(folder.path()));
  if (!rounds) return std::nullopt;
  peak = std::max(peak, largest_peak(*rounds, {0}));
  return compared(fmt::format("{}, {}", kWork, where), "curl -o", *rounds, 0, 1, kWallMilliseconds, limit);
}

}  // namespace

std::optional<Measured> small_file(const Setting& setting) {
  if (const auto missing = missing_program({setting.nginx, "curl"}); !missing.empty())
    return Measured{{skipped(kWork, missing)}};
  const test::TempFolder folder(setting.folder);
  if (!write_content(folder / "content.bin", kKiB)) return std::nullopt;
  const Nginx nginx(setting.nginx, folder.path());
  std::puts(kWork);
  std::uint64_t peak = 0;
  const auto in_memory = measure_in(setting, setting.folder, nginx, "in memory", 1.5, peak);
  if (!in_memory) return std::nullopt;
  // curl syncs nothing: on a disk this is the price of a promise, and no race.
  const auto on_disk = measure_in(setting, setting.disk, nginx, "on disk", 0, peak);
  if (!on_disk) return std::nullopt;
  return Measured{{*in_memory, *on_disk}, peak};
}

}  // namespace arkvory::bench
