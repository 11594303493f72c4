// SPDX-License-Identifier: Apache-2.0
// `arkvory-stub simulate` as a user runs it.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/server/files.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kScenario =
    R"({"seed":5,"link":"1MB/s","network":"20ms","settings":{"sessions":2},
 "clients":[{"name":"m","count":20,"size":"1MB..30MB","mode":"poller","arrive":"0s..1min"},
            {"name":"p\"1","size":"2MB","class":"interactive","arrive":"30s"},
            {"name":"gone","size":"9MB","mode":"poller","arrive":"40s","leave":"45s"}]})";

test::Finished simulate(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), {ARKVORY_STUB, "simulate"});
  test::ProcessOptions options;
  options.input = input;
  return test::run(arguments, options);
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> all;
  for (const auto& [key, value] : object.items()) all.push_back(key);
  return all;
}

// What went wrong, where that is all that was said.
std::string complaint(const test::Finished& finished) {
  CHECK(finished.output.empty());
  const auto said = lines(finished.error_output);
  CHECK(said.size() == 1);
  return said.empty() ? "" : said.front();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("simulate prints a table, or with --json one line with exactly the members that are promised") {
  const test::TempFolder folder;
  const auto file = (folder / "scenario.json").string();
  test::put(file, kScenario);
  const auto table = simulate({file});
  CHECK(table.end.exit_code == 0);
  CHECK(table.error_output.empty());
  for (const auto* row : {"strategy", "ordered, 2 seats", "first file complete", "seats free in vain", "no-shows"})
    CHECK(has(table.output, row));
  const auto figures = simulate({file, "--json"});
  CHECK(figures.end.exit_code == 0);
  REQUIRE(lines(figures.output).size() == 1);
  const auto json = Json::parse(figures.output);
  using Keys = std::vector<std::string>;
  CHECK(keys(json) == Keys{"completion", "lostSeatSeconds", "lostLinkSeconds", "estimate", "preemptions", "noShows",
                           "positionRises", "virtualSeconds"});
  CHECK(keys(json["completion"]) == Keys{"first", "mean", "p50", "p90", "p99", "last"});
  CHECK(keys(json["estimate"]) == Keys{"medianError", "insideInterval", "meanWidth"});
  CHECK(json["noShows"] == 1);
  CHECK(json["completion"]["last"] <= json["virtualSeconds"]);
}

TEST_CASE("the same seed gives the same bytes, another seed others") {
  const test::TempFolder folder;
  const auto run = [&](const std::string& name, const std::string& scenario) {
    const auto events = (folder / (name + ".events")).string();
    const auto picture = (folder / (name + ".svg")).string();
    const auto finished = simulate({"-", "--json", "--events", events, "--plot", picture}, scenario);
    CHECK(finished.end.exit_code == 0);
    return std::vector{finished.output, content(events), content(picture)};
  };
  auto other = std::string(kScenario);
  other.replace(other.find("\"seed\":5"), 8, "\"seed\":6");
  const auto first = run("first", kScenario);
  CHECK(first == run("again", kScenario));
  const auto second = run("second", other);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK_FALSE(first[i].empty());
    CHECK(first[i] != second[i]);
  }
}

TEST_CASE("each event is a line with its members in order, and times go on in microseconds") {
  const test::TempFolder folder;
  const auto events = folder / "events";
  const auto finished = simulate({"-", "--json", "--events", events.string()}, kScenario);
  REQUIRE(finished.end.exit_code == 0);
  using Keys = std::vector<std::string>;
  double last = 0;
  std::size_t with_estimate = 0;
  std::map<std::string, int> counts;
  for (const auto& line : lines(content(events))) {
    CAPTURE(line);
    const auto event = Json::parse(line);
    const auto name = event["event"].get<std::string>();
    ++counts[name];
    CHECK(line.starts_with("{\"t\":"));
    CHECK(line.find(',') - line.find('.') == 7);
    CHECK(event["t"] >= last);
    last = event["t"];
    if (name != "answer") {
      CHECK(keys(event) == Keys{"t", "event", "session"});
      continue;
    }
    CHECK(keys(event) == Keys{"t", "event", "session", "position", "startsIn", "startsBetween", "checkIn"});
    if (event["startsBetween"].is_null()) continue;
    ++with_estimate;
    CHECK(event["position"] >= 1);
    CHECK(event["startsBetween"].size() == 2);
    CHECK(event["startsBetween"][0] <= event["startsBetween"][1]);
  }
  CHECK(with_estimate > 0);
  CHECK(counts["arrive"] == 22);
  CHECK(counts["finish"] == 21);
  CHECK(counts["no-show"] == 1);
  const auto figures = Json::parse(finished.output);
  CHECK(figures["virtualSeconds"] == last);
  CHECK(has(content(events), R"("session":"p\"1"})"));
}

TEST_CASE("the picture stands by itself: its elements are closed, and it has neither scripts nor links") {
  const test::TempFolder folder;
  const auto picture = folder / "picture.svg";
  REQUIRE(simulate({"-", "--plot", picture.string()}, kScenario).end.exit_code == 0);
  const auto text = content(picture);
  CHECK(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK_FALSE(has(text, "<script"));
  CHECK_FALSE(has(text, "href"));
  std::vector<std::string> open;
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const auto end = text.find('>', at);
    REQUIRE(end != std::string::npos);
    const auto element = text.substr(at + 1, end - at - 1);
    CHECK_FALSE(has(element, "<"));
    if (element.front() == '/') {
      REQUIRE_FALSE(open.empty());
      CHECK(element.substr(1) == open.back());
      open.pop_back();
    } else if (element.back() != '/') {
      open.push_back(element.substr(0, element.find(' ')));
    }
  }
  CHECK(open.empty());
}

TEST_CASE("a sweep prints a row for each value, as JSON too") {
  const auto table = simulate({"-", "--sweep", "sessions=1..3"}, kScenario);
  CHECK(table.end.exit_code == 0);
  const auto rows = lines(table.output);
  REQUIRE(rows.size() == 4);
  CHECK(has(rows[0], "sessions"));
  CHECK(std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row.size() == rows[0].size(); }));
  const auto as_json = simulate({"-", "--json", "--sweep", "sessions=1..3"}, kScenario);
  const auto all = lines(as_json.output);
  REQUIRE(all.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = Json::parse(all[i]);
    CHECK(keys(row).front() == "sessions");
    CHECK(row["sessions"] == i + 1);
    CHECK(keys(row).size() == 9);
  }
  auto alone = std::string(kScenario);
  alone.replace(alone.find("\"sessions\":2"), 12, "\"sessions\":3");
  CHECK(all[2] + "\n" == "{\"sessions\":3," + simulate({"-", "--json"}, alone).output.substr(1));
}

TEST_CASE("a bad scenario is one line with the JSON Pointer, and exit 2") {
  const test::TempFolder folder;
  const auto file = (folder / "scenario.json").string();
  const auto bad = R"({"link":"1MB/s","clients":[{"size":"1MB"},{"size":"40 potatoes"}]})";
  test::put(file, bad);
  const auto from_file = simulate({file});
  CHECK(from_file.end.exit_code == 2);
  CHECK(complaint(from_file) ==
        "arkvory-stub: " + file + ": /clients/1/size: takes a size such as \"40MB\", not \"40 potatoes\"");
  const auto from_input = simulate({"-"}, bad);
  CHECK(from_input.end.exit_code == 2);
  CHECK(complaint(from_input).starts_with("arkvory-stub: standard input: /clients/1/size: "));
}

TEST_CASE("a bad command is one line that names the option, and exit 2") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "SCENARIO"},
      {{"-", "again"}, "again"},
      {{"-", "--json=yes"}, "--json"},
      {{"-", "--events="}, "--events"},
      {{"-", "--sweep", "sessions"}, "--sweep"},
      {{"-", "--sweep", "seats=1..2"}, "seats"},
      {{"-", "--sweep", "sessions=0..2"}, "sessions takes a number from 1"},
      {{"-", "--sweep", "weights=1..2"}, "weights takes four numbers"},
      {{"-", "--sweep", "sessions=1..2", "--plot", "x.svg"}, "--plot"},
      {{"-", "--sweep", "sessions=1..2", "--events", "x"}, "--events"},
  };
  for (const auto& [arguments, named] : cases) {
    CAPTURE(named);
    const auto finished = simulate(arguments, kScenario);
    CHECK(finished.end.exit_code == 2);
    CHECK(has(complaint(finished), named));
  }
}

TEST_CASE("what can't be read or written is one line that names it, and exit 10") {
  const test::TempFolder folder;
  const auto file = (folder / "scenario.json").string();
  test::put(file, kScenario);
  const auto missing = (folder / "missing").string();
  const auto nowhere = (folder / "no" / "file").string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{missing}, missing},
      {{folder.path().string()}, folder.path().string()},
      {{file, "--events", nowhere}, nowhere},
      {{file, "--plot", nowhere}, nowhere},
      {{file, "--events", "/dev/full"}, "/dev/full"},
      {{file, "--plot", "/dev/full"}, "/dev/full"},
  };
  for (const auto& [arguments, named] : cases) {
    CAPTURE(named);
    const auto finished = simulate(arguments);
    CHECK(finished.end.exit_code == 10);
    CHECK(has(complaint(finished), named));
  }
  for (const std::vector<std::string>& arguments :
       {std::vector{file}, {file, "--json"}, {file, "--sweep=sessions=1..9"}}) {
    test::ProcessOptions options;
    options.output_file = "/dev/full";
    auto all = arguments;
    all.insert(all.begin(), {ARKVORY_STUB, "simulate"});
    const auto finished = test::run(all, options);
    CHECK(finished.end.exit_code == 10);
    CHECK(has(complaint(finished), "standard output"));
  }
}
