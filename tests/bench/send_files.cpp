// SPDX-License-Identifier: Apache-2.0
// Ranges of 8 MiB over four connections from a file in the page cache, beside nginx with sendfile. The reader throws
// the bytes away inside the kernel, so that it is the server that is measured.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "core/base/clock.h"
#include "core/base/ensure.h"
#include "core/base/size.h"
#include "tests/bench/fast_link.h"
#include "tests/bench/measure.h"
#include "tests/bench/nginx.h"
#include "tests/bench/served.h"
#include "tests/bench/server_works.h"
#include "tests/support/temp_folder.h"
#include "tests/support/usage.h"

namespace arkvory::bench {

namespace {

constexpr std::uint64_t kRange = 8 * kMiB;
constexpr std::size_t kConnections = 4;

struct Source {
  std::uint16_t port;
  pid_t pid;
  std::string address;
  std::string target;
  std::string headers;
};

// Asks for one range after the other of a file that is read round and round.
class Discarder {
 public:
  Discarder(const Source& source, std::uint64_t file_size, std::uint64_t ranges)
      : source_(source), file_size_(file_size), ranges_left_(ranges) {
    for (std::size_t i = 0; i < kConnections; ++i)
      streams_.push_back({connect_to(source.port, source.address), {}, 0, false});
  }

  // Whether all came as asked for.
  bool run() {
    for (auto& stream : streams_) ask(stream);
    while (std::ranges::any_of(streams_, &Stream::is_busy)) {
      std::vector<pollfd> waited;
      for (const auto& stream : streams_) waited.push_back({stream.is_busy ? stream.socket.number() : -1, POLLIN, 0});
      ensure(poll(waited.data(), waited.size(), 20'000) > 0, "the server goes on sending");
      for (std::size_t i = 0; i < waited.size(); ++i)
        if (waited[i].revents != 0 && !take(streams_[i])) return false;
    }
    return true;
  }

 private:
  struct Stream {
    Descriptor socket;
    std::string head;
    std::uint64_t body_left;
    bool is_busy;
  };

  void ask(Stream& stream) {
    stream.is_busy = ranges_left_ > 0;
    if (!stream.is_busy) return;
    ranges_left_ -= 1;
    send_all(stream.socket, fmt::format("GET {} HTTP/1.1\r\nHost: bench\r\n{}Range: bytes={}-{}\r\n\r\n",
                                        source_.target, source_.headers, next_, next_ + kRange - 1));
    next_ = (next_ + kRange) % file_size_;
  }

  bool take(Stream& stream) {
    std::array<char, 4096> piece;
    const bool in_body = stream.body_left > 0;
    const auto wanted = in_body ? static_cast<std::size_t>(stream.body_left) : piece.size();
    // Of TCP, MSG_TRUNC means that the bytes are thrown away.
    const auto count = recv(stream.socket.number(), in_body ? nullptr : piece.data(), wanted, in_body ? MSG_TRUNC : 0);
    if (count <= 0) return false;
    if (in_body) stream.body_left -= static_cast<std::uint64_t>(count);
    if (!in_body && !take_head(stream, std::string_view(piece.data(), static_cast<std::size_t>(count)))) return false;
    if (stream.body_left == 0 && stream.head.empty()) ask(stream);
    return true;
  }

  static bool take_head(Stream& stream, std::string_view received) {
    stream.head += received;
    const auto end = stream.head.find("\r\n\r\n");
    if (end == std::string::npos) return true;
    const bool is_range = stream.head.starts_with("HTTP/1.1 206 ");
    stream.body_left = kRange - (stream.head.size() - end - 4);
    stream.head.clear();
    return is_range;
  }

  const Source& source_;
  std::uint64_t file_size_;
  std::uint64_t ranges_left_;
  std::uint64_t next_ = 0;
  std::vector<Stream> streams_;
};

std::optional<Run> run_of(const Source& source, std::uint64_t file_size, std::uint64_t ranges) {
  const SystemClock clock;
  Discarder reader(source, file_size, ranges);
  const auto before = test::usage_of(source.pid);
  const auto began = clock.now();
  if (!reader.run()) return std::nullopt;
  const std::chrono::duration<double> wall = clock.now() - began;
  return Run{wall.count(), static_cast<double>(test::usage_of(source.pid).on_cpu - before.on_cpu) / 1e9, 0};
}

// Until the server has found out the digest of the file, which costs what is not to be measured.
void wait_for_digest(const Source& source) {
  const auto socket = connect_to(source.port, source.address);
  const auto question = fmt::format("HEAD {} HTTP/1.1\r\nHost: bench\r\n{}\r\n", source.target, source.headers);
  for (std::string head; head.find("Repr-Digest:") == std::string::npos;) {
    send_all(socket, question);
    std::array<char, 4096> piece;
    const auto count = recv(socket.number(), piece.data(), piece.size(), 0);
    ensure(count > 0, "the server tells of the file");
    head.assign(piece.data(), static_cast<std::size_t>(count));
  }
}

// Ours first in each round, nginx second.
std::optional<std::vector<Round>> alternate_sources(const ServerSetting& setting, const Source& ours,
                                                    const Source& theirs, std::uint64_t file_size,
                                                    std::uint64_t ranges) {
  wait_for_digest(ours);
  std::vector<Round> rounds;
  for (std::uint64_t round = 0; round < setting.pairs + 1; ++round) {
    const auto their_run = run_of(theirs, file_size, ranges);
    const auto our_run = run_of(ours, file_size, ranges);
    if (!their_run || !our_run) {
      std::fputs("bench: a range did not come as asked for\n", stderr);
      return std::nullopt;
    }
    if (round > 0 || setting.is_tiny) rounds.push_back({*our_run, *their_run});  // the first fills the page cache
  }
  std::fputs(rounds_in_words({"arkvory-stub", "nginx"}, rounds).c_str(), stdout);
  return rounds;
}

std::optional<std::vector<Row>> on_loopback(const ServerSetting& setting, const test::TempFolder& folder,
                                            std::uint64_t file_size, std::uint64_t ranges, const std::string& work) {
  const Nginx nginx(setting.nginx, folder.path());
  const Served server(setting.server, folder.path(), {});
  const auto rounds =
      alternate_sources(setting, {server.port(), server.pid(), "127.0.0.1", "/files/content.bin", ""},
                        {nginx.port(), nginx.pid(), "127.0.0.1", "/content.bin", ""}, file_size, ranges);
  if (!rounds) return std::nullopt;
  return {{compared(work + " on loopback, wall", "nginx", *rounds, 0, 1, kWall, 0),
           compared(work + " on loopback, CPU of the server", "nginx", *rounds, 0, 1, kCpu, 0)}};
}

std::optional<std::vector<Row>> over_link(const ServerSetting& setting, const test::TempFolder& folder,
                                          std::uint64_t file_size, std::uint64_t ranges, const std::string& work) {
  const auto link = FastLink::make();
  if (!link) return {{skipped(work + " over a link", link.error().text())}};
  const auto principals = (folder / "principals.json").string();
  const auto made = test::run({setting.server, "token", "bench", "--kind", "person", "--principals", principals});
  if (made.end.exit_code != 0) return std::nullopt;
  const auto token = made.output.substr(0, made.output.find('\n'));
  std::optional<Nginx> nginx;
  std::optional<Served> server;
  {
    const auto visit = link->at_server();
    nginx.emplace(setting.nginx, folder.path(), link->server_address());
    server.emplace(
        setting.server, folder.path(),
        std::vector<std::string>{"--listen", link->server_address() + ":0", "--principals", principals, "--insecure"});
  }
  const auto visit = link->at_client();
  const auto rounds =
      alternate_sources(setting,
                        {server->port(), server->pid(), link->server_address(), "/files/content.bin",
                         "Authorization: Bearer " + token + "\r\n"},
                        {nginx->port(), nginx->pid(), link->server_address(), "/content.bin", ""}, file_size, ranges);
  if (!rounds) return std::nullopt;
  return {{compared(work + " over a link, wall", "nginx", *rounds, 0, 1, kWall, 1 / 0.9),
           compared(work + " over a link, CPU of the server", "nginx", *rounds, 0, 1, kCpu, 1.3)}};
}

}  // namespace

std::optional<std::vector<Row>> send_files(const ServerSetting& setting) {
  const auto file_size = setting.is_tiny ? 4 * kRange : 64 * kRange;
  const auto ranges = setting.is_tiny ? 8U : 1024U;
  const std::string work = format_size(ranges * kRange) + " in 8 MiB ranges, 4 connections";
  if (const auto missing = missing_program({setting.nginx}); !missing.empty()) return {{skipped(work, missing)}};
  const test::TempFolder folder(setting.disk);
  if (!write_content(folder / "content.bin", file_size)) return std::nullopt;
  auto rows = over_link(setting, folder, file_size, ranges, work);
  const auto copied = on_loopback(setting, folder, file_size, ranges, work);
  if (!rows || !copied) return std::nullopt;
  rows->insert(rows->end(), copied->begin(), copied->end());
  return rows;
}

}  // namespace arkvory::bench
