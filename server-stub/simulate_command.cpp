// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/file_system.h"
#include "core/base/size.h"
#include "server-stub/simulate/plot.h"
#include "server-stub/simulate/report.h"

namespace arkvory::server {
namespace {

constexpr std::size_t kLongestScenario = 64 * kMiB;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, Close>;

std::string name_of(const std::filesystem::path& scenario) {
  return scenario == "-" ? "standard input" : scenario.string();
}

Result<std::string> read_stdin() {
  std::string text;
  std::string piece(64 * kKiB, '\0');
  while (const auto count = std::fread(piece.data(), 1, piece.size(), stdin)) {
    text.append(piece, 0, count);
    if (text.size() > kLongestScenario) return fail(Fault::local, "standard input is longer than a scenario may be");
  }
  if (std::ferror(stdin) != 0) return fail(Fault::local, "cannot read standard input", std::strerror(errno));
  return text;
}

Result<std::string> read_scenario(const std::filesystem::path& path) {
  if (path == "-") return read_stdin();
  PosixFileSystem files;
  const auto text = read_whole(files, path, kLongestScenario);
  if (!text) return pass_on(text.error());
  if (!*text) return fail(Fault::local, "cannot read " + path.string(), std::strerror(ENOENT));
  return **text;
}

// A file that tells of a failed write when it is closed.
class Output {
 public:
  static Result<Output> open(const std::filesystem::path& path) {
    Output output;
    output.path_ = path;
    output.file_.reset(std::fopen(path.c_str(), "we"));
    if (!output.file_) return fail(Fault::local, "cannot write " + path.string(), std::strerror(errno));
    return output;
  }

  void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), file_.get()); }

  Result<void> close() {
    const bool has_failed = std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0;
    if (has_failed) return fail(Fault::local, "cannot write " + path_.string() + " to its end", std::strerror(errno));
    return {};
  }

 private:
  std::filesystem::path path_;
  OpenFile file_;
};

Result<void> print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return fail(Fault::local, "cannot write to standard output", std::strerror(errno));
}

// Nothing is printed where the setting does not take the values.
Result<void> print_sweep(const Scenario& scenario, const Sweep& sweep, bool is_json) {
  Result<void> printed;
  const auto ran = run_sweep(scenario, sweep, [&](std::uint64_t value, const SimulationReport& report) {
    const auto number = std::to_string(value);
    if (is_json)
      printed = print("{\"" + sweep.setting + "\":" + number + "," + json(report).substr(1) + "\n");
    else
      printed = print((value == sweep.from ? table_head(sweep.setting) : "") + table_row(number, report));
    return printed.has_value();
  });
  return ran ? printed : ran;
}

// Of what `options` asks for a file, opened before anything runs: hours of figures are not to be lost to a bad path.
Result<std::optional<Output>> open_where_wanted(const std::filesystem::path& path) {
  if (path.empty()) return std::optional<Output>();
  auto opened = Output::open(path);
  if (!opened) return pass_on(opened.error());
  return std::optional<Output>(std::move(*opened));
}

}  // namespace

Result<void> run_simulate(const SimulateOptions& options) {
  const auto text = read_scenario(options.scenario);
  if (!text) return pass_on(text.error());
  const auto scenario = parse_scenario(*text);
  if (!scenario) return fail(Fault::usage, name_of(options.scenario) + ": " + scenario.error().words);
  if (options.sweep) return print_sweep(*scenario, *options.sweep, options.is_json);
  auto events = open_where_wanted(options.events);
  if (!events) return pass_on(events.error());
  auto picture = open_where_wanted(options.plot);
  if (!picture) return pass_on(picture.error());
  SimulationWatch watch;
  if (*events) watch.on_event = [&](const SimulatedEvent& event) { (*events)->write(json(*scenario, event) + "\n"); };
  const auto report = simulate(*scenario, watch);
  if (*picture) (*picture)->write(plot(run_strategies(*scenario), scenario->clients.size()));
  for (auto* output : {&*events, &*picture})
    if (*output)
      if (auto closed = (*output)->close(); !closed) return closed;
  return print(options.is_json ? json(report) + "\n" : table(*scenario, report));
}

}  // namespace arkvory::server
