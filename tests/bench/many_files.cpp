// SPDX-License-Identifier: Apache-2.0
// 2,000 files of 64 KiB from a list: what a file costs beside its bytes. Each of ours is synced and verified.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "core/base/size.h"
#include "tests/bench/measure.h"
#include "tests/bench/nginx.h"
#include "tests/bench/works.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

namespace {

constexpr std::uint64_t kSize = 64 * kKiB;
constexpr int kAtOnce = 8;

struct Entry {
  std::string name;
  std::string sha256;
};

// The objects, in a folder of nginx's. Nothing where the disk fails.
std::optional<std::vector<Entry>> write_objects(const std::filesystem::path& folder, std::uint64_t count) {
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = fmt::format("object-{:04}.bin", i);
    const auto digest = write_content(folder / name, kSize, i + 1);
    if (!digest) return std::nullopt;
    entries.push_back({name, digest->to_hex()});
  }
  return entries;
}

std::filesystem::path write_list(const test::TempFolder& folder, const std::vector<Entry>& entries,
                                 const Nginx& nginx) {
  const auto path = folder / "list.tsv";
  std::ofstream list(path);
  for (const auto& entry : entries)
    list << nginx.url(entry.name) << "\tout=" << entry.name << "\tsha256=" << entry.sha256 << '\n';
  return path;
}

// The same for curl, into the folder given.
std::filesystem::path write_config(const test::TempFolder& folder, const std::filesystem::path& target,
                                   const std::vector<Entry>& entries, const Nginx& nginx) {
  const auto path = folder / "curl.config";
  std::ofstream config(path);
  for (const auto& entry : entries)
    config << "url = \"" << nginx.url(entry.name) << "\"\noutput = \"" << (target / entry.name).string() << "\"\n";
  return path;
}

// Whether all files are in the folder, whole and nothing beside them; empties it.
bool take_files(const std::filesystem::path& target, std::uint64_t count) {
  std::uint64_t whole = 0;
  std::uint64_t all = 0;
  for (const auto& entry : std::filesystem::directory_iterator(target)) {
    ++all;
    if (entry.is_regular_file() && entry.file_size() == kSize) ++whole;
  }
  for (const auto& entry : std::filesystem::directory_iterator(target)) std::filesystem::remove_all(entry.path());
  return whole == count && all == count;
}

std::optional<Row> measure_in(const Setting& setting, const std::filesystem::path& parent, const Nginx& nginx,
                              const std::vector<Entry>& entries, const std::string& work, double limit,
                              std::uint64_t& peak) {
  const test::TempFolder folder(parent);
  const auto target = folder / "files";
  std::filesystem::create_directory(target);
  const auto list = write_list(folder, entries, nginx);
  const auto config = write_config(folder, target, entries, nginx);
  const auto at_once = std::to_string(kAtOnce);
  const auto took = [&](const test::Finished&) { return take_files(target, entries.size()); };
  const std::vector<Command> commands{
      {"arkvoryctl",
       {setting.client, "download", "-i", list.string(), "-j", at_once, "-d", target.string(), "-q"},
       took},
      {"curl",
       {"curl", "-q", "-s", "-f", "--parallel", "--parallel-immediate", "--parallel-max", at_once, "-K",
        config.string()},
       took}};
  std::puts(work.c_str());
  const auto rounds = alternate(commands, setting.pairs, environment_in(folder.path()));
  if (!rounds) return std::nullopt;
  peak = std::max(peak, largest_peak(*rounds, {0}));
  return compared(work + ", wall", fmt::format("curl --parallel, {} at once", kAtOnce), *rounds, 0, 1, kWall, limit);
}

}  // namespace

std::optional<Measured> many_files(const Setting& setting) {
  const std::uint64_t count = setting.is_tiny ? 20 : 2000;
  const auto work = fmt::format("{} files of {}", count, format_size(kSize));
  if (const auto missing = missing_program({setting.nginx, "curl"}); !missing.empty())
    return Measured{{skipped(work, missing)}};
  if (!has_room(setting.folder, 2 * count * kSize) || !has_room(setting.disk, count * kSize))
    return Measured{{skipped(work, "there is no room")}};
  const test::TempFolder folder(setting.folder);
  const auto entries = write_objects(folder.path(), count);
  if (!entries) return std::nullopt;
  const Nginx nginx(setting.nginx, folder.path());
  std::uint64_t peak = 0;
  const auto in_memory = measure_in(setting, setting.folder, nginx, *entries, work + ", in memory", 1.5, peak);
  if (!in_memory) return std::nullopt;
  // curl syncs nothing: on a disk this is the price of a promise, and no race.
  const auto on_disk = measure_in(setting, setting.disk, nginx, *entries, work + ", on disk", 0, peak);
  if (!on_disk) return std::nullopt;
  return Measured{{*in_memory, *on_disk}, peak};
}

}  // namespace arkvory::bench
