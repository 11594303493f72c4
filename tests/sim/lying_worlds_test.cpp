// SPDX-License-Identifier: Apache-2.0
// Worlds drawn from seeds in which servers lie, objects change, disks are slow or fail, and hands touch the part file.
// The promises are checked after every run. See promises.h for what may be asked for where.
#include <doctest/doctest.h>

#include <cerrno>

#include "core/engine/file_names.h"
#include "tests/sim/lies.h"
#include "tests/sim/promises.h"
#include "tests/sim/search.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

// One world's story, drawn as it is lived.
class Story {
 public:
  explicit Story(std::uint64_t seed) : world_(seed), rng_(world_.rng), liar_(world_) {
    has_digest_ = rng_.chance(50);
    changes_ = rng_.chance(30);
    worst_ = has_digest_ ? static_cast<Harm>(rng_.below(3)) : static_cast<Harm>(rng_.below(changes_ ? 1 : 2));
    is_handled_ = has_digest_ && rng_.chance(20);
    make_object();
    make_job();
  }

  void live() {
    INFO("lies: " << liar_.told());
    for (auto runs = 1 + rng_.below(5); runs > 0; --runs) {
      for (auto lies = rng_.below(4); lies > 0; --lies) liar_.begin(worst_);
      for (auto mishaps = rng_.below(3); mishaps > 0; --mishaps) add_mishap();
      if (changes_) add_changes();
      INFO("lies: " << liar_.told() << "; runs left: " << runs);
      if (live_one_run()) return;
      if (is_handled_) touch_part();
      world_.clock.advance(rng_.up_to(100s));
    }
    calm_down();
  }

 private:
  std::filesystem::path target() const { return std::filesystem::path(World::kFolder) / name_; }

  void make_object() {
    const auto kind = rng_.below(20);
    // Some have blocks, whose digests then matter.
    size_ = kind == 0 ? 8 * kMiB + rng_.below(6 * kMiB) : kind < 5 ? rng_.below(64 * kKiB) : rng_.below(2 * kMiB);
    versions_.push_back({1, size_});
    if (changes_)
      for (std::uint64_t seed = 2; seed <= 3; ++seed)
        versions_.push_back({seed, rng_.chance(60) ? size_ : rng_.below(2 * kMiB)});
    liar_.serve(versions_.front());
    world_.origin.set_rate(64 * kKiB + rng_.below(2 * kMiB));
    world_.network.set_latency(rng_.up_to(50ms), rng_.up_to(200ms));
    if (rng_.chance(30) && worst_ >= Harm::form) liar_.tell_edges(rng_.up_to(300s)), is_edged_ = true;
  }

  void make_job() {
    job_ = Job{.url = *Url::parse(world_.origin.url(World::kPath)), .folder = World::kFolder, .name = "out.bin"};
    auto& shape = job_.shape;
    shape.connections = 1 + static_cast<unsigned>(rng_.below(8));
    shape.range_size = 64 * kKiB + rng_.below(rng_.chance(50) ? kMiB : 9 * kMiB);
    shape.stall_timeout = 5s + rng_.up_to(20s);
    if (rng_.chance(20)) shape.wait_limit = 10h;
    if (rng_.chance(10)) shape.raw = true;
    // Mostly the digest of what is there in the end.
    wanted_ = rng_.chance(80) ? versions_.size() - 1 : 0;
    if (has_digest_) shape.sha256 = versions_[wanted_].digest();
    if (rng_.chance(20)) {
      job_.name.clear();
      name_ = World::kPath + 1;
    }
    if (rng_.chance(10)) {
      shape.force = true;
      terms_.old_target = "what stood there before";
      world_.disk.put(target(), *terms_.old_target);
    }
    for (const auto& version : versions_)
      if (!has_digest_ || version.seed == versions_[wanted_].seed) terms_.contents.push_back(version.bytes());
    terms_.is_steady = !changes_ && !is_edged_ && !is_handled_ && worst_ == Harm::form;
    terms_.same_bytes = worst_ != Harm::bytes && !is_handled_ && !(has_digest_ && changes_);
    promises_.emplace(world_, target(), terms_);
  }

  void add_mishap() {
    const auto when = world_.clock.now() + rng_.up_to(30s);
    Headers busy;
    busy.add("Retry-After", std::to_string(rng_.below(20)));
    if (rng_.chance(50)) busy.add("Arkvory-Queue-Position", std::to_string(1 + rng_.below(9)));
    if (rng_.chance(50)) busy.add("Arkvory-Queue-Ticket", "2." + std::to_string(rng_.below(99)));
    switch (rng_.below(8)) {
      case 0: return world_.origin.cut_next(1 + static_cast<int>(rng_.below(5)), rng_.below(size_ + 1));
      case 1: return world_.origin.cut_next(1, rng_.below(size_ + 1), std::nullopt);
      case 2: return world_.origin.answer_next(1 + static_cast<int>(rng_.below(5)), 503, busy);
      case 3: return world_.origin.answer_next(1, 500 + static_cast<int>(rng_.below(5)));
      case 4: return world_.origin.down_between(when, when + rng_.up_to(10s));
      case 5:
        return world_.network.at(when, [this] { world_.network.break_off("http://files.example", EndKind::cut); });
      case 6: return world_.network.at(when, [this] { world_.clock.step_wall(rng_.chance(50) ? 1h : -1h); });
      default: return world_.origin.answer_next(1, 404 + static_cast<int>(rng_.below(2)) * 6, busy);
    }
  }

  // Another version, for good or by turns, as while it is brought to the servers of a site one by one.
  void add_changes() {
    auto when = world_.clock.now() + rng_.up_to(20s);
    const auto other = rng_.below(versions_.size());
    const bool keeps_tag = worst_ == Harm::bytes && rng_.chance(50);
    const auto turns = rng_.chance(50) ? 1 : 2 + rng_.below(20);
    const auto pace = 50ms + rng_.up_to(1s);
    for (std::uint64_t turn = 0; turn < turns; ++turn, when += rng_.up_to(2 * pace)) {
      const auto& next = versions_[turn % 2 == 0 ? other : 0];
      world_.network.at(when, [this, next, keeps_tag] {
        if (!is_calm_) liar_.serve(next, keeps_tag);
      });
    }
  }

  // True where the download is over.
  bool live_one_run() {
    auto& disk = world_.disk;
    const bool is_killed = rng_.chance(40);
    const bool fails = !is_killed && rng_.chance(20);
    const bool is_slow = rng_.chance(10);
    if (is_killed) disk.stop_at(disk.operations() + 1 + rng_.below(150));
    const auto failing = disk.operations() + 1 + rng_.below(150);
    constexpr int errors[] = {EIO, ENOSPC, EDQUOT, EROFS};
    const int error = errors[rng_.below(4)];
    bool has_failed = false;
    disk.on_operation([&, fails, is_slow](const DiskOperation& operation) {
      if (is_slow && operation.action == DiskAction::sync) world_.clock.advance(rng_.up_to(10s));
      if (!fails || operation.number != failing) return 0;
      has_failed = true;
      return error;
    });
    auto job = job_;
    job.resume = !rng_.chance(3);
    world_.interrupt_at(world_.clock.now() + (rng_.chance(20) ? rng_.up_to(30s) : Duration(48h)));
    promises_->before(job);
    const auto result = world_.run(job);
    disk.stop_at(kNever);
    disk.on_operation({});
    if (!result && rng_.chance(50))
      world_.kill();
    else if (!result)
      world_.power_cut(static_cast<CrashMode>(rng_.below(3)));
    else
      world_.kill();
    promises_->after(job, result, !has_failed);
    if (result && result->succeeded == 0 && result->signal == 0) {
      const auto& ended = result->failures.front();
      CHECK_MESSAGE(may_end_so(ended.fault, has_failed), ended.text() << ": " << world_.events.told());
    }
    return result && result->succeeded == 1;
  }

  // No other ends fit to such a world; a target that stands there whole is of a run that was ended while it tidied up.
  bool may_end_so(Fault fault, bool disk_failed) {
    switch (fault) {
      case Fault::network:
      case Fault::refused:
      case Fault::auth:
      case Fault::untrusted: return true;
      case Fault::changed: return changes_ || worst_ >= Harm::identity;
      case Fault::integrity: return worst_ == Harm::bytes || changes_ || is_handled_;
      case Fault::local: return disk_failed || world_.disk.content(target()).has_value();
      default: return false;
    }
  }

  // Somebody shortens, lengthens or spoils the part file between two runs.
  void touch_part() {
    for (unsigned generation = 1; generation <= 3; ++generation) {
      const auto path = part_path(target(), generation);
      auto content = world_.disk.content(path);
      if (!content || content->empty() || rng_.chance(30)) continue;
      switch (rng_.below(3)) {
        case 0: content->resize(rng_.below(content->size())); break;
        case 1: content->append(1 + rng_.below(5000), 'x'); break;
        default: (*content)[rng_.below(content->size())] ^= 0x55;
      }
      world_.disk.put(path, *content);
    }
  }

  // The server tells the truth about the last version: the download must finish, and soon.
  void calm_down() {
    liar_.calm();
    is_calm_ = true;
    world_.network.set_online(true);
    world_.clock.advance(300s);
    liar_.serve(versions_.back());
    job_.shape.max_retries = 100;
    job_.shape.max_attempts = 100;
    Error last{Fault::internal, "no run"};
    for (int runs = 0; runs < 6; ++runs) {
      const auto begun = world_.clock.now();
      world_.interrupt_at(begun + 48h);
      promises_->before(job_);
      const auto result = world_.run(job_);
      REQUIRE(result);
      world_.kill();
      promises_->after(job_, result, true);
      if (result->succeeded == 1) return;
      last = result->failures.front();
      CAPTURE(last.text());
      const auto there = world_.disk.content(target());
      if (last.fault == Fault::local && there && there != terms_.old_target) return;
      if (last.fault == Fault::integrity && has_digest_ && wanted_ + 1 != versions_.size()) return;
      // What was recorded of a lie, or changed too often, is for the user to drop.
      const bool is_known = last.fault == Fault::untrusted || last.fault == Fault::integrity ||
                            (last.fault == Fault::changed && !terms_.is_steady);
      // Refusals and faults that were arranged before are still to come.
      const bool is_left_over =
          last.fault == Fault::refused || last.fault == Fault::auth || last.fault == Fault::network;
      CHECK((is_known || is_left_over));
      if (last.fault == Fault::changed || last.fault == Fault::untrusted) job_.resume = false;
    }
    FAIL_CHECK("a world at peace, and no end: " << last.text());
  }

  World world_;
  Rng& rng_;
  Liar liar_;
  bool has_digest_ = false;
  bool changes_ = false;
  bool is_handled_ = false;  // by a hand, between runs
  bool is_edged_ = false;
  bool is_calm_ = false;
  Harm worst_ = Harm::form;
  std::uint64_t size_ = 0;
  std::vector<Version> versions_;
  std::size_t wanted_ = 0;  // whose digest is given
  std::string name_ = "out.bin";
  Job job_{.url = *Url::parse("http://files.example/file"), .folder = World::kFolder};
  Terms terms_;
  std::optional<Promises> promises_;
};

}  // namespace

TEST_CASE("whatever a server tells, no download ends wrong, hangs, hammers or loses what was held") {
  live_through_all("whatever a server tells", 1200, [](std::uint64_t seed, const std::string& replay) {
    INFO("replay with: " << replay);
    Story(seed).live();
  });
}
