// SPDX-License-Identifier: Apache-2.0
#include "cli/list_jobs.h"

#include <doctest/doctest.h>

#include <fstream>

#include "cli/list_start.h"
#include "core/engine/file_names.h"
#include "tests/cli/unfinished.h"

namespace arkvory::cli {

namespace {

const std::string kHex(64, 'a');

// A list and the folder that it fills. What is kept of one run is found by the next.
struct ListCase {
  test::StateFolder state;
  DownloadCommand command;
  std::vector<std::string> notes{};

  explicit ListCase(const std::string& text) {
    command.list = "list";
    write(text);
  }

  void write(const std::string& text) { std::ofstream(state.target("list"), std::ios::binary) << text; }
  void put(const std::string& name) { std::ofstream(state.target(name)) << "content"; }

  Result<OpenedList> open() {
    return open_list(command, state.current,
                     {state.files, state.processes, state.clock, state.current, state.current / "state"});
  }

  ListJobs run() {
    auto opened = open();
    REQUIRE(opened);
    notes = opened->notes;
    return ListJobs({command, state.files, state.current, environment}, state.current, std::move(opened->file),
                    std::move(opened->progress), [](bool) {});
  }

  const Environment environment{};
};

// What a source gives, one word for each: the target of a job with its line, `=` for what was done earlier, the words
// of a failure.
std::string told(ListJobs& jobs, std::size_t most = 1000) {
  std::string all;
  for (std::size_t i = 0; i < most; ++i) {
    const auto supply = jobs.next();
    if (std::holds_alternative<supply::Over>(supply)) return all + ".";
    if (std::holds_alternative<supply::Later>(supply)) return all + "...";
    if (const auto* entry = std::get_if<supply::Entry>(&supply)) {
      all += std::to_string(entry->number) + ":" + entry->job.name + " ";
    } else {
      const auto& settled = std::get<supply::Settled>(supply);
      all +=
          settled.outcome.error ? settled.outcome.error->words + " " : "=" + settled.target.filename().string() + " ";
    }
  }
  return all;
}

const Outcome kGood{};
const Outcome kBad{.error = Error{Fault::network, "no"}};

}  // namespace

TEST_CASE("a list gives its jobs in its order, with what each line says") {
  ListCase list("# files\nhttps://h/a\tout=one\tclass=bulk\n\n{\"url\":\"https://h/b\",\"sha256\":\"" + kHex + "\"}");
  list.command.shape.connections = 7;
  list.command.shape.download_class = "usual";
  list.command.force = true;
  auto jobs = list.run();
  const auto first = std::get<supply::Entry>(jobs.next());
  CHECK(first.number == 2);
  CHECK(first.job.folder == list.state.current);
  CHECK(first.job.name == "one");
  CHECK(first.job.shape.download_class == "bulk");
  CHECK(first.job.shape.connections == 7);
  CHECK(first.job.shape.force);
  const auto second = std::get<supply::Entry>(jobs.next());
  CHECK(second.number == 4);
  CHECK(second.job.name.empty());
  CHECK(second.job.shape.sha256->to_hex() == kHex);
  CHECK(second.job.shape.download_class == "usual");
  CHECK(told(jobs) == ".");
}

TEST_CASE("a faulty line is a failure of its own that names list and line") {
  ListCase list("nonsense\nhttps://h/b\tout=../b\nhttps://h/c\tout=c\n" + std::string(kLongestLine + 1, 'x') + "\n");
  auto jobs = list.run();
  const auto all = told(jobs);
  CHECK(all.find("list, line 1: 'nonsense' is no absolute URL") != std::string::npos);
  CHECK(all.find("list, line 2: out leads out of the folder") != std::string::npos);
  CHECK(all.find("3:c ") != std::string::npos);
  CHECK(all.find("list, line 4: it is longer than 65536 bytes") != std::string::npos);
}

TEST_CASE("sub-folders are made for what begins, and a link must not lead out of the folder") {
  ListCase list("https://h/a\tout=x/y/a\nhttps://h/b\tout=link/b\nhttps://h/c\tout=in/c\n");
  std::filesystem::create_directory_symlink("/", list.state.target("link"));
  std::filesystem::create_directory_symlink("x", list.state.target("in"));
  auto jobs = list.run();
  const auto first = std::get<supply::Entry>(jobs.next());
  CHECK(first.job.folder == list.state.current / "x/y");
  CHECK(first.job.name == "a");
  CHECK(std::get<supply::Settled>(jobs.next()).outcome.error->fault == Fault::usage);
  CHECK(std::get<supply::Entry>(jobs.next()).job.folder == list.state.current / "x");
}

TEST_CASE("what ended well is not given again, unless its file is gone; what failed is") {
  ListCase list("https://h/a\tout=a\nhttps://h/b\tout=b\nhttps://h/c\tout=c\nhttps://h/d\n");
  {
    auto jobs = list.run();
    CHECK(told(jobs) == "1:a 2:b 3:c 4: .");
    list.put("a");
    list.put("c");
    list.put("named-by-the-server");
    jobs.ended(1, list.state.target("a"), kGood);
    jobs.ended(2, list.state.target("b"), kBad);
    jobs.ended(3, list.state.target("c"), kGood);
    jobs.ended(4, list.state.target("named-by-the-server"), kGood);
    CHECK(!jobs.finish(false));
  }
  std::filesystem::remove(list.state.target("c"));
  auto again = list.run();
  CHECK(list.notes.empty());
  CHECK(told(again) == "=a 2:b 3:c =d .");
  CHECK(again.done_earlier() == 2);
}

TEST_CASE("a batch that is over leaves no record, and one that --no-resume begins anew has none") {
  ListCase list("https://h/a\tout=a\n");
  for (const bool resume : {true, false}) {
    list.command.resume = resume;
    auto jobs = list.run();
    CHECK(told(jobs) == "1:a .");
    list.put("a");
    jobs.ended(1, list.state.target("a"), kGood);
    CHECK(!jobs.finish(resume));
    CHECK(std::filesystem::is_empty(list.state.current / "state/batches") == resume);
  }
  list.command.resume = false;
  auto anew = list.run();
  CHECK(told(anew) == "1:a .");
}

TEST_CASE("killed between a file's name and the record: the file is ours where it was absent before, and none other") {
  ListCase list(
      "https://h/a\tout=a\nhttps://h/b\tout=b\nhttps://h/c\tout=c\nhttps://h/d\tout=d\nhttps://h/a2\tout=a\n" +
      std::string("https://h/e\tout=e\tsha256=") + kHex + "\n");
  list.put("b");
  {
    auto jobs = list.run();
    CHECK(told(jobs) == "1:a 2:b 3:c 4:d 5:a 6:e .");
    // Killed here, with a published, c begun only, d published but for its checkpoint, e published.
  }
  for (const auto* name : {"a", "d", "d.arkvory", "e"}) list.put(name);
  auto again = list.run();
  // b stood there before; d is for its checkpoint to tell; the second a is not what the first has fetched; e has a
  // digest to be compared with.
  CHECK(told(again) == "=a 2:b 3:c 4:d 5:a 6:e .");
}

TEST_CASE("a run that comes to an end leaves nothing that could be taken for its own") {
  ListCase list("https://h/a\tout=a\nhttps://h/b\tout=b\n");
  {
    auto jobs = list.run();
    CHECK(told(jobs, 1) == "1:a ");
    jobs.ended(1, list.state.target("a"), kBad);
    CHECK(!jobs.finish(false));
  }
  list.put("a");
  list.put("b");
  auto again = list.run();
  CHECK(told(again) == "1:a 2:b .");
}

TEST_CASE("an entry that resume has finished meanwhile is done") {
  ListCase list("https://h/a\tout=a\nhttps://h/b\tout=b\n");
  {
    auto jobs = list.run();
    CHECK(told(jobs, 2) == "1:a 2:b ");
    list.put("a.arkvory");
    jobs.ended(1, list.state.target("a"), kBad);
    jobs.ended(2, list.state.target("b"), kBad);
    CHECK(!jobs.finish(false));
  }
  std::filesystem::rename(list.state.target("a.arkvory"), list.state.target("a"));
  list.put("b");
  auto again = list.run();
  CHECK(told(again) == "=a 2:b .");
}

TEST_CASE("a list that was changed is another one, which is said; one that has grown is the same") {
  ListCase list("https://h/a\tout=a\n");
  {
    auto jobs = list.run();
    CHECK(told(jobs) == "1:a .");
    list.put("a");
    jobs.ended(1, list.state.target("a"), kGood);
    CHECK(!jobs.finish(false));
  }
  list.write("https://h/a\tout=a\nhttps://h/b\tout=b\n");
  {
    auto grown = list.run();
    CHECK(told(grown) == "=a 2:b .");
    CHECK(!grown.finish(false));
  }
  list.write("https://h/A\tout=a\nhttps://h/b\tout=b\n");
  auto changed = list.run();
  REQUIRE(list.notes.size() == 1);
  CHECK(list.notes[0].find("was changed") != std::string::npos);
  CHECK(told(changed) == "1:a 2:b .");
}

TEST_CASE("one process works on a list; a damaged record is set aside, a newer one is left alone") {
  ListCase list("https://h/a\tout=a\n");
  std::filesystem::path record;
  {
    auto jobs = list.run();
    CHECK(told(jobs, 1) == "1:a ");
    CHECK(list.open().error().fault == Fault::locked);
    for (const auto& entry : std::filesystem::directory_iterator(list.state.current / "state/batches"))
      if (entry.path().extension() == ".json") record = entry.path();
    REQUIRE(!record.empty());
  }
  std::ofstream(record) << "{\"format\":1,";
  {
    auto jobs = list.run();
    REQUIRE(list.notes.size() == 1);
    CHECK(list.notes[0].find("damaged") != std::string::npos);
    CHECK(told(jobs) == "1:a .");
  }
  std::ofstream(record) << "{\"format\":2,\"further\":1}";
  CHECK(list.open().error().fault == Fault::state);
  CHECK(std::filesystem::file_size(record) == 24);
}

TEST_CASE("--base-url makes the list a SHA256SUMS file, and a list that can't be opened is a wrong value") {
  ListCase list(kHex + "  d/a\n");
  list.command.base_url = *Url::parse("https://h/base/");
  auto jobs = list.run();
  const auto entry = std::get<supply::Entry>(jobs.next());
  CHECK(entry.job.url.text() == "https://h/base/d/a");
  CHECK(entry.job.folder == list.state.current / "d");
  for (const auto* name : {"absent", "state"}) {
    list.command.list = name;
    CHECK(list.open().error().fault == Fault::usage);
  }
}

TEST_CASE("what was not begun is counted without comments") {
  ListCase list("https://h/a\n\n# b\nhttps://h/c\nhttps://h/d");
  auto jobs = list.run();
  CHECK(told(jobs, 1) == "1: ");
  CHECK(jobs.unbegun() == 2);
}

}  // namespace arkvory::cli
