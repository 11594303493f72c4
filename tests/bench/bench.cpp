// SPDX-License-Identifier: Apache-2.0
// Compares a verified download with curl and openssl one after the other, both from nginx on loopback, all files on
// tmpfs:
//
//   bench --client build/bin/arkvoryctl [--pairs 5] [--size 2GiB] [--nginx PROGRAM] [--folder DIR] [--no-limits]
//
// The folder is /dev/shm where that has the room, else the one for temporary files.
// The runs of a pair follow each other, in turning order, and the table has the median of the pairs: the machine's
// moods cancel out of the ratios. Ends with 1 where a run fails or a promised figure is far off, with 77 where nginx,
// curl, openssl or the room for the files is missing. This program stays small: a child's peak memory begins with its
// parent's. With `--client PROGRAM --waiting DURATION` it tells instead what waiting in a queue costs, with `--server
// PROGRAM --handovers N` how fast a seat goes to the next client.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/rng.h"
#include "core/base/size.h"
#include "tests/bench/figures.h"
#include "tests/bench/handover.h"
#include "tests/bench/nginx.h"
#include "tests/bench/waiting.h"
#include "tests/support/process.h"

namespace arkvory::bench {

namespace {

constexpr int kSkipped = 77;

struct Options {
  std::string client{};
  std::string nginx = "/usr/sbin/nginx";
  std::filesystem::path folder{};  // empty: the first that has the room
  std::uint64_t pairs = 5;
  std::uint64_t size = 2 * kGiB;
  bool limits = true;
  std::optional<Duration> waiting{};
  std::string server{};
  std::uint64_t handovers = 0;
};

int usage() {
  std::fputs(
      "usage: bench --client PROGRAM [--pairs N] [--size SIZE] [--nginx PROGRAM] [--folder DIR] [--no-limits]\n"
      "       bench --client PROGRAM --waiting DURATION\n"
      "       bench --server PROGRAM --handovers N\n",
      stderr);
  return 2;
}

std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string name = arguments[i];
    if (name == "--no-limits") {
      options.limits = false;
      continue;
    }
    if (++i == arguments.size()) return std::nullopt;
    const std::string value = arguments[i];
    const auto number = name == "--size" ? parse_size(value) : parse_number(value);
    const bool is_count = name == "--size" || name == "--pairs" || name == "--handovers";
    if (is_count && (!number || *number == 0)) return std::nullopt;
    const auto duration = name == "--waiting" ? parse_duration(value) : std::nullopt;
    if (name == "--waiting" && (!duration || *duration <= Duration(0))) return std::nullopt;
    if (name == "--client")
      options.client = value;
    else if (name == "--server")
      options.server = value;
    else if (name == "--handovers")
      options.handovers = *number;
    else if (name == "--nginx")
      options.nginx = value;
    else if (name == "--folder")
      options.folder = value;
    else if (name == "--size")
      options.size = *number;
    else if (name == "--waiting")
      options.waiting = duration;
    else if (name == "--pairs")
      options.pairs = *number;
    else
      return std::nullopt;
  }
  if ((options.handovers > 0 ? options.server : options.client).empty()) return std::nullopt;
  return options;
}

// A folder of the bench's own that a worker running as `nobody` may read.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent) {
    auto pattern = (parent / "arkvory-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return;
    path_ = pattern;
    chmod(path_.c_str(), 0755);
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Writes `size` bytes that no file system can leave out or pack, and tells their digest; nothing where the disk fails.
std::optional<Sha256Digest> write_content(const std::filesystem::path& path, std::uint64_t size) {
  std::ofstream file(path, std::ios::binary);
  Rng chance(1);
  Sha256 digest;
  std::vector<char> block(256 * kKiB);
  for (std::uint64_t left = size; left > 0;) {
    for (std::size_t at = 0; at < block.size(); at += sizeof(std::uint64_t)) {
      const auto value = chance.next();
      std::memcpy(block.data() + at, &value, sizeof value);
    }
    const auto count = std::min<std::uint64_t>(left, block.size());
    file.write(block.data(), static_cast<std::streamsize>(count));
    digest.update(std::as_bytes(std::span(block)).first(count));
    left -= count;
  }
  file.close();
  if (!file) return std::nullopt;
  return digest.finish();
}

// Room for the file, a copy of it, and the client's own reserve.
bool has_room(const std::filesystem::path& folder, std::uint64_t size) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return !error && space.available >= 2 * size + 128 * kMiB;
}

std::filesystem::path chosen_folder(const Options& options) {
  if (!options.folder.empty()) return options.folder;
  if (has_room("/dev/shm", options.size)) return "/dev/shm";
  return std::filesystem::temp_directory_path();
}

// What is not there and has to be; empty where all is.
std::string missing_thing(const Options& options, const Folder& folder) {
  if (folder.path().empty()) return fmt::format("no folder can be made in {}", chosen_folder(options).string());
  if (!has_room(folder.path(), options.size)) return fmt::format("{} has no room", chosen_folder(options).string());
  for (const auto& [program, flag] : {std::pair{options.nginx, "-v"}, {"curl", "--version"}, {"openssl", "version"}}) {
    if (test::run({program, flag}).end.exit_code != 0) return program + " can't be run";
  }
  return {};
}

// Runs a command that has to leave the whole file at `target`, which is removed again.
std::optional<Run> measure(const std::vector<std::string>& command, const std::filesystem::path& target,
                           const Options& options, const test::ProcessOptions& how, const std::string& expected) {
  const SystemClock clock;
  const auto began = clock.now();
  const auto finished = test::run(command, how, std::chrono::minutes(10));
  const std::chrono::duration<double> wall = clock.now() - began;
  std::error_code error;
  const auto size = std::filesystem::file_size(target, error);
  if (finished.end.exit_code != 0 || error || size != options.size ||
      finished.output.find(expected) == std::string::npos) {
    std::fputs(fmt::format("bench: {} ended with {} and {} bytes\n{}{}", fmt::join(command, " "),
                           finished.end.exit_code, error ? 0 : size, finished.output, finished.error_output)
                   .c_str(),
               stderr);
    return std::nullopt;
  }
  std::filesystem::remove(target);
  const std::chrono::duration<double> cpu = finished.end.cpu;
  return Run{wall.count(), cpu.count(), finished.end.peak_bytes};
}

struct Commands {
  std::vector<std::string> verified;
  std::vector<std::string> curl_then_hash;
  std::vector<std::string> curl;
};

std::optional<Pair> run_pair(const Commands& commands, std::size_t turn, const std::filesystem::path& target,
                             const Options& options, const test::ProcessOptions& how, const std::string& hex) {
  Pair pair;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto which = (i + turn) % 3;
    const auto& command = which == 0 ? commands.verified : which == 1 ? commands.curl_then_hash : commands.curl;
    const auto run = measure(command, target, options, how, which == 1 ? hex : std::string());
    if (!run) return std::nullopt;
    (which == 0 ? pair.verified : which == 1 ? pair.curl_then_hash : pair.curl) = *run;
  }
  return pair;
}

int run_bench(const Options& options) {
  const Folder folder(chosen_folder(options));
  if (const auto missing = missing_thing(options, folder); !missing.empty()) {
    std::puts(fmt::format("skipped: {}", missing).c_str());
    return kSkipped;
  }
  const auto digest = write_content(folder.path() / "content.bin", options.size);
  if (!digest) {
    std::fputs("bench: the file to download can't be written\n", stderr);
    return 1;
  }
  const auto hex = digest->to_hex();
  const auto target = folder.path() / "target.bin";
  const Nginx nginx(options.nginx, folder.path());
  const auto url = nginx.url("content.bin");
  const auto curl = fmt::format("curl -s -f -o '{}' '{}'", target.string(), url);
  const Commands commands{
      {options.client, "download", url, "-o", target.string(), "--sha256", hex, "-q"},
      {"/bin/sh", "-c", fmt::format("{} && openssl dgst -sha256 '{}'", curl, target.string())},
      {"/bin/sh", "-c", "exec " + curl},
  };
  // The client's registry stays in the folder; a proxy of this machine's is not asked for loopback.
  test::ProcessOptions how;
  how.environment = {{"XDG_STATE_HOME", (folder.path() / "state").string()}, {"no_proxy", "127.0.0.1"}};

  std::puts(fmt::format("a file of {} from nginx on loopback, {} pairs, in {}", format_size(options.size),
                        options.pairs, chosen_folder(options).string())
                .c_str());
  std::vector<Pair> pairs;
  for (std::size_t turn = 0; turn < options.pairs; ++turn) {
    const auto pair = run_pair(commands, turn, target, options, how, hex);
    if (!pair) return 1;
    pairs.push_back(*pair);
  }
  std::fputs(table(pairs).c_str(), stdout);
  if (!options.limits) return 0;
  return std::ranges::any_of(promises(pairs), &Promise::is_far_off) ? 1 : 0;
}

}  // namespace

}  // namespace arkvory::bench

int main(int argc, char** argv) {
  const auto options = arkvory::bench::parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) return arkvory::bench::usage();
  if (options->handovers > 0) return arkvory::bench::run_handover(options->server, options->handovers);
  if (options->waiting) return arkvory::bench::run_waiting(options->client, *options->waiting);
  return arkvory::bench::run_bench(*options);
}
