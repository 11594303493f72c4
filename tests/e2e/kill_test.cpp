// SPDX-License-Identifier: Apache-2.0
// The client killed again and again. ARKVORY_SEED=N runs the moments of one seed again.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "core/base/rng.h"
#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/e2e/gated_origin.h"
#include "tests/support/pattern.h"

using namespace arkvory;

namespace {

constexpr int kKills = 20;
constexpr std::uint64_t kSize = 256 * kMiB;
constexpr std::uint64_t kConnections = 4;
constexpr std::uint64_t kRangeSize = kMiB;
// What a kill may cost: what came since the last record (client.md, State on disk), and what is under way.
constexpr std::uint64_t kLossLimit = 64 * kMiB + kConnections * kRangeSize;
// More than that by half: a client that records too seldom, or nothing, is found out.
constexpr std::uint64_t kLongestRun = 100 * kMiB;

std::uint64_t chosen_seed() {
  const char* given = std::getenv("ARKVORY_SEED");
  const auto seed = given != nullptr ? parse_number(given) : std::nullopt;
  return seed.value_or(std::random_device{}());
}

// Kills a process once the origin has handed out a number of bytes. By pidfd: whom the number pid means by then does
// not matter.
class Killer {
 public:
  ~Killer() { disarm(); }

  void arm(const test::Process& process, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, process.pid(), 0));
    threshold_ = bytes;
    strike();
  }

  void disarm() {
    const std::lock_guard lock(mutex_);
    if (pidfd_ >= 0) close(pidfd_);
    pidfd_ = -1;
  }

  void see(std::uint64_t given) {
    const std::lock_guard lock(mutex_);
    given_ = std::max(given_, given);
    strike();
  }

  std::uint64_t given() {
    const std::lock_guard lock(mutex_);
    return given_;
  }

 private:
  void strike() {
    if (pidfd_ >= 0 && given_ >= threshold_) syscall(SYS_pidfd_send_signal, pidfd_, SIGKILL, nullptr, 0);
  }

  std::mutex mutex_;
  int pidfd_ = -1;
  std::uint64_t threshold_ = 0;
  std::uint64_t given_ = 0;
};

std::optional<ByteRange> range_of(const test::RawRequest& request) {
  unsigned long long first = 0;
  unsigned long long last = 0;
  const std::string text(request.headers.first("Range").value_or(""));
  if (std::sscanf(text.c_str(), "bytes=%llu-%llu", &first, &last) != 2) return std::nullopt;
  return ByteRange(first, last + 1);
}

std::uint64_t sent_from(const std::vector<test::Served>& served, std::size_t first) {
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < served.size(); ++i) sum += served[i].bytes_sent;
  return sum;
}

// No request of the run asks for what the checkpoint claimed before it, and all carry one id: the recorded one.
void check_requests(const std::vector<test::Served>& served, std::size_t first,
                    const std::optional<test::Claim>& claim) {
  std::string id = claim ? claim->id : "";
  for (std::size_t i = first; i < served.size(); ++i) {
    const auto& request = served[i].request;
    const std::string sent_id(request.headers.first("Arkvory-Download-Id").value_or(""));
    if (id.empty()) id = sent_id;
    CHECK(!id.empty());
    CHECK(sent_id == id);
    const auto range = range_of(request);
    REQUIRE(range);
    CAPTURE(range->to_header());
    if (claim) CHECK(claim->synced.within(*range).empty());
  }
}

}  // namespace

TEST_CASE(
    "killed at random moments, 20 times: the bytes are right, and a kill costs 64 MiB and the open ranges at most") {
  const auto seed = chosen_seed();
  const std::string replay = "ARKVORY_SEED=" + std::to_string(seed) + " test_e2e -tc='killed at random*'";
  std::printf("%s\n", replay.c_str());
  CAPTURE(replay);
  Rng rng(seed);
  const auto bytes = test::pattern(17, kSize);
  const auto digest = test::hex_sha256(bytes);
  const test::ClientFolder client;
  Killer killer;
  const test::GatedOrigin origin(bytes, UINT64_MAX, [&killer](std::uint64_t given) { killer.see(given); });

  int kills = 0;
  int targets = 0;
  while (kills < kKills) {
    // Where the kills are so late that a download ends before the last of them, the next one begins.
    const auto target = client.file("object-" + std::to_string(++targets));
    const auto command = client.command(
        "download", {"-q", "-c", std::to_string(kConnections), "--range-size", std::to_string(kRangeSize), "--sha256",
                     digest, "-o", target.string(), origin.url()});
    for (bool is_complete = false; !is_complete;) {
      const auto before = test::claim_of(target);
      const auto first = origin.served().size();
      test::Process process(command, client.options());
      // A tenth of the kills meets the start, before or about the first request.
      if (kills < kKills) killer.arm(process, killer.given() + (rng.chance(10) ? 0 : rng.below(kLongestRun)));
      const auto end = process.wait();
      killer.disarm();
      REQUIRE(end);
      CAPTURE(kills);
      CAPTURE(process.error_output());
      const auto served = origin.served();
      check_requests(served, first, before);
      is_complete = end->signal == 0;
      if (is_complete) {
        REQUIRE(end->exit_code == 0);
        continue;
      }
      ++kills;
      CHECK(end->signal == SIGKILL);
      REQUIRE(!std::filesystem::exists(target));
      const auto after = test::claim_of(target);
      // The id is on disk before the second request.
      if (served.size() - first >= 2) REQUIRE(after);
      if (before) REQUIRE(after);
      if (before) CHECK(after->id == before->id);
      if (before) CHECK(after->synced.total() >= before->synced.total());
      if (!before && after && served.size() > first)
        CHECK(after->id == served[first].request.headers.first("Arkvory-Download-Id"));
      const auto gained = (after ? after->synced.total() : 0) - (before ? before->synced.total() : 0);
      const auto heads = (served.size() - first) * kKiB;
      CHECK(sent_from(served, first) <= gained + kLossLimit + heads);
    }
    CHECK(test::holds(target, bytes));
    std::filesystem::remove(target);
    CHECK(client.names().empty());
  }
  const auto served = origin.served();
  CHECK(sent_from(served, 0) <=
        static_cast<std::uint64_t>(targets) * kSize + kKills * kLossLimit + served.size() * kKiB);
}
