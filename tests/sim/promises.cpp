// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/promises.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "checkpoint/read_checkpoint.h"
#include "core/engine/block_digests.h"
#include "core/engine/file_names.h"

namespace arkvory::sim {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kTail = 64 * kKiB;

// What really came of a range.
std::optional<ByteRange> range_that_came(const SimOrigin::Entry& entry) {
  if (entry.status != 206 || !entry.bytes) return std::nullopt;
  const auto length = std::min(entry.bytes_sent, entry.bytes->length());
  return ByteRange::make(entry.bytes->begin(), entry.bytes->begin() + length);
}

bool is_version_within(const std::string& part, const IntervalSet& claimed, const std::string& version) {
  return std::all_of(claimed.ranges().begin(), claimed.ranges().end(), [&](const ByteRange& range) {
    if (range.end() > version.size()) return false;
    const auto end = std::min<std::uint64_t>(range.end(), part.size());
    return range.begin() >= end ||
           part.compare(range.begin(), end - range.begin(), version, range.begin(), end - range.begin()) == 0;
  });
}

}  // namespace

Promises::Promises(World& world, std::filesystem::path target, Terms terms)
    : world_(world), target_(std::move(target)), terms_(std::move(terms)) {}

void Promises::before(const Job& job) {
  if (!job.resume) forget();
  first_request_ = world_.origin.log().size();
  comparisons_ = notices("notice same_bytes");
  mendings_ = notices("notice mending");
  changes_ = notices("notice changed");
  begun_ = world_.clock.now();
}

void Promises::forget() { claimed_.clear(); }

void Promises::after(const Job& job, const std::optional<BatchResult>& result, bool kept_all) {
  check_target(result);
  check_pace(job);
  if (job.resume) check_nothing_lost(kept_all);
  check_claims();
}

void Promises::check_target(const std::optional<BatchResult>& result) const {
  const auto target = world_.disk.content(target_);
  const bool is_right =
      target && std::find(terms_.contents.begin(), terms_.contents.end(), *target) != terms_.contents.end();
  if (target) CHECK_MESSAGE((is_right || target == terms_.old_target), "a wrong file stands under the target's name");
  if (!result || result->succeeded == 0) return;
  CHECK_MESSAGE(is_right, "success without the right file");
  for (const auto& name : world_.names()) {
    const bool is_kept_aside = name.ends_with(".bad.arkvory-part") || name.ends_with(".bad.arkvory");
    CHECK_MESSAGE((name == target_.filename() || is_kept_aside), "stray: " << name << ": " << world_.events.told());
  }
}

// Requests that brought nothing are few: some together, as many as there are connections, and then two a second at
// most. None hangs: a signal ends each run after two days of its own time, and is no right end.
void Promises::check_pace(const Job& job) const {
  const auto& log = world_.origin.log();
  std::vector<Instant> in_vain;
  std::string which;
  for (auto at = first_request_; at < log.size(); ++at)
    if (log[at].method == Method::get && log[at].bytes_sent == 0) {
      in_vain.push_back(log[at].time);
      which += " " + log[at].path + " " + std::to_string(log[at].status);
    }
  const auto in_one_second = 16 + 2 * std::size_t{job.shape.connections};
  for (std::size_t i = in_one_second; i < in_vain.size(); ++i)
    CHECK_MESSAGE(in_vain[i] - in_vain[i - in_one_second] > 1s, "hammering:" << which);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(world_.clock.now() - begun_).count();
  CHECK_MESSAGE(in_vain.size() <= 40 + 2 * static_cast<std::size_t>(seconds), "too many requests in vain");
  CHECK_MESSAGE(world_.clock.now() - begun_ < 47h, "hangs");
}

// What the record claims is on the disk, and is of one version.
void Promises::check_claims() {
  claimed_.clear();
  const auto found = read_checkpoint(world_.disk, target_);
  REQUIRE_MESSAGE(found, "the record can't be read");
  if (!*found) return;
  const auto& progress = (*found)->progress;
  const auto& claimed = progress.claimed;
  // A stream of unknown length can only be begun anew (client.md, Trust in ranges).
  if (progress.facts.object && progress.facts.object->size) claimed_ = claimed;
  const auto part = world_.disk.content(part_path(target_, progress.facts.generation));
  if (!part || part->empty() || !terms_.same_bytes || claimed.empty()) return;
  CHECK_MESSAGE(part->size() >= claimed.ranges().back().end(), "the record claims more than there is");
  const bool is_one = std::any_of(terms_.contents.begin(), terms_.contents.end(),
                                  [&](const auto& version) { return is_version_within(*part, claimed, version); });
  CHECK_MESSAGE(is_one, "the record claims bytes that are not those of one version");
}

// What was recorded is not fetched again, and nothing is fetched twice, but for what comparing and mending cost.
// Streams can only begin at zero.
void Promises::check_nothing_lost(bool kept_all) const {
  if (!terms_.is_steady) return;
  CHECK_MESSAGE(notices("notice changed") == changes_,
                "an object that never changed was begun again: " << world_.events.told());
  if (!kept_all || terms_.contents.empty()) return;
  std::uint64_t allowed = (notices("notice same_bytes") - comparisons_ + 1) * (kTail + kBlockSize);
  if (notices("notice same_bytes") == comparisons_) allowed = 0;
  if (notices("notice mending") != mendings_) allowed += terms_.contents.front().size() + kBlockSize;
  std::uint64_t again = 0;
  std::string which;
  auto seen = claimed_;
  const auto& log = world_.origin.log();
  for (auto at = first_request_; at < log.size(); ++at) {
    if (log[at].status == 200 && log[at].bytes_sent > 0) return;
    const auto came = range_that_came(log[at]);
    if (!came) continue;
    if (const auto twice = seen.within(*came).total(); twice > 0) {
      again += twice;
      which += " request " + std::to_string(log[at].number) + " for " + came->to_header();
    }
    seen.add(*came);
  }
  CHECK_MESSAGE(again <= allowed, "fetched again: " << again << " bytes, of which " << allowed << " may be:" << which
                                                    << "; " << world_.events.told());
}

}  // namespace arkvory::sim
