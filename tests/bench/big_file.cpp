// SPDX-License-Identifier: Apache-2.0
// A file of 2 GiB from nginx on loopback, in memory at both ends: what the client itself costs.
#include <fmt/format.h>

#include <cstdio>

#include "core/base/size.h"
#include "tests/bench/measure.h"
#include "tests/bench/nginx.h"
#include "tests/bench/works.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

std::optional<Measured> big_file(const Setting& setting) {
  const auto size = format_size(setting.size);
  if (const auto missing = missing_program({setting.nginx, "curl", "openssl"}); !missing.empty())
    return Measured{{skipped(size, missing)}};
  if (!has_room(setting.folder, 2 * setting.size))
    return Measured{{skipped(size, setting.folder.string() + " has no room")}};
  const test::TempFolder folder(setting.folder);
  const auto digest = write_content(folder / "content.bin", setting.size);
  if (!digest) {
    std::fputs("bench: the file to download can't be written\n", stderr);
    return std::nullopt;
  }
  const auto hex = digest->to_hex();
  const auto target = folder / "target.bin";
  const Nginx nginx(setting.nginx, folder.path());
  const auto url = nginx.url("content.bin");

  const std::vector<std::string> unverified{setting.client, "download", url, "-o", target.string(), "-q"};
  auto verified = unverified;
  verified.insert(verified.end(), {"--sha256", hex});
  auto wide = verified;
  wide.insert(wide.end(), {"-c", "16"});
  const std::vector<std::string> curl{"curl", "-q", "-s", "-f", "-o", target.string(), url};
  const auto then_hash =
      fmt::format("curl -q -s -f -o '{0}' '{1}' && openssl dgst -sha256 '{0}'", target.string(), url);
  const auto took = [&](const test::Finished&) { return take_file(target, setting.size); };
  const auto hashed = [&](const test::Finished& finished) {
    return take_file(target, setting.size) && finished.output.find(hex) != std::string::npos;
  };
  enum : std::size_t { kVerified, kUnverified, kWide, kCurl, kCurlThenHash };
  const std::vector<Command> commands{{"verified", verified, took},
                                      {"without a digest", unverified, took},
                                      {"-c 16", wide, took},
                                      {"curl", curl, took},
                                      {"curl && openssl", {"/bin/sh", "-c", then_hash}, hashed}};
  std::puts(fmt::format("{} from nginx on loopback, in {}", size, setting.folder.string()).c_str());
  const auto rounds = alternate(commands, setting.pairs, environment_in(folder.path()));
  if (!rounds) return std::nullopt;
  return Measured{
      {
          compared(size + " verified, wall", "curl -o", *rounds, kVerified, kCurl, kWall, 1.10),
          compared(size + " verified, wall", "curl -o && openssl dgst", *rounds, kVerified, kCurlThenHash, kWall, 0.60),
          compared(size + " without a digest to check, CPU", "curl -o", *rounds, kUnverified, kCurl, kCpu, 0.75),
          alone(size + " over 16 connections, peak memory", *rounds, kWide, kPeak, 32),
      },
      largest_peak(*rounds, {kVerified, kUnverified})};
}

}  // namespace arkvory::bench
