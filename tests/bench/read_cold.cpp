// SPDX-License-Identifier: Apache-2.0
// What a file that has to come from the disk delays: who waits is answered meanwhile as always.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "core/base/descriptor.h"
#include "core/base/size.h"
#include "tests/bench/crowd.h"
#include "tests/bench/measure.h"
#include "tests/bench/served.h"
#include "tests/bench/server_works.h"
#include "tests/server/raw_client.h"
#include "tests/support/temp_folder.h"

namespace arkvory::bench {

namespace {

// Out of the page cache, as far as nobody else holds it.
bool forget(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() && fdatasync(file.number()) == 0 &&
         posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED) == 0;
}

}  // namespace

std::optional<std::vector<Row>> read_cold(const ServerSetting& setting) {
  const auto size = setting.is_tiny ? 32 * kMiB : 4 * kGiB;
  const auto work = format_size(size) + " from a cold disk, longest wait of who is in the queue";
  if (!has_room(setting.disk, size)) return {{skipped(work, setting.disk.string() + " has no room")}};
  const test::TempFolder folder(setting.disk);
  if (!write_content(folder / "object.bin", size) || !forget(folder / "object.bin")) return std::nullopt;
  const Served server(setting.server, folder.path(), {"--sessions", "1"});
  std::atomic<std::uint64_t> received = 0;
  std::atomic<bool> is_over = false;
  test::RawClient reader(server.port());
  reader.send(test::request("GET", "/files/object.bin", "Arkvory-Download-Id: holder-0123456789\r\n"));
  if (reader.read_head().status != 200) return std::nullopt;
  Crowd crowd(server.port(), 16);
  if (!crowd.join(500)) return std::nullopt;
  crowd.take_delays();
  std::thread reading([&] {
    while (received < size) {
      const auto some = reader.read_some(64 * kKiB).size();
      if (some == 0) break;
      received += some;
    }
    is_over = true;
  });
  bool is_answered = true;
  while (!is_over && is_answered) is_answered = crowd.ask_at(200, std::chrono::milliseconds(200));
  reading.join();
  if (!is_answered || received < size) {
    std::fputs("bench: the cold file did not come whole, or one who waits was not answered\n", stderr);
    return std::nullopt;
  }
  auto delays = crowd.take_delays();
  const std::chrono::duration<double, std::milli> longest = *std::ranges::max_element(delays);
  return {{alone(work, "ms", longest.count(), 50)}};
}

}  // namespace arkvory::bench
