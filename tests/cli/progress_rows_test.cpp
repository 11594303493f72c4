// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_rows.h"

#include <doctest/doctest.h>

#include "cli/safe_text.h"
#include "core/base/size.h"

namespace arkvory::cli {

namespace {

LineState moving(std::string name, std::uint64_t bytes, std::optional<std::uint64_t> total, double rate) {
  return {.name = std::move(name),
          .phase = Phase::transferring,
          .progress = {.bytes = bytes, .total = total, .rate = rate}};
}

LineState in_queue(std::string name) {
  return {.name = std::move(name), .phase = Phase::waiting, .waiting_text = "in queue, place 2"};
}

}  // namespace

TEST_CASE("one download has its row and no sum") {
  const std::vector<LineState> one{moving("a", kMiB, 4 * kMiB, 0)};
  const auto rows = progress_rows({80, 24}, one, 7);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].text == progress_line(79, one[0]));
}

TEST_CASE("several have a row each and their sum below") {
  const std::vector<LineState> several{moving("a", 1 * kMiB, 4 * kMiB, 2 * kMiB), in_queue("b"),
                                       moving("c", 2 * kMiB, 8 * kMiB, 1 * kMiB)};
  auto rows = progress_rows({120, 24}, several, 0);
  REQUIRE(rows.size() == 4);
  CHECK_FALSE(rows[0].is_waiting);
  CHECK(rows[1].text == "b  in queue, place 2");
  CHECK(rows[1].is_waiting);
  // What b has is not known.
  CHECK(rows[3].text == "3 files, 1 waiting  3.0 MiB  3.0 MiB/s");
  CHECK_FALSE(rows[3].is_waiting);
  const std::vector<LineState> known{several[0], several[2]};
  rows = progress_rows({120, 24}, known, 12);
  CHECK(rows[2].text.starts_with("2 files, 12 done   25 %  ["));
  CHECK(rows[2].text.ends_with("]  3.0 MiB of 12.0 MiB  3.0 MiB/s  3 s left"));
}

TEST_CASE("as long as nothing came the sum counts only") {
  const std::vector<LineState> several{in_queue("a"), in_queue("b")};
  CHECK(progress_rows({80, 24}, several, 0).back().text == "2 files, 2 waiting");
}

TEST_CASE("what finds no room on the screen is in the sum") {
  const std::vector<LineState> many(40, moving("a", kMiB, 2 * kMiB, 0));
  const auto rows = progress_rows({80, 10}, many, 0);
  CHECK(rows.size() == 9);
  CHECK(rows.back().text.starts_with("40 files, 32 not shown"));
  CHECK(progress_rows({80, 1}, many, 0).size() == 2);
}

TEST_CASE("each row is narrower than the screen") {
  const std::vector<LineState> several{moving("a-long-name-of-a-file.bin", kMiB, 4 * kMiB, 1000), in_queue("b")};
  for (std::size_t columns = 20; columns < 150; ++columns)
    for (const auto& row : progress_rows({columns, 24}, several, 123'456)) {
      CAPTURE(columns);
      CHECK(display_width(row.text) < columns);
    }
}

}  // namespace arkvory::cli
