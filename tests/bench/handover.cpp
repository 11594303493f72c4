// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/handover.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/size.h"
#include "tests/server/raw_client.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr Milliseconds kPromised{50};
constexpr std::uint64_t kSize = 64 * kMiB;  // more than sockets hold: who does not read keeps the seat

void wait_until(std::uint16_t port, std::string_view fact) {
  while (test::ask(port, "GET", "/readyz").body.find(fact) == std::string::npos) {
  }
}

// One holder that does not read, one client that is held, and the seat given up.
std::optional<Milliseconds> hand_over(std::uint16_t port, std::uint64_t turn) {
  const SystemClock clock;
  wait_until(port, R"("active":0)");  // the last turn's client is gone, and its idle time over
  const auto id = fmt::format("Arkvory-Download-Id: holder-{:016}\r\n", turn);
  test::RawClient holder(port);
  holder.send(test::request("GET", "/files/object.bin", id));
  if (holder.read_head().status != 200) return std::nullopt;
  test::RawClient held(port);
  held.send(test::request("GET", "/files/object.bin", "Range: bytes=0-99\r\n"));
  wait_until(port, R"("held":1)");
  test::RawClient remover(port);
  const auto began = clock.now();
  remover.send(test::request("DELETE", "/files/object.bin", id));
  if (held.read_head().status != 206 || held.read_some(1).empty()) return std::nullopt;
  return clock.now() - began;
}

}  // namespace

int run_handover(const std::string& server, std::uint64_t times) {
  const test::TempFolder folder;
  std::ofstream(folder / "object.bin").put('x');
  std::filesystem::resize_file(folder / "object.bin", kSize);
  // Who has read one range only gives its seat back after the idle time.
  test::Process process({server, "serve", "--root", folder.path().string(), "--sessions", "1", "--idle-seconds", "1"});
  const auto line = process.read_line(std::chrono::seconds(20)).value_or("");
  const auto port = parse_number(line.substr(line.rfind(':') + 1));
  if (!line.starts_with("listening ") || !port) {
    std::fputs("bench: the server did not start\n", stderr);
    return 1;
  }
  std::vector<Milliseconds> all;
  for (std::uint64_t turn = 0; turn < times; ++turn) {
    const auto took = hand_over(static_cast<std::uint16_t>(*port), turn);
    if (!took) {
      std::fputs("bench: the held client got no seat\n", stderr);
      return 1;
    }
    all.push_back(*took);
  }
  std::sort(all.begin(), all.end());
  const auto median = all[all.size() / 2];
  std::puts(fmt::format("from a seat falling free to the first byte of the next client: median {:.2f} ms, longest "
                        "{:.2f} ms of {}; promised: {:.0f} ms",
                        median.count(), all.back().count(), times, kPromised.count())
                .c_str());
  return median > kPromised ? 1 : 0;
}

}  // namespace arkvory::bench
