// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/folder_page.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace arkvory;
using namespace arkvory::server;

namespace {

Headers accepting(const char* value) {
  Headers headers;
  headers.add("Accept", value);
  return headers;
}

FolderEntry entry(std::string name, EntryKind kind = EntryKind::file, std::uint64_t size = 5) {
  FolderEntry made;
  made.name = std::move(name);
  made.kind = kind;
  made.identity.size = size;
  return made;
}

}  // namespace

TEST_CASE("JSON is for those who prefer it to HTML") {
  CHECK(prefers_json(accepting("application/json")));
  CHECK(prefers_json(accepting("text/html;q=0.5, application/json")));
  CHECK(prefers_json(accepting("application/*, text/*;q=0.1")));
  CHECK(!prefers_json({}));
  CHECK(!prefers_json(accepting("*/*")));
  CHECK(!prefers_json(accepting("text/html,application/xhtml+xml,*/*;q=0.8")));
  CHECK(!prefers_json(accepting("application/json;q=0")));
  CHECK(!prefers_json(accepting("application/json;q=0.2, text/html;q=0.25")));
  CHECK(!prefers_json(accepting(",;q=,")));
}

TEST_CASE("the JSON index names each entry, exactly in its href") {
  const Folder folder{{entry("a b.bin"), entry("sub", EntryKind::folder), entry("\xFFx")}};
  const auto answer = folder_page(folder, RelativePath::from_text("top"), accepting("application/json"));
  CHECK(answer.headers.first("Content-Type") == "application/json");
  CHECK(answer.headers.first("Vary") == "Accept");
  const auto page = nlohmann::json::parse(answer.text);
  CHECK(page["path"] == "/files/top/");
  CHECK(page["complete"] == true);
  REQUIRE(page["entries"].size() == 3);
  CHECK(page["entries"][0]["name"] == "a b.bin");
  CHECK(page["entries"][0]["type"] == "file");
  CHECK(page["entries"][0]["size"] == 5);
  CHECK(page["entries"][0]["modified"] == "1970-01-01T00:00:00.000Z");
  CHECK(page["entries"][0]["href"] == "/files/top/a%20b.bin");
  CHECK(page["entries"][1]["type"] == "folder");
  CHECK(page["entries"][1]["href"] == "/files/top/sub/");
  CHECK(!page["entries"][1].contains("size"));
  CHECK(page["entries"][2]["href"] == "/files/top/%FFx");
}

TEST_CASE("a name can't become markup") {
  const Folder folder{{entry("<script>\"&'")}};
  const auto answer = folder_page(folder, RelativePath(), {});
  CHECK(answer.headers.first("Content-Type") == "text/html; charset=utf-8");
  CHECK(answer.text.find("<script>") == std::string::npos);
  CHECK(answer.text.find("&lt;script&gt;&quot;&amp;&#39;") != std::string::npos);
  CHECK(answer.text.find("href=\"/files/%3Cscript%3E%22%26%27\"") != std::string::npos);
}

TEST_CASE("a folder below the root links to the one above") {
  CHECK(folder_page({}, RelativePath::from_text("a/b"), {}).text.find("href=\"/files/a/\"") != std::string::npos);
  CHECK(folder_page({}, RelativePath::from_text("a"), {}).text.find("href=\"/files/\"") != std::string::npos);
  CHECK(folder_page({}, RelativePath(), {}).text.find("../") == std::string::npos);
}

TEST_CASE("a page has at most 10000 entries and says that more were left out") {
  Folder folder;
  for (std::size_t i = 0; i <= kMostEntries; ++i) folder.entries.push_back(entry(std::to_string(i)));
  const auto page = nlohmann::json::parse(folder_page(folder, {}, accepting("application/json")).text);
  CHECK(page["entries"].size() == kMostEntries);
  CHECK(page["complete"] == false);
}
