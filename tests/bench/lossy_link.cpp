// SPDX-License-Identifier: Apache-2.0
// A long, slow link that loses packets: several connections at once, and what is done about a slow one.
#include <fmt/format.h>

#include <cstdio>

#include "core/base/size.h"
#include "tests/bench/measure.h"
#include "tests/bench/nginx.h"
#include "tests/bench/tun_link.h"
#include "tests/bench/works.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

namespace {

// 20 Mbit/s, 100 ms there and back. What may wait in front of the slow part is as much as the link itself holds.
constexpr LinkNature kNature{std::chrono::milliseconds(50), 2'500'000, 250'000, 50};
constexpr std::uint64_t kSeed = 4;

// Linux's own way to respond to loss, whatever this machine's is: a single connection can't fill such a link with it.
void use_cubic(const TunLink& link) {
  const auto done = test::run({"ip", "route", "replace", link.network(), "dev", link.device(), "congctl", "cubic"});
  if (done.end.exit_code != 0) std::puts("  ip(8) can't set it: TCP responds to loss as this machine is set");
}

}  // namespace

std::optional<Measured> lossy_link(const Setting& setting) {
  const auto size = setting.is_tiny ? 256 * kKiB : 32 * kMiB;
  const auto work = fmt::format("{} over 2 x 50 ms, 20 Mbit/s, 0.5 % loss, -c 4", format_size(size));
  if (const auto missing = missing_program({setting.nginx, "aria2c"}); !missing.empty())
    return Measured{{skipped(work, missing)}};
  const auto link = TunLink::make(kNature, kSeed);
  if (!link) return Measured{{skipped(work, link.error().text())}};
  const test::TempFolder folder(setting.folder);
  const auto digest = write_content(folder / "content.bin", size);
  if (!digest) return std::nullopt;

  std::optional<Nginx> nginx;
  {
    const auto visit = (*link)->at_server();
    use_cubic(**link);
    nginx.emplace(setting.nginx, folder.path(), (*link)->server_address());
  }
  const auto visit = (*link)->at_client();
  const auto target = folder / "target.bin";
  const auto url = nginx->url("content.bin");
  const auto took = [&](const test::Finished&) { return take_file(target, size); };
  const std::vector<std::string> aria2{"aria2c", "--no-conf=true",       "-q", "-x4",        "-s4",
                                       "-d",     folder.path().string(), "-o", "target.bin", url};
  // Left alone it splits nothing below 40 MiB; with -k1M it uses its four connections.
  auto splitting = aria2;
  splitting.insert(splitting.end() - 1, "-k1M");
  const Command on_one{"aria2c", aria2, took};
  const std::vector<Command> commands{
      {"arkvoryctl",
       {setting.client, "download", url, "-o", target.string(), "-q", "-c", "4", "--sha256", digest->to_hex()},
       took},
      {"aria2c -k1M", splitting, took}};
  std::puts(work.c_str());
  const auto how = environment_in(folder.path());
  auto rounds = alternate(commands, setting.pairs, how);
  // One connection takes minutes for it: one run has to do for all rounds.
  const auto one = rounds ? measure(on_one, how) : std::nullopt;
  std::puts(("  " + (*link)->traffic()).c_str());
  if (!one) return std::nullopt;
  for (auto& round : *rounds) round.push_back(*one);
  return Measured{{compared(work + ", wall", "aria2c -x4 -s4", *rounds, 0, 2, kWall, 0.95),
                   compared(work + ", wall", "aria2c -x4 -s4 -k1M", *rounds, 0, 1, kWall, 0.95)},
                  largest_peak(*rounds, {0})};
}

}  // namespace arkvory::bench
