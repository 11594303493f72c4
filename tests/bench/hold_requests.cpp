// SPDX-License-Identifier: Apache-2.0
// What a request costs in memory while it is held for its turn.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/base/size.h"
#include "tests/bench/served.h"
#include "tests/bench/server_works.h"
#include "tests/server/raw_client.h"
#include "tests/support/temp_folder.h"
#include "tests/support/usage.h"

namespace arkvory::bench {

std::optional<std::vector<Row>> hold_requests(const ServerSetting& setting) {
  const std::size_t count = setting.is_tiny ? 50 : 5000;
  const std::string work = fmt::format("{} held requests, memory of each", count);
  // Here and there a descriptor each, and one more there for the file that is open already.
  if (raise_file_limit() < 2 * count + 100) return {{skipped(work, "too few open files are allowed here")}};
  const test::TempFolder folder(setting.disk);
  std::ofstream(folder / "object.bin").put('x');
  std::filesystem::resize_file(folder / "object.bin", 64 * kMiB);
  const Served server(setting.server, folder.path(),
                      {"--sessions", "1", "--transfer-queue-limit", std::to_string(count), "--hold-seconds", "600"});
  test::RawClient holder(server.port());
  holder.send(test::request("GET", "/files/object.bin", "Arkvory-Download-Id: holder-0123456789\r\n"));
  if (holder.read_head().status != 200) return std::nullopt;
  const auto before = test::own_memory(server.pid());
  std::vector<Descriptor> held;
  for (std::size_t i = 0; i < count; ++i) {
    held.push_back(connect_to(server.port()));
    send_all(held.back(), test::request("GET", "/files/object.bin", "User-Agent: curl/7.88.1\r\nAccept: */*\r\n"));
  }
  while (server.ready("held") < count) continue;
  const auto grown = static_cast<double>(test::own_memory(server.pid()) - before);
  return {{alone(work, "KiB", grown / static_cast<double>(count * kKiB), 8)}};
}

}  // namespace arkvory::bench
