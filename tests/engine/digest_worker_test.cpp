// SPDX-License-Identifier: Apache-2.0
#include "core/engine/digest_worker.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/base/size.h"
#include "tests/sim/simulated_disk.h"
#include "tests/support/temp_folder.h"

namespace arkvory {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string random_text(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::string text(size, ' ');
  for (auto& c : text) c = static_cast<char>(rng.next());
  return text;
}

Sha256Digest digest_of(std::string_view text) {
  Sha256 digest;
  digest.update(bytes_of(text));
  return digest.finish();
}

// Counts wakes and waits for them.
class Bell {
 public:
  void ring() {
    const std::lock_guard guard(mutex_);
    ++rings_;
    rung_.notify_all();
  }
  void wait_for(PrefixDigest& digest) {
    std::unique_lock guard(mutex_);
    rung_.wait(guard, [&] { return digest.result().has_value(); });
  }
  void wait_for_ring(int count) {
    std::unique_lock guard(mutex_);
    rung_.wait(guard, [&] { return rings_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  int rings_ = 0;
};

// A file whose reads stand still until they are let through, one by one.
class GatedFile final : public File {
 public:
  explicit GatedFile(std::string content) : content_(std::move(content)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    std::unique_lock guard(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(guard, [&] { return begun_ <= allowed_; });
    const auto source = bytes_of(content_).subspan(offset);
    const auto count = std::min(source.size(), into.size());
    std::copy(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(count), into.begin());
    return count;
  }
  Result<void> write_at(std::uint64_t, std::span<const std::byte>) override { return {}; }
  Result<void> sync() override { return {}; }
  Result<std::uint64_t> size() override { return content_.size(); }
  Result<void> truncate(std::uint64_t) override { return {}; }
  Result<bool> try_lock() override { return true; }
  Result<std::string> identity() override { return std::string(); }
  Result<void> set_modified_time(WallTime) override { return {}; }
  Result<void> set_access(Access) override { return {}; }

  void allow(int reads) {
    const std::lock_guard guard(mutex_);
    allowed_ = reads;
    changed_.notify_all();
  }
  void wait_for_begin(int reads) {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return begun_ >= reads; });
  }
  int begun() {
    const std::lock_guard guard(mutex_);
    return begun_;
  }

 private:
  std::string content_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int allowed_ = 0;
};

}  // namespace

TEST_CASE("the inline worker's digest is that of the whole prefix, whatever the steps") {
  const auto content = random_text(3 * kMiB + 12345, 1);
  sim::SimulatedDisk disk;
  disk.put("/home/a", content);
  auto worker = make_inline_digest_worker();
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed);
    auto digest = worker->follow(*disk.open_to_read("/home/a"));
    for (std::uint64_t end = 0; end < content.size(); end += rng.below(kMiB)) digest->extend(end);
    digest->extend(content.size());
    CHECK(!digest->result().has_value());
    digest->finish();
    REQUIRE(digest->result().has_value());
    CHECK(*digest->result() == digest_of(content));
  }
}

TEST_CASE("the digest of nothing is that of an empty file") {
  sim::SimulatedDisk disk;
  disk.put("/home/a", "not looked at");
  auto quiet = make_inline_digest_worker();
  auto digest = quiet->follow(*disk.open_to_read("/home/a"));
  digest->finish();
  CHECK(*digest->result() == digest_of(""));
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto second = worker->follow(*disk.open_to_read("/home/a"));
  second->finish();
  bell.wait_for(*second);
  CHECK(*second->result() == digest_of(""));
}

TEST_CASE("the thread's digest is that of a file that grows beside it") {
  const auto content = random_text(5 * kMiB + 321, 2);
  test::TempFolder folder;
  PosixFileSystem files;
  auto file = *files.open_or_create(folder / "a", Access::shared);
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto digest = worker->follow(file);
  constexpr std::size_t step = 100'000;
  for (std::size_t at = 0; at < content.size(); at += step) {
    const auto piece = std::string_view(content).substr(at, step);
    REQUIRE(file->write_at(at, bytes_of(piece)).has_value());
    digest->extend(at + piece.size());
  }
  CHECK(!digest->result().has_value());
  digest->finish();
  bell.wait_for(*digest);
  CHECK(*digest->result() == digest_of(content));
}

TEST_CASE("many files are followed by one thread, each with its own result") {
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  sim::SimulatedDisk disk;
  std::vector<std::string> contents;
  std::vector<std::unique_ptr<PrefixDigest>> digests;
  for (std::uint64_t i = 0; i < 20; ++i) {
    contents.push_back(random_text(1000 + i * 150'000, i));
    const auto path = "/home/" + std::to_string(i);
    disk.put(path, contents.back());
    digests.push_back(worker->follow(*disk.open_to_read(path)));
    digests.back()->extend(contents.back().size() / 2);
  }
  for (std::size_t i = 0; i < digests.size(); ++i) {
    digests[i]->extend(contents[i].size());
    digests[i]->finish();
  }
  bell.wait_for_ring(20);
  for (std::size_t i = 0; i < digests.size(); ++i) CHECK(*digests[i]->result() == digest_of(contents[i]));
}

TEST_CASE("a large file does not keep a small one waiting") {
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto large = std::make_shared<GatedFile>(random_text(8 * kMiB, 3));
  auto small = std::make_shared<GatedFile>("small");
  small->allow(1);
  auto large_digest = worker->follow(large);
  auto small_digest = worker->follow(small);
  large_digest->extend(8 * kMiB);
  large->wait_for_begin(1);
  small_digest->extend(5);
  small_digest->finish();
  CHECK(!small_digest->result().has_value());
  large->allow(1);  // one piece, then it is the small one's turn
  bell.wait_for(*small_digest);
  CHECK(*small_digest->result() == digest_of("small"));
  large->allow(8 * kMiB / (64 * kKiB));  // all that is left: what is begun is waited for at the end
}

TEST_CASE("small additions do not set the thread to work before they fill a piece") {
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto lazy = std::make_shared<GatedFile>(random_text(2 * kMiB, 4));
  auto other = std::make_shared<GatedFile>("other");
  lazy->allow(100);
  other->allow(100);
  auto digest = worker->follow(lazy);
  for (std::uint64_t end = 1000; end < 64 * kKiB; end += 1000) digest->extend(end);
  auto second = worker->follow(other);
  second->extend(5);
  second->finish();
  bell.wait_for(*second);  // the thread has been through its queue
  CHECK(lazy->begun() == 0);
  digest->extend(64 * kKiB);
  lazy->wait_for_begin(1);
}

TEST_CASE("a small file is digested at once where nothing else runs, and beside where several do") {
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto alone = std::make_shared<GatedFile>("alone");
  alone->allow(1);
  const auto first = worker->follow_small(alone);
  first->extend(5);
  CHECK(alone->begun() == 1);
  first->finish();
  CHECK(*first->result() == digest_of("alone"));

  worker->expect_many();
  auto one_of_many = std::make_shared<GatedFile>("one of many");
  const auto second = worker->follow_small(one_of_many);
  second->extend(11);
  second->finish();  // would never come back if it were read here
  one_of_many->allow(1);
  bell.wait_for(*second);
  CHECK(*second->result() == digest_of("one of many"));
}

TEST_CASE("after its destruction nothing of a file is read any more") {
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto file = std::make_shared<GatedFile>(random_text(16 * kMiB, 5));
  auto other = std::make_shared<GatedFile>("other");
  file->allow(16 * kMiB / (64 * kKiB));  // all of it: what is begun is waited for
  other->allow(100);
  auto digest = worker->follow(file);
  digest->extend(16 * kMiB);
  digest->finish();
  file->wait_for_begin(1);
  digest.reset();
  const int begun = file->begun();
  CHECK(file.use_count() == 1);
  auto second = worker->follow(other);
  second->extend(5);
  second->finish();
  bell.wait_for(*second);
  CHECK(file->begun() == begun);
}

TEST_CASE("the worker may end before a digest that it follows") {
  sim::SimulatedDisk disk;
  disk.put("/home/a", random_text(3 * kMiB, 6));
  auto worker = make_threaded_digest_worker([] {});
  auto digest = worker->follow(*disk.open_to_read("/home/a"));
  digest->extend(3 * kMiB);
  worker.reset();
  digest->finish();
  digest.reset();
}

TEST_CASE("a read error becomes the result") {
  const auto content = random_text(2 * kMiB, 7);
  sim::SimulatedDisk disk;
  disk.put("/home/a", content);
  auto file = *disk.open_to_read("/home/a");
  disk.on_operation([](const sim::DiskOperation&) { return EIO; });
  Bell bell;
  auto threaded = make_threaded_digest_worker([&] { bell.ring(); });
  auto quiet = make_inline_digest_worker();
  auto first = quiet->follow(file);
  auto second = threaded->follow(file);
  for (auto* digest : {first.get(), second.get()}) {
    digest->extend(kMiB);
    digest->extend(2 * kMiB);
    CHECK(!digest->result().has_value());
    digest->finish();
    bell.wait_for(*digest);
    REQUIRE(!digest->result()->has_value());
    CHECK((*digest->result()).error().text() == "cannot read /home/a (Input/output error)");
  }
}

TEST_CASE("a result that an earlier read error decided is told after finish") {
  sim::SimulatedDisk disk;
  disk.put("/home/a", random_text(kMiB, 8));
  disk.put("/home/b", "other");
  auto file = *disk.open_to_read("/home/a");
  auto other = *disk.open_to_read("/home/b");
  disk.on_operation([](const sim::DiskOperation& operation) { return operation.path == "/home/a" ? EIO : 0; });
  Bell bell;
  auto worker = make_threaded_digest_worker([&] { bell.ring(); });
  auto digest = worker->follow(file);
  digest->extend(kMiB);
  auto second = worker->follow(other);
  second->finish();
  bell.wait_for_ring(1);  // the failed read is behind it
  CHECK(!digest->result().has_value());
  digest->finish();
  bell.wait_for_ring(2);
  CHECK(!digest->result()->has_value());
}

TEST_CASE("a file cut short by somebody else is a failure and no digest (E2)") {
  sim::SimulatedDisk disk;
  disk.put("/home/a", "short");
  auto worker = make_inline_digest_worker();
  auto digest = worker->follow(*disk.open_to_read("/home/a"));
  digest->extend(10);
  digest->finish();
  REQUIRE(!digest->result()->has_value());
  CHECK((*digest->result()).error().fault == Fault::local);
}

TEST_CASE("signals stay with the thread that began the worker") {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigset_t inside;
  Bell bell;
  auto worker = make_threaded_digest_worker([&] {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &inside);
    bell.ring();
  });
  auto file = std::make_shared<GatedFile>("content");
  file->allow(100);
  auto digest = worker->follow(file);
  digest->finish();
  bell.wait_for_ring(1);
  CHECK(::sigismember(&inside, SIGINT) == 1);
  CHECK(::sigismember(&inside, SIGTERM) == 1);
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  CHECK(::sigismember(&after, SIGINT) == ::sigismember(&before, SIGINT));
}

}  // namespace arkvory
