// SPDX-License-Identifier: Apache-2.0
// One list of cases for what both stores hold of settings, accounts and who changed them.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "server-stub/store/memory_store.h"
#include "server-stub/store/sqlite_store.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr WallTime kTime{std::chrono::milliseconds(1'796'040'000'123)};

std::unique_ptr<SqliteStore> opened(const std::filesystem::path& folder) {
  auto store = SqliteStore::open(folder);
  REQUIRE_MESSAGE(store.has_value(), store.error().text());
  return std::move(*store);
}

struct OnDisk {
  test::TempFolder folder;
  std::unique_ptr<server::Store> store = opened(folder / "state");
};

struct InMemory {
  std::unique_ptr<server::Store> store = std::make_unique<MemoryStore>();
};

template <typename Value>
Value value_of(Result<Value> result) {
  REQUIRE_MESSAGE(result.has_value(), result.error().text());
  return std::move(*result);
}

SettingsRecord record(std::string overrides, std::string by = "ops") {
  return {0, std::move(overrides), std::move(by), kTime + std::chrono::microseconds(5)};
}

}  // namespace

TYPE_TO_STRING_AS("settings on disk", OnDisk);
TYPE_TO_STRING_AS("settings in memory", InMemory);

TEST_CASE_TEMPLATE("settings are nothing at first, then what was stored last, with revisions from 1 on", Kind, OnDisk,
                   InMemory) {
  Kind kind;
  auto& store = *kind.store;
  CHECK(value_of(store.settings()) == SettingsRecord{});
  const auto first = value_of(store.change_settings(0, record(R"({"sessions":2})")));
  CHECK(first.is_made);
  CHECK(first.record == SettingsRecord{1, R"({"sessions":2})", "ops", kTime});
  const auto second = value_of(store.change_settings(1, record("{}", "night")));
  CHECK(second.is_made);
  CHECK(value_of(store.settings()) == SettingsRecord{2, "{}", "night", kTime});
}

TEST_CASE_TEMPLATE("a change to another revision than the stored one changes nothing and is told that one", Kind,
                   OnDisk, InMemory) {
  Kind kind;
  auto& store = *kind.store;
  CHECK_FALSE(value_of(store.change_settings(1, record("{}"))).is_made);
  value_of(store.change_settings(0, record(R"({"sessions":2})")));
  for (const std::uint64_t expected : {0, 2, 7}) {
    const auto refused = value_of(store.change_settings(expected, record("{}", "night")));
    CHECK_FALSE(refused.is_made);
    CHECK(refused.record.revision == 1);
  }
  CHECK(value_of(store.settings()).overrides == R"({"sessions":2})");
  CHECK(value_of(store.audit(10)).size() == 1);
}

TEST_CASE_TEMPLATE("of those who change one revision at once, one does", Kind, OnDisk, InMemory) {
  Kind kind;
  auto& store = *kind.store;
  std::vector<std::thread> threads;
  std::vector<char> is_made(4, 0);
  for (std::size_t i = 0; i < is_made.size(); ++i)
    threads.emplace_back([&, i] {
      const auto changed = store.change_settings(0, record("{}", "ops" + std::to_string(i)));
      is_made[i] = changed && changed->is_made ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  CHECK(std::count(is_made.begin(), is_made.end(), 1) == 1);
  CHECK(value_of(store.settings()).revision == 1);
}

TEST_CASE_TEMPLATE("each account has a revision of its own, and a class or none", Kind, OnDisk, InMemory) {
  Kind kind;
  auto& store = *kind.store;
  CHECK(value_of(store.accounts()).empty());
  const AccountRecord fleet{"fleet", DownloadClass::bulk, 0, "ops", kTime};
  CHECK(value_of(store.change_account(0, fleet)).is_made);
  CHECK(value_of(store.change_account(0, {"build/ü", DownloadClass::background, 0, "ops", kTime})).is_made);
  const auto refused = value_of(store.change_account(0, fleet));
  CHECK_FALSE(refused.is_made);
  CHECK(refused.record.revision == 1);
  CHECK(value_of(store.change_account(1, {"fleet", std::nullopt, 0, "night", kTime})).is_made);
  const std::vector<AccountRecord> expected{{"build/ü", DownloadClass::background, 1, "ops", kTime},
                                            {"fleet", std::nullopt, 2, "night", kTime}};
  CHECK(value_of(store.accounts()) == expected);
}

TEST_CASE_TEMPLATE("each change is written down: when, who, which revision, what", Kind, OnDisk, InMemory) {
  Kind kind;
  auto& store = *kind.store;
  value_of(store.change_settings(0, record(R"({"sessions":2})")));
  value_of(store.change_account(0, {"fleet", DownloadClass::bulk, 0, "night", kTime}));
  value_of(store.change_account(1, {"fleet", std::nullopt, 0, "night", kTime}));
  const std::vector<AuditRow> expected{{kTime, "night", "account:fleet", 2, ""},
                                       {kTime, "night", "account:fleet", 1, "bulk"},
                                       {kTime, "ops", "settings", 1, R"({"sessions":2})"}};
  CHECK(value_of(store.audit(10)) == expected);
  CHECK(value_of(store.audit(1)).size() == 1);
}

TEST_CASE("what operators changed outlives the process, and another process sees it") {
  const test::TempFolder folder;
  const auto other = opened(folder / "state");
  {
    const auto store = opened(folder / "state");
    value_of(store->change_settings(0, record(R"({"sessions":2})")));
    value_of(store->change_account(0, {"fleet", DownloadClass::bulk, 0, "ops", kTime}));
  }
  CHECK(value_of(other->settings()).revision == 1);
  CHECK_FALSE(value_of(other->change_settings(0, record("{}"))).is_made);
  CHECK(value_of(opened(folder / "state")->accounts()).size() == 1);
}
