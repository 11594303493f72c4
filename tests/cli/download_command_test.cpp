// SPDX-License-Identifier: Apache-2.0
#include "cli/download_command.h"

#include <doctest/doctest.h>

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
  const auto jobs = download_jobs(command, files, current, {});
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK(jobs->front().headers.first("Authorization") == "Basic YTpi");
  CHECK(!jobs->back().headers.has("Authorization"));
  for (const auto& job : *jobs) {
    CHECK(job.folder == current);
    CHECK(job.name.empty());
    CHECK(job.shape.connections == 7);
    CHECK(!job.resume);
    CHECK(job.force);
  }
}

TEST_CASE("-o names the job's target") {
  const test::TempFolder folder;
  PosixFileSystem files;
  DownloadCommand command;
  command.urls = {*Url::parse("https://one.example/x")};
  command.output = "out.bin";
  CHECK(download_jobs(command, files, folder.path(), {})->front().name == "out.bin");
}

TEST_CASE("a token that only the environment has is not kept, and that is known") {
  DownloadCommand command;
  command.urls = {*Url::parse("https://one.example/x")};
  const Environment token{{"ARKVORY_TOKEN", "t"}};
  CHECK(token_is_not_kept(command, token));
  CHECK(!token_is_not_kept(command, {}));
  command.run.credentials.token_file = "f";
  CHECK(!token_is_not_kept(command, token));
}

}  // namespace arkvory::cli
