// SPDX-License-Identifier: Apache-2.0
// Measures the server, where there is a peer beside Debian's nginx:
//
//   bench_server --server build/bin/arkvory-stub [--all | --files --held --crowd --cold] [--pairs 5] [--nginx PROGRAM]
//                [--disk DIR] [--tiny] [--no-limits]
//
// Without a work it measures all. Ends with 1 where a run fails or a promised figure is five times off, with 77 where
// nothing could be measured.
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "core/base/size.h"
#include "tests/bench/figures.h"
#include "tests/bench/served.h"
#include "tests/bench/server_works.h"

namespace arkvory::bench {

namespace {

struct NamedWork {
  const char* option;
  ServerWork work;
};
constexpr std::array kWorks = {NamedWork{"--files", &send_files}, NamedWork{"--held", &hold_requests},
                               NamedWork{"--crowd", &answer_crowd}, NamedWork{"--cold", &read_cold}};

struct Options {
  ServerSetting setting{};
  std::vector<ServerWork> works{};
  bool limits = true;
};

bool take_flag(Options& options, const std::string& name) {
  if (name == "--no-limits") return !(options.limits = false);
  if (name == "--tiny") return options.setting.is_tiny = true;
  const auto before = options.works.size();
  for (const auto& [option, work] : kWorks)
    if (name == option || name == "--all") options.works.push_back(work);
  return options.works.size() > before;
}

bool take_value(ServerSetting& setting, const std::string& name, const std::string& value) {
  if (name == "--server") setting.server = value;
  if (name == "--nginx") setting.nginx = value;
  if (name == "--disk") setting.disk = value;
  if (name == "--pairs") setting.pairs = parse_number(value).value_or(0);
  return (name == "--server" || name == "--nginx" || name == "--disk" || name == "--pairs") && !value.empty() &&
         setting.pairs > 0;
}

std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (take_flag(options, arguments[i])) continue;
    if (i + 1 == arguments.size() || !take_value(options.setting, arguments[i], arguments[i + 1])) return std::nullopt;
    ++i;
  }
  if (options.setting.server.empty()) return std::nullopt;
  if (options.works.empty()) take_flag(options, "--all");
  if (options.setting.is_tiny) options.setting.pairs = 1;
  return options;
}

int measure_all(const Options& options) {
  std::vector<Row> rows;
  for (const auto work : options.works) {
    const auto measured = work(options.setting);
    if (!measured) return 1;
    rows.insert(rows.end(), measured->begin(), measured->end());
  }
  std::fputs(("\n" + table(rows)).c_str(), stdout);
  return exit_status(rows, options.limits);
}

}  // namespace

}  // namespace arkvory::bench

int main(int argc, char** argv) {
  const auto options = arkvory::bench::parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) {
    std::fputs(
        "usage: bench_server --server PROGRAM [--all | --files --held --crowd --cold] [--pairs N] [--nginx PROGRAM]\n"
        "                    [--disk DIR] [--tiny] [--no-limits]\n",
        stderr);
    return 2;
  }
  arkvory::bench::raise_file_limit();
  return arkvory::bench::measure_all(*options);
}
