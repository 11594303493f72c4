// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/object_store.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <thread>

#include "server-stub/objects/root_folder.h"
#include "server-stub/objects/worker_pool.h"
#include "tests/server/files.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

Sha256Digest digest_of(std::string_view text) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text.data(), text.size())));
  return sum.finish();
}

// A store over a folder, with scans in quick succession.
struct Served {
  explicit Served(const std::filesystem::path& folder,
                  IndexerSettings settings = {std::chrono::milliseconds(20), std::chrono::milliseconds(1)})
      : root(std::move(*RootFolder::open_root(folder))),
        indexer(*root, index, clock, settings),
        store(*root, index, indexer) {}

  bool has(const Sha256Digest& digest) {
    const auto found = store.open(digest);
    return found && std::holds_alternative<std::shared_ptr<ObjectFile>>(*found);
  }
  bool has_not(const Sha256Digest& digest) {
    const auto found = store.open(digest);
    return found && std::holds_alternative<Absent>(*found);
  }

  SystemClock clock;
  std::unique_ptr<RootFolder> root;
  DigestIndex index;
  Indexer indexer;
  ObjectStore store;
};

// The deadline is only for a test that fails.
bool comes_true(const std::function<bool()>& condition) {
  const SystemClock clock;
  const auto deadline = clock.now() + std::chrono::seconds(20);
  while (clock.now() < deadline) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

TEST_CASE("files are found by content wherever they are, and unknown digests once all files were read") {
  const test::TempFolder folder;
  test::put(folder / "a.bin", "alpha");
  test::put(folder / "sub/deep/b.bin", "beta");
  test::put(folder / "empty", "");
  Served served(folder.path());
  CHECK(comes_true([&] { return served.has(digest_of("alpha")); }));
  CHECK(comes_true([&] { return served.has(digest_of("beta")); }));
  CHECK(comes_true([&] { return served.has(digest_of("")); }));
  CHECK(comes_true([&] { return served.has_not(digest_of("gamma")); }));
}

TEST_CASE("a new file is found by content without a restart") {
  const test::TempFolder folder;
  Served served(folder.path());
  CHECK(comes_true([&] { return served.has_not(digest_of("late")); }));
  test::put(folder / "late.bin", "late");
  CHECK(comes_true([&] { return served.has(digest_of("late")); }));
}

TEST_CASE("a question for an unknown digest brings the next scan forward") {
  const test::TempFolder folder;
  Served served(folder.path(), {std::chrono::hours(1), std::chrono::milliseconds(1)});
  CHECK(comes_true([&] { return served.has_not(digest_of("late")); }));
  test::put(folder / "late.bin", "late");
  CHECK(comes_true([&] { return served.has(digest_of("late")); }));
}

TEST_CASE("a changed file is never served under its old digest, and is read again") {
  const test::TempFolder folder;
  test::put(folder / "a.bin", "alpha");
  Served served(folder.path(), {std::chrono::hours(1), std::chrono::hours(1)});
  REQUIRE(comes_true([&] { return served.has(digest_of("alpha")); }));
  test::wait_for_next_tick(folder / "a.bin");
  test::put(folder / "a.bin", "omega");
  CHECK(!served.has(digest_of("alpha")));
  CHECK(comes_true([&] { return served.has(digest_of("omega")); }));
  CHECK(!served.has(digest_of("alpha")));
}

TEST_CASE("a removed file is gone by content too") {
  const test::TempFolder folder;
  test::put(folder / "a.bin", "alpha");
  Served served(folder.path());
  REQUIRE(comes_true([&] { return served.has(digest_of("alpha")); }));
  std::filesystem::remove(folder / "a.bin");
  CHECK(comes_true([&] { return served.has_not(digest_of("alpha")); }));
  CHECK(comes_true([&] { return served.index.size() == 0; }));
}

TEST_CASE("asking for an object by its path finds out its digest") {
  const test::TempFolder folder;
  Served served(folder.path(), {std::chrono::hours(1), std::chrono::hours(1)});
  REQUIRE(comes_true([&] { return served.indexer.is_complete(); }));
  test::put(folder / "a.bin", "alpha");
  const auto found = served.store.open(*RelativePath::from_url("a.bin"));
  REQUIRE(found);
  const auto identity = std::get<std::shared_ptr<ObjectFile>>(*found)->identity();
  CHECK(comes_true([&] { return served.store.digest_of(identity) == digest_of("alpha"); }));
}

TEST_CASE("a symlinked folder is not walked twice, not even one that leads to itself") {
  const test::TempFolder folder;
  test::put(folder / "sub/a.bin", "alpha");
  std::filesystem::create_directory_symlink(".", folder / "sub" / "again");
  std::filesystem::create_directory_symlink("sub", folder / "other");
  Served served(folder.path());
  CHECK(comes_true([&] { return served.indexer.is_complete(); }));
  CHECK(served.index.size() == 1);
}

TEST_CASE("a pool does its jobs and tells whether one still runs") {
  std::mutex held;
  held.lock();
  std::atomic<int> done{0};
  {
    WorkerPool pool(2);
    pool.run([&] { const std::lock_guard lock(held); });
    for (int i = 0; i < 100; ++i) pool.run([&] { done += 1; });
    CHECK(comes_true([&] { return done == 100; }));
    CHECK(!pool.finish(std::chrono::milliseconds(1)));
    held.unlock();
    CHECK(pool.finish(std::chrono::seconds(20)));
    pool.run([&] { done += 1; });
  }
  CHECK(done == 100);
}

TEST_CASE("an ETag depends on size, inode and both times and on nothing else") {
  const FileIdentity identity{1, 2, 3, 4, 5};
  const auto tag = entity_tag(identity);
  CHECK(tag.size() == 34);
  CHECK(tag.front() == '"');
  CHECK(entity_tag({9, 2, 3, 4, 5}) == tag);
  CHECK(entity_tag({1, 9, 3, 4, 5}) != tag);
  CHECK(entity_tag({1, 2, 9, 4, 5}) != tag);
  CHECK(entity_tag({1, 2, 3, 9, 5}) != tag);
  CHECK(entity_tag({1, 2, 3, 4, 9}) != tag);
}

TEST_CASE("Last-Modified is never in the future and never before 1970") {
  const WallTime now{std::chrono::seconds(1000)};
  CHECK(last_modified({1, 1, 1, 5'500'000'000, 0}, now) == WallTime(std::chrono::seconds(5)));
  CHECK(last_modified({1, 1, 1, 5'000'000'000'000, 0}, now) == now);
  CHECK(last_modified({1, 1, 1, -5, 0}, now) == WallTime{});
}

TEST_CASE("what was found lately is known without being opened, for a second") {
  const test::TempFolder folder;
  test::put(folder / "object", "old bytes");
  Served served(folder.path());
  const auto path = RelativePath::from_text("object");
  const Instant now{};
  CHECK(served.store.found_lately(path, now) == nullptr);
  REQUIRE(served.store.open_cached(path, now));
  const auto file = served.store.found_lately(path, now + std::chrono::seconds(1));
  REQUIRE(file != nullptr);
  CHECK(file->identity().size == 9);
  CHECK(served.store.found_lately(path, now + std::chrono::milliseconds(1001)) == nullptr);
  CHECK(served.store.found_lately(RelativePath::from_text("objects"), now) == nullptr);

  SUBCASE("its bytes are those that it had then") {
    std::string bytes(4, '\0');
    REQUIRE(file->read(4, std::as_writable_bytes(std::span(bytes))));
    CHECK(bytes == "byte");
  }
  SUBCASE("or there are none, where it was replaced meanwhile") {
    test::put(folder / "other", "new bytes");
    std::filesystem::rename(folder / "other", folder / "object");
    std::byte byte{};
    const auto outcome = file->read(0, std::span(&byte, 1));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().fault == Fault::changed);
  }
  SUBCASE("or has gone") {
    std::filesystem::remove(folder / "object");
    std::byte byte{};
    const auto outcome = file->read(0, std::span(&byte, 1));
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().fault == Fault::changed);
  }
}
