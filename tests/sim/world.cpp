// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/world.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/pattern.h"

namespace arkvory::sim {

void EventList::started(const std::filesystem::path&, const StartStatus& start) {
  lines.push_back("start " + std::to_string(start.bytes));
}
void EventList::waiting(const std::filesystem::path&, const WaitStatus& wait) {
  lines.push_back("waiting " + std::string(to_string(wait.reason)));
  waits.push_back(wait);
}
void EventList::progress(const std::filesystem::path&, const ProgressStatus&) { lines.emplace_back("progress"); }
void EventList::verifying(const std::filesystem::path&) { lines.emplace_back("verifying"); }
void EventList::notice(const std::filesystem::path&, std::string_view code, std::string_view) {
  lines.push_back("notice " + std::string(code));
}
void EventList::finished(const std::filesystem::path&, const Outcome& ended) {
  outcome = ended;
  lines.push_back("end " + (ended.error ? std::string(to_string(ended.error->fault)) : "ok"));
}
std::size_t EventList::count(std::string_view line) const {
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), line));
}

std::string EventList::told() const {
  std::string all;
  for (const auto& line : lines)
    if (line != "progress") all += line + "; ";
  return all;
}

class World::SimInterrupt final : public Interrupt {
 public:
  SimInterrupt(const Clock& clock, std::optional<Instant> at) : clock_(clock), at_(at) {}
  int signal() override { return at_ && clock_.now() >= *at_ ? 15 : 0; }

 private:
  const Clock& clock_;
  std::optional<Instant> at_;
};

namespace {

class GivenJobs final : public JobSource {
 public:
  explicit GivenJobs(std::vector<Job> jobs) : jobs_(std::move(jobs)) {}
  Supply next() override {
    if (next_ == jobs_.size()) return supply::Over{};
    return supply::Entry{std::move(jobs_[next_++])};
  }

 private:
  std::vector<Job> jobs_;
  std::size_t next_ = 0;
};

}  // namespace

World::World(std::uint64_t seed) : network(clock, seed), rng(seed) {}

void World::serve(std::uint64_t size, std::uint64_t object_seed) {
  object_size_ = size;
  object_seed_ = object_seed;
  origin.put(kPath, {.seed = object_seed, .size = size, .etag = "\"v" + std::to_string(object_seed) + "\""});
}

std::string Version::bytes() const {
  const auto bytes = test::pattern(seed, size);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Sha256Digest Version::digest() const {
  Sha256 digest;
  digest.update(test::pattern(seed, size));
  return digest.finish();
}

std::string World::object() const { return Version{object_seed_, object_size_}.bytes(); }

Sha256Digest World::digest() const { return Version{object_seed_, object_size_}.digest(); }

Job World::job() const {
  Job wanted{.url = *Url::parse(origin.url(kPath)), .folder = kFolder, .name = "out.bin"};
  wanted.shape.sha256 = digest();
  return wanted;
}

std::optional<BatchResult> World::run(Job wanted) { return run_all({std::move(wanted)}, 1); }

std::optional<BatchResult> World::run_all(std::vector<Job> wanted, unsigned at_once) {
  processes.next_process();
  Registry registry(disk, "/state");
  DiskWorkspace workspace(disk, clock, processes, &registry);
  const auto digests = make_inline_digest_worker();
  SimInterrupt interrupt(clock, std::exchange(interrupt_at_, std::nullopt));
  if (const auto at = interrupt_at_) network.at(*at, [this] { network.wake(); });
  GivenJobs jobs(std::move(wanted));
  const Platform platform{.clock = clock,
                          .files = disk,
                          .transport = network,
                          .workspace = workspace,
                          .digests = *digests,
                          .status = events,
                          .interrupt = interrupt,
                          .rng = rng,
                          .new_id = [this] {
                            Platform::RandomBits bits{};
                            for (auto& bit : bits) bit = static_cast<std::byte>(rng.next());
                            return bits;
                          }};
  try {
    auto result = run_batch(platform, jobs, at_once, true);
    // A destructor that the disk stopped has no way to say so.
    return disk.is_stopped() ? std::nullopt : std::optional(std::move(result));
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

void World::kill() { disk.kill(); }

void World::power_cut(CrashMode mode) {
  disk.crash(rng, mode);
  processes.next_boot();
}

std::vector<std::string> World::names() const {
  std::vector<std::string> names;
  for (const auto& path : disk.paths())
    if (path.parent_path() == kFolder) names.push_back(path.filename());
  return names;
}

void check_promises(const World& world, const BatchResult& result) {
  const auto target = world.disk.content(World::kTarget);
  if (target) CHECK_MESSAGE(*target == world.object(), "a wrong file stands under the target's name");
  if (result.succeeded == 0) return;
  CHECK_MESSAGE(target.has_value(), "success without a file");
  std::string names;
  for (const auto& name : world.names()) names += name + " ";
  CHECK(names == "out.bin ");
}

}  // namespace arkvory::sim
