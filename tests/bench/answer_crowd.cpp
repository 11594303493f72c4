// SPDX-License-Identifier: Apache-2.0
// What a full queue costs the server: those who wait ask as often as they are told to, once in five minutes (E3), and
// then far more often.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/base/size.h"
#include "tests/bench/crowd.h"
#include "tests/bench/served.h"
#include "tests/bench/server_works.h"
#include "tests/server/raw_client.h"
#include "tests/support/temp_folder.h"
#include "tests/support/usage.h"

namespace arkvory::bench {

namespace {

constexpr double kOwnRate = 220;  // of 65,536, each once in 298 s

double milliseconds(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

}  // namespace

std::optional<std::vector<Row>> answer_crowd(const ServerSetting& setting) {
  const std::size_t count = setting.is_tiny ? 200 : 65'535;  // with the one that holds the seat 65,536
  const Duration measured = std::chrono::seconds(setting.is_tiny ? 1 : 30);
  const test::TempFolder folder(setting.disk);
  std::ofstream(folder / "object.bin").put('x');
  std::filesystem::resize_file(folder / "object.bin", 64 * kMiB);
  // The one seat moves at a trickle, so that all the others wait.
  const Served server(setting.server, folder.path(), {"--sessions", "1", "--bandwidth", "64KiB/s"});
  test::RawClient holder(server.port());
  holder.send(test::request("GET", "/files/object.bin", "Arkvory-Download-Id: holder-0123456789\r\n"));
  if (holder.read_head().status != 200) return std::nullopt;
  Crowd crowd(server.port(), 32);
  if (!crowd.join(count)) return std::nullopt;
  // A newcomer is told to ask again soon; from its second answer on it is told when it is worth while.
  if (!crowd.ask_when_told(std::chrono::seconds(setting.is_tiny ? 1 : 40))) return std::nullopt;
  crowd.take_delays();

  const auto before = test::usage_of(server.pid());
  if (!crowd.ask_at(kOwnRate, measured)) return std::nullopt;
  const auto used = static_cast<double>(test::usage_of(server.pid()).on_cpu - before.on_cpu) / 1e9;
  const auto seconds = std::chrono::duration<double>(measured).count();
  const auto asked = static_cast<double>(crowd.take_delays().size()) / seconds;

  if (!crowd.ask_at(1000, measured)) return std::nullopt;
  auto delays = crowd.take_delays();
  std::ranges::sort(delays);
  const auto answered = static_cast<double>(delays.size()) / seconds;
  if (answered < 900 && !setting.is_tiny) {
    std::fputs(fmt::format("bench: only {:.0f} questions a second were answered\n", answered).c_str(), stderr);
    return std::nullopt;
  }
  const auto who = fmt::format("{} sessions", server.ready("waiting") + server.ready("active"));
  std::puts(fmt::format("{}: {:.0f} questions a second, then {:.0f}: median {:.3f} ms, longest {:.3f} ms", who, asked,
                        answered, milliseconds(delays[delays.size() / 2]), milliseconds(delays.back()))
                .c_str());
  return {{alone(who + " asking when told to, of a core", "%", 100 * used / seconds, 5),
           alone(who + ", 1,000 questions a second, p99", "ms", milliseconds(delays[delays.size() * 99 / 100]), 5)}};
}

}  // namespace arkvory::bench
