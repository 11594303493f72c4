// SPDX-License-Identifier: Apache-2.0
// Measures the client beside Debian's own curl, openssl and aria2, all fed by Debian's nginx:
//
//   bench --client build/bin/arkvoryctl [--all | --big --small --files --list --link] [--pairs 5] [--size 2GiB]
//         [--nginx PROGRAM] [--folder DIR] [--disk DIR] [--tiny] [--no-limits]
//
// Without a work it measures the big file. The folder is /dev/shm where that has the room, else the one for temporary
// files; --disk is where the same is measured on a disk; --tiny goes through everything with as little as possible.
// The runs of a round follow each other, in turning order, and the table has the medians of the rounds: the machine's
// moods cancel out of the ratios. Ends with 1 where a run fails or a promised figure is far off, with 77 where nothing
// could be measured. This program stays small: a child's peak memory begins with its parent's. With `--client PROGRAM
// --waiting DURATION` it tells instead what waiting in a queue costs, with `--server PROGRAM --handovers N` how fast a
// seat goes to the next client.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/size.h"
#include "tests/bench/figures.h"
#include "tests/bench/handover.h"
#include "tests/bench/measure.h"
#include "tests/bench/waiting.h"
#include "tests/bench/works.h"

namespace arkvory::bench {

namespace {

struct NamedWork {
  const char* option;
  Work work;
};
constexpr std::array kWorks = {
    NamedWork{"--big", &big_file},   NamedWork{"--small", &small_file}, NamedWork{"--files", &many_files},
    NamedWork{"--list", &long_list}, NamedWork{"--link", &lossy_link},
};

struct Options {
  Setting setting{};
  std::vector<Work> works{};
  bool limits = true;
  std::optional<Duration> waiting{};
  std::string server{};
  std::uint64_t handovers = 0;
};

int usage() {
  std::fputs(
      "usage: bench --client PROGRAM [--all | --big --small --files --list --link] [--pairs N] [--size SIZE]\n"
      "             [--nginx PROGRAM] [--folder DIR] [--disk DIR] [--tiny] [--no-limits]\n"
      "       bench --client PROGRAM --waiting DURATION\n"
      "       bench --server PROGRAM --handovers N\n",
      stderr);
  return 2;
}

bool take_flag(Options& options, const std::string& name) {
  if (name == "--no-limits") {
    options.limits = false;
    return true;
  }
  if (name == "--tiny") {
    options.setting.is_tiny = true;
    return true;
  }
  const auto before = options.works.size();
  for (const auto& [option, work] : kWorks)
    if (name == option || name == "--all") options.works.push_back(work);
  return options.works.size() > before;
}

bool take_number(std::uint64_t& into, const std::optional<std::uint64_t>& number) {
  into = number.value_or(0);
  return into > 0;
}

bool take_value(Options& options, const std::string& name, const std::string& value) {
  auto& setting = options.setting;
  const std::map<std::string, std::function<bool()>> values = {
      {"--client", [&] { return !(setting.client = value).empty(); }},
      {"--server", [&] { return !(options.server = value).empty(); }},
      {"--nginx", [&] { return !(setting.nginx = value).empty(); }},
      {"--folder", [&] { return !(setting.folder = value).empty(); }},
      {"--disk", [&] { return !(setting.disk = value).empty(); }},
      {"--size", [&] { return take_number(setting.size, parse_size(value)); }},
      {"--pairs", [&] { return take_number(setting.pairs, parse_number(value)); }},
      {"--handovers", [&] { return take_number(options.handovers, parse_number(value)); }},
      {"--waiting", [&] { return (options.waiting = parse_duration(value)) > Duration(0); }},
  };
  const auto found = values.find(name);
  return found != values.end() && found->second();
}

void fill_in(Options& options) {
  auto& setting = options.setting;
  if (options.works.empty()) options.works.push_back(&big_file);
  if (setting.size == 0) setting.size = setting.is_tiny ? 8 * kMiB : 2 * kGiB;
  if (setting.is_tiny) setting.pairs = 1;
  if (!setting.folder.empty()) return;
  const bool has_memory = has_room("/dev/shm", 2 * setting.size);
  setting.folder = has_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
}

std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (take_flag(options, arguments[i])) continue;
    if (i + 1 == arguments.size() || !take_value(options, arguments[i], arguments[i + 1])) return std::nullopt;
    ++i;
  }
  if ((options.handovers > 0 ? options.server : options.setting.client).empty()) return std::nullopt;
  fill_in(options);
  return options;
}

int measure_all(const Options& options) {
  std::vector<Row> rows;
  std::uint64_t peak = 0;
  for (const auto work : options.works) {
    const auto measured = work(options.setting);
    if (!measured) return 1;
    rows.insert(rows.end(), measured->rows.begin(), measured->rows.end());
    peak = std::max(peak, measured->peak_bytes);
  }
  if (peak > 0) rows.push_back(alone("any of these, peak memory", {{Run{0, 0, peak}}}, 0, kPeak, 24));
  std::fputs(("\n" + table(rows)).c_str(), stdout);
  return exit_status(rows, options.limits);
}

}  // namespace

}  // namespace arkvory::bench

int main(int argc, char** argv) {
  const auto options = arkvory::bench::parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) return arkvory::bench::usage();
  if (options->handovers > 0) return arkvory::bench::run_handover(options->server, options->handovers);
  if (options->waiting) return arkvory::bench::run_waiting(options->setting.client, *options->waiting);
  return arkvory::bench::measure_all(*options);
}
