// SPDX-License-Identifier: Apache-2.0
#include "cli/download_command.h"

#include <doctest/doctest.h>

#include "core/base/rfc3339.h"
#include "tests/support/temp_folder.h"

namespace arkvory::cli {

TEST_CASE("each URL becomes a job with target, shape and its own origin's credentials") {
  const test::TempFolder folder;
  PosixFileSystem files;
  const auto current = std::filesystem::canonical(folder.path());
  DownloadCommand command;
  command.urls = {*Url::parse("https://a:b@one.example/x"), *Url::parse("https://two.example/y")};
  command.shape.connections = 7;
  command.resume = false;
  command.force = true;
  const auto jobs = download_jobs(command, *download_target(command, files, current), current, {});
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK(jobs->front().headers.first("Authorization") == "Basic YTpi");
  CHECK(!jobs->back().headers.has("Authorization"));
  for (const auto& job : *jobs) {
    CHECK(job.folder == current);
    CHECK(job.name.empty());
    CHECK(job.shape.connections == 7);
    CHECK(!job.resume);
    CHECK(job.shape.force);
  }
}

TEST_CASE("-o names the job's target") {
  const test::TempFolder folder;
  PosixFileSystem files;
  DownloadCommand command;
  command.urls = {*Url::parse("https://one.example/x")};
  command.output = "out.bin";
  const auto target = download_target(command, files, folder.path());
  REQUIRE(target);
  CHECK(download_jobs(command, *target, folder.path(), {})->front().name == "out.bin");
}

TEST_CASE("moments are resolved once, and the deadline's HH:MM is the first one after the beginning") {
  const auto now = *parse_rfc3339("2027-06-01T20:00:00Z");
  const LocalClock utc = civil_of;
  const auto resolved = [&](const std::string& before, const std::string& after) {
    DownloadCommand command;
    command.not_before = before;
    command.not_after = after;
    const auto done = resolve_moments(command, now, utc);
    if (!done) return std::string(to_string(done.error().fault));
    std::string text;
    for (const auto& moment : {command.shape.not_before, command.shape.not_after})
      text += moment ? moment->given + " " + format_rfc3339(moment->time) + " " : "- ";
    return text;
  };
  CHECK(resolved("", "") == "- - ");
  CHECK(resolved("22:00", "06:00") == "22:00 2027-06-01T22:00:00.000Z 06:00 2027-06-02T06:00:00.000Z ");
  CHECK(resolved("+30h", "21:00") == "+30h 2027-06-03T02:00:00.000Z 21:00 2027-06-03T21:00:00.000Z ");
  CHECK(resolved("", "2027-06-01T10:00:00Z") == "- 2027-06-01T10:00:00Z 2027-06-01T10:00:00.000Z ");
  CHECK(resolved("2027-06-01T10:00:00Z", "21:00") ==
        "2027-06-01T10:00:00Z 2027-06-01T10:00:00.000Z 21:00 2027-06-01T21:00:00.000Z ");
  CHECK(resolved("+2h", "+1h") == "usage");
  CHECK(resolved("+100000d", "") == "usage");
}

TEST_CASE("a token that only the environment has is not kept, and that is known") {
  DownloadCommand command;
  command.urls = {*Url::parse("https://one.example/x")};
  const Environment token{{"ARKVORY_TOKEN", "t"}};
  CHECK(token_is_not_kept(command, token));
  CHECK(!token_is_not_kept(command, {}));
  DownloadCommand list;
  list.list = "l";
  CHECK(token_is_not_kept(list, token));
  command.run.credentials.token_file = "f";
  CHECK(!token_is_not_kept(command, token));
}

}  // namespace arkvory::cli
