// SPDX-License-Identifier: Apache-2.0
// Downloads of every kind, ended after each of their file operations on a disk that keeps, drops or tears what was not
// synced, or that fails at each of them: the next run finishes with the right bytes. crash_test.cpp does the same to a
// plain one.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstdio>

#include "tests/sim/download_case.h"
#include "tests/sim/lies.h"
#include "tests/sim/search.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kSize = 300 * kKiB + 77;
constexpr std::uint64_t kRate = 20 * kKiB;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

// How a download goes that nothing ends.
struct Kind {
  std::string name;
  std::function<void(World&, Job&)> prepare;
  std::string target = "out.bin";
  // Where a run was ended under a name that was only guessed from the URL, the next one keeps that.
  std::string guess{};
  std::vector<Version> versions{{1, kSize}};  // that may stand there in the end
  std::vector<Instant> stops{};               // by a signal, each the end of a run
  std::optional<std::string> old_target{};
};

void without_validators(SimAnswer& answer) {
  Headers kept;
  for (const auto& field : answer.head.headers.fields())
    if (field.name != "ETag" && field.name != "Last-Modified") kept.add(field.name, field.value);
  answer.head.headers = kept;
}

void named_by_answer(World& world, Job& job) {
  job.name.clear();
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    if (answer.head.status == 206) answer.head.headers.add("Content-Disposition", "attachment; filename=named.bin");
  });
}

// The byte in the middle comes wrong the first time.
void spoil_once(World& world) {
  auto is_spoilt = std::make_shared<bool>(false);
  world.origin.amend([is_spoilt](const SimRequest&, SimAnswer& answer) {
    if (answer.body.length == 0) return;
    answer.body.fill = [is_spoilt, fill = answer.body.fill](std::uint64_t from, std::span<std::byte> bytes) {
      fill(from, bytes);
      if (*is_spoilt || from == 0) return;
      *is_spoilt = true;
      bytes[0] ^= std::byte{0x55};
    };
  });
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {.name = "changes its generation",
       .prepare =
           [](World& world, Job& job) {
             job.shape.sha256.reset();
             world.network.at(Instant(6s), [&world] {
               world.origin.put(World::kPath, {.seed = 2, .size = kSize - 1000, .etag = "\"v2\""});
             });
           },
       .versions = {{1, kSize}, {2, kSize - 1000}}},
      {.name = "changes to the same size",
       .prepare =
           [](World& world, Job& job) {
             job.shape.sha256.reset();
             world.network.at(Instant(6s), [&world] {
               world.origin.put(World::kPath, {.seed = 2, .size = kSize, .etag = "\"v2\""});
             });
           },
       .versions = {{1, kSize}, {2, kSize}}},
      {.name = "changes its generation, with a digest of the last one",
       .prepare =
           [](World& world, Job& job) {
             job.shape.sha256 = Version{2, kSize}.digest();
             world.network.at(Instant(6s), [&world] {
               world.origin.put(World::kPath, {.seed = 2, .size = kSize, .etag = "\"v2\""});
             });
           },
       .versions = {{2, kSize}}},
      {.name = "changes its generation twice",
       .prepare =
           [](World& world, Job& job) {
             job.shape.sha256 = Version{3, kSize}.digest();
             for (const std::uint64_t seed : {2, 3})
               world.network.at(Instant(std::chrono::seconds(4 * seed - 5)), [&world, seed] {
                 world.origin.put(World::kPath,
                                  {.seed = seed, .size = kSize, .etag = "\"v" + std::to_string(seed) + "\""});
               });
           },
       .versions = {{3, kSize}}},
      {.name = "mends", .prepare = [](World& world, Job&) { spoil_once(world); }},
      {.name = "streams",
       .prepare =
           [](World& world, Job& job) {
             job.shape.sha256.reset();
             world.origin.put(World::kPath, {.seed = 1, .size = kSize, .ranges = false});
             world.origin.cut_next(1, kSize / 2);
             world.origin.amend([](const SimRequest&, SimAnswer& answer) { without_validators(answer); });
           }},
      {.name = "waits in a queue under a provisional name",
       .prepare =
           [](World& world, Job& job) {
             named_by_answer(world, job);
             world.origin.answer_next(3, 503, queued(9, "10"));
           },
       .target = "named.bin",
       .guess = "file"},
      {.name = "has no name", .prepare = named_by_answer, .target = "named.bin", .guess = "file"},
      {.name = "replaces an old target",
       .prepare =
           [](World& world, Job& job) {
             job.shape.force = true;
             world.disk.put(World::kTarget, "old");
           },
       .old_target = "old"},
      {.name = "is resumed twice", .prepare = [](World&, Job&) {}, .stops = {Instant(6s), Instant(12s)}},
  };
  return all;
}

class Life {
 public:
  Life(const Kind& kind, std::uint64_t seed) : kind_(kind), world_(seed), job_(prepared()) {}

  World& world() { return world_; }

  // All runs of a life that nothing ends, or that ends at an operation: then false.
  bool live() {
    for (const auto stop : kind_.stops) {
      if (world_.clock.now() >= stop) continue;
      world_.interrupt_at(stop);
      if (!run()) return false;
    }
    return run();
  }

  // What may be asked for however the life before ended.
  void finish() {
    world_.disk.stop_at(kNever);
    world_.disk.on_operation({});
    check_target();
    // A second try where a changed object was met only now.
    for (int tries = 0; tries < 2; ++tries) {
      REQUIRE(run());
      if (result_->succeeded == 1) return check_end();
      const auto fault = result_->failures.front().fault;
      // Published, and ended while it tidied up: without a digest nothing tells it from somebody else's.
      const bool whole_already =
          fault == Fault::local && !job_.shape.sha256 && content() && content() != kind_.old_target;
      if (whole_already) return check_target();
    }
    FAIL_CHECK(result_->failures.front().text());
  }

  void check_target() const {
    const auto there = content();
    if (!there || there == kind_.old_target) return;
    CHECK(std::any_of(kind_.versions.begin(), kind_.versions.end(),
                      [&](const Version& version) { return version.bytes() == *there; }));
  }

  const std::optional<BatchResult>& result() const { return result_; }

 private:
  Job prepared() {
    world_.serve(kSize);
    world_.origin.set_rate(kRate);
    auto job = world_.job();
    job.shape.range_size = 64 * kKiB;
    job.shape.connections = 2;
    kind_.prepare(world_, job);
    return job;
  }

  bool run() {
    result_ = world_.run(job_);
    return result_.has_value();
  }

  std::optional<std::string> content() const {
    const std::filesystem::path folder(World::kFolder);
    auto there = world_.disk.content(folder / kind_.target);
    if (!there && !kind_.guess.empty()) there = world_.disk.content(folder / kind_.guess);
    return there;
  }

  void check_end() const {
    check_target();
    const auto there = content();
    CHECK_MESSAGE((there && there != kind_.old_target), "success without the file");
    for (const auto& name : world_.names()) {
      if (name == kind_.target || name == kind_.guess) continue;
      // A claim that is ended leaves an empty file; the next one of the same target takes it.
      const bool is_other_claim =
          !kind_.guess.empty() && world_.disk.content(std::filesystem::path(World::kFolder) / name) == "";
      CHECK_MESSAGE(is_other_claim, "stray: " << name << "; " << world_.events.told());
    }
  }

  const Kind& kind_;
  World world_;
  Job job_;
  std::optional<BatchResult> result_;
};

std::uint64_t operations_of(const Kind& kind) {
  Life life(kind, 1);
  REQUIRE(life.live());
  REQUIRE(life.result()->succeeded == 1);
  life.check_target();
  return life.world().disk.operations();
}

// One life that ends after `stop` operations, and the run after it.
bool end_and_finish(const Kind& kind, std::uint64_t stop, Ending ending) {
  Life life(kind, stop);
  life.world().disk.stop_at(stop);
  if (life.live()) return false;  // its chance made it shorter than the one that was counted
  end_process(life.world(), ending);
  life.finish();
  return true;
}

void say(const char* what, std::uint64_t count) {
  std::printf("%s: %llu\n", what, static_cast<unsigned long long>(count));
}

}  // namespace

TEST_CASE("a download of any kind, ended after any file operation in any way, is finished by the next run (E1)") {
  std::uint64_t crashes = 0;
  std::uint64_t turn = 0;
  for (const auto& kind : kinds()) {
    const auto operations = operations_of(kind);
    for (const auto ending : {Ending::kill, Ending::keep, Ending::drop, Ending::tear}) {
      // Each ending stops at other operations, where not all are taken.
      for (auto stop = 1 + ++turn % test::stride(8); stop <= operations; stop += test::stride(8)) {
        INFO(kind.name << ", stopped at operation " << stop << ", ending " << static_cast<int>(ending));
        if (end_and_finish(kind, stop, ending)) ++crashes;
      }
    }
  }
  say("crash points lived through", crashes);
}

TEST_CASE("a publication that a power cut left half done, with both names, is finished and not written through") {
  std::uint64_t crashes = 0;
  for (const auto& kind : kinds()) {
    const auto operations = operations_of(kind);
    // The last operations are the publication and the tidying up after it.
    for (auto stop = operations - std::min<std::uint64_t>(operations, 20); stop <= operations; ++stop) {
      INFO(kind.name << ", stopped at operation " << stop);
      Life life(kind, stop);
      life.world().disk.stop_at(stop);
      if (life.live()) continue;
      life.world().power_cut(CrashMode::keep);
      if (!life.world().disk.keep_old_name()) continue;
      life.check_target();
      life.finish();
      ++crashes;
    }
  }
  CHECK(crashes > 0);
  say("publications left half done", crashes);
}

TEST_CASE("a download of any kind, ended twice in a row, is finished by the third run") {
  std::uint64_t crashes = 0;
  for (const auto& kind : kinds()) {
    const auto operations = operations_of(kind);
    for (std::uint64_t seed = 1; seed <= (test::is_full_search() ? 250 : 25); seed += test::kStride) {
      INFO(kind.name << ", seed " << seed);
      Life life(kind, seed);
      for (int round = 0; round < 2; ++round) {
        life.world().disk.stop_at(life.world().disk.operations() + 1 + life.world().rng.below(operations));
        if (life.live()) break;
        end_process(life.world(), static_cast<Ending>(life.world().rng.below(4)));
        life.check_target();
        ++crashes;
      }
      if (life.result()) continue;
      life.finish();
    }
  }
  say("crash points lived through, two in a row", crashes);
}

TEST_CASE("a disk that fails at any one operation, or at two in a row, never makes a wrong target of any kind (E4)") {
  std::uint64_t failures = 0;
  std::uint64_t turn = 0;
  for (const auto& kind : kinds()) {
    const auto operations = operations_of(kind);
    for (const int error : {EIO, ENOSPC, EDQUOT, EROFS}) {
      for (const std::uint64_t in_a_row : {1, 2}) {
        // Each combination looks at other operations.
        for (auto fails = 1 + ++turn % test::stride(20); fails <= operations; fails += test::stride(20)) {
          INFO(kind.name << ", error " << error << " at operation " << fails << ", " << in_a_row << " in a row");
          Life life(kind, fails);
          bool has_failed = false;
          life.world().disk.on_operation([&](const DiskOperation& operation) {
            const bool is_due = operation.number >= fails && operation.number < fails + in_a_row;
            has_failed = has_failed || is_due;
            return is_due ? error : 0;
          });
          REQUIRE(life.live());
          life.check_target();
          const auto& result = *life.result();
          if (result.succeeded == 0) CHECK(has_failed);
          ++failures;
          if (result.succeeded == 1) continue;
          life.world().kill();
          life.finish();
        }
      }
    }
  }
  say("failures of the disk lived through", failures);
}
