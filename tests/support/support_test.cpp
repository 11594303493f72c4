// SPDX-License-Identifier: Apache-2.0
// The tests' own tools keep their promises.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>

#include "tests/support/object_answer.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace arkvory::test {

namespace {

Headers asking(const std::string& range) {
  Headers headers;
  headers.add("Range", range);
  return headers;
}

}  // namespace

TEST_CASE("a program gets its input, environment and folder, and its output is read") {
  const TempFolder folder;
  ProcessOptions options;
  options.input = "typed";
  options.environment = {{"GIVEN", "yes"}, {"HOME", std::nullopt}};
  options.folder = folder.path();
  const auto done = run({"sh", "-c", "cat; echo; echo $GIVEN ${HOME-none}; pwd; echo err >&2; exit 3"}, options);
  CHECK(done.output == "typed\nyes none\n" + folder.path().string() + "\n");
  CHECK(done.error_output == "err\n");
  CHECK(done.end.exit_code == 3);
  CHECK(done.end.signal == 0);
  CHECK(done.end.peak_bytes > 0);
}

TEST_CASE("a program's lines are read as they come, and a signal ends it") {
  Process process({"sh", "-c", "echo one; echo two; exec tail -f /dev/null"});
  CHECK(process.read_line(std::chrono::seconds(20)) == "one");
  CHECK(process.read_line(std::chrono::seconds(20)) == "two");
  CHECK(!process.read_line(std::chrono::milliseconds(1)));
  CHECK(!process.wait(std::chrono::milliseconds(1)));
  process.kill(SIGTERM);
  const auto end = process.wait();
  REQUIRE(end);
  CHECK(end->signal == SIGTERM);
}

TEST_CASE("a program that isn't there ends with 127, and more output than a pipe holds is taken") {
  CHECK(run({"/nonexistent/program"}).end.exit_code == 127);
  CHECK(run({"sh", "-c", "head -c 1000000 /dev/zero"}).output.size() == 1'000'000);
}

TEST_CASE("a correct origin answers ranges as RFC 9110 says") {
  const ObjectFacts object{100, "\"a\"", std::nullopt};
  const auto bytes_for = [&](const std::string& range) { return answer_for(object, "GET", asking(range)).bytes; };
  CHECK(bytes_for("bytes=0-0") == ByteRange(0, 1));
  CHECK(bytes_for("bytes=90-") == ByteRange(90, 100));
  CHECK(bytes_for("bytes=90-1000") == ByteRange(90, 100));
  CHECK(bytes_for("bytes=-5") == ByteRange(95, 100));
  CHECK(bytes_for("bytes=-500") == ByteRange(0, 100));
  for (const auto* ignored : {"bytes=5-4", "bytes=0-1,3-4", "bytes=x", "items=0-1", "bytes=-"})
    CHECK(answer_for(object, "GET", asking(ignored)).status == 200);
  for (const auto* beyond : {"bytes=100-", "bytes=100-200", "bytes=-0"})
    CHECK(answer_for(object, "GET", asking(beyond)).status == 416);
  CHECK(answer_for({0}, "GET", asking("bytes=0-9")).status == 416);
}

TEST_CASE("a pattern is the same from any offset") {
  const auto whole = pattern(3, 1000);
  for (const std::size_t offset : {1U, 7U, 8U, 500U}) {
    std::vector<std::byte> part(100);
    fill_pattern(3, offset, part);
    CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset)));
  }
  CHECK(pattern(4, 1000) != whole);
}

}  // namespace arkvory::test
