// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/measure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>

#include "core/base/clock.h"
#include "core/base/rng.h"
#include "core/base/size.h"

namespace arkvory::bench {

namespace {

constexpr std::uint64_t kRoundsShown = 10;
constexpr std::size_t kWordsShown = 300;  // two thousand URLs help nobody

}  // namespace

bool has_room(const std::filesystem::path& folder, std::uint64_t bytes) {
  constexpr std::uint64_t reserve = 128 * kMiB;
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return !error && space.available >= bytes + reserve;
}

std::optional<Sha256Digest> write_content(const std::filesystem::path& path, std::uint64_t size, std::uint64_t seed) {
  std::ofstream file(path, std::ios::binary);
  Rng chance(seed);
  Sha256 digest;
  std::vector<char> block(std::min(256 * kKiB, (size + 7) / 8 * 8));
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

std::string missing_program(const std::vector<std::string>& programs) {
  for (const auto& program : programs) {
    const bool is_nginx = std::filesystem::path(program).filename() == "nginx";
    const auto* const flag = is_nginx ? "-v" : program == "openssl" ? "version" : "--version";
    if (test::run({program, flag}).end.exit_code != 0) return program + " can't be run";
  }
  return {};
}

test::ProcessOptions environment_in(const std::filesystem::path& folder) {
  test::ProcessOptions how;
  how.environment = {{"XDG_STATE_HOME", (folder / "state").string()}};
  for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) how.environment[name] = std::nullopt;
  return how;
}

bool take_file(const std::filesystem::path& path, std::uint64_t size) {
  std::error_code error;
  const bool is_whole = std::filesystem::file_size(path, error) == size && !error;
  return std::filesystem::remove(path, error) && is_whole;
}

std::optional<Run> measure(const Command& command, const test::ProcessOptions& how) {
  const SystemClock clock;
  const auto began = clock.now();
  const auto finished = test::run(command.words, how, std::chrono::minutes(20));
  const std::chrono::duration<double> wall = clock.now() - began;
  if (finished.end.exit_code != command.exit_code || !command.has_done(finished)) {
    const auto words = fmt::format("{}", fmt::join(command.words, " ")).substr(0, kWordsShown);
    std::fputs(fmt::format("bench: {} ended with {} (signal {}), or did not leave what it had to\n{}{}", words,
                           finished.end.exit_code, finished.end.signal, finished.output, finished.error_output)
                   .c_str(),
               stderr);
    return std::nullopt;
  }
  const std::chrono::duration<double> cpu = finished.end.cpu;
  return Run{wall.count(), cpu.count(), finished.end.peak_bytes};
}

std::optional<std::vector<Round>> alternate(const std::vector<Command>& commands, std::uint64_t rounds,
                                            const test::ProcessOptions& how) {
  std::vector<Round> all;
  for (std::size_t turn = 0; turn < rounds; ++turn) {
    Round round(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto which = (i + turn) % commands.size();
      const auto run = measure(commands[which], how);
      if (!run) return std::nullopt;
      round[which] = *run;
    }
    all.push_back(std::move(round));
  }
  if (rounds > kRoundsShown) return all;
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  std::fputs(rounds_in_words(names, all).c_str(), stdout);
  std::fflush(stdout);
  return all;
}

}  // namespace arkvory::bench
