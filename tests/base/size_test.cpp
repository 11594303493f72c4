// SPDX-License-Identifier: Apache-2.0
#include "core/base/size.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace arkvory {

using namespace std::chrono_literals;

TEST_CASE("a number is decimal digits and nothing else") {
  CHECK(parse_number("0") == 0);
  CHECK(parse_number("007") == 7);
  CHECK(parse_number("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"", "18446744073709551616", "99999999999999999999", "-1", "+1", " 1", "1 ", "1.0", "0x1",
                           "1e3", "1,0", "\xD9\xA1"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("a size has binary and decimal units in any case") {
  const std::pair<const char*, std::uint64_t> good[] = {{"0", 0},
                                                        {"8388608", 8388608},
                                                        {"8MiB", 8 * kMiB},
                                                        {"8MB", 8'000'000},
                                                        {"8M", 8 * kMiB},
                                                        {"8m", 8 * kMiB},
                                                        {"0.5GiB", kGiB / 2},
                                                        {"1.5k", 1536},
                                                        {"312B", 312},
                                                        {"1KIB", 1024},
                                                        {"1kb", 1000},
                                                        {"2TiB", 2048 * kGiB},
                                                        {"1t", 1024 * kGiB},
                                                        {"0.1B", 0},
                                                        {"1.5", 1},
                                                        {"10GB", 10'000'000'000},
                                                        {"9223372036854775807", 9223372036854775807U}};
  for (const auto& row : good) {
    const auto& text = row.first;
    const auto& bytes = row.second;
    CAPTURE(std::string(text));
    CHECK(parse_size(text) == bytes);
  }
}

TEST_CASE("what is no size is refused, too large a one included") {
  for (const char* text : {"",
                           "B",
                           "MiB",
                           "8 MiB",
                           " 8",
                           "8MiBs",
                           "8Mi",
                           "8P",
                           "8MBB",
                           "-8",
                           "+8",
                           "8.",
                           ".5",
                           "1.2.3",
                           "1e3",
                           "0x8",
                           "8MiB ",
                           "9223372036854775808",
                           "18446744073709551616",
                           "9000000TiB",
                           "nan",
                           "inf"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_size(text));
  }
}

TEST_CASE("a rate is a size, with or without a second below it") {
  CHECK(parse_rate("5MiB/s") == 5 * kMiB);
  CHECK(parse_rate("5MiB") == 5 * kMiB);
  CHECK(parse_rate("100/s") == 100);
  for (const char* text : {"", "/s", "5MiB/", "5MiB/m", "5MiB/s/s", "5MiBps"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_rate(text));
  }
}

TEST_CASE("a duration has units from days to milliseconds, largest first") {
  const std::pair<const char*, Duration> good[] = {{"30", 30s},
                                                   {"30s", 30s},
                                                   {"250ms", 250ms},
                                                   {"5m", 5min},
                                                   {"5min", 5min},
                                                   {"1h30m", 90min},
                                                   {"2d", 48h},
                                                   {"1.5h", 90min},
                                                   {"0", 0s},
                                                   {"0.25", 250ms},
                                                   {"1d2h3m4s5ms", 26h + 3min + 4s + 5ms},
                                                   {"1m500ms", 60'500ms},
                                                   {"0.5d", 12h},
                                                   {"106751d", 106751 * 24h}};
  for (const auto& row : good) {
    const auto& text = row.first;
    const auto& length = row.second;
    CAPTURE(std::string(text));
    CHECK(parse_duration(text) == length);
  }
}

TEST_CASE("what is no duration is refused, too long a one included") {
  for (const char* text : {"",
                           "s",
                           "-5s",
                           "+5s",
                           "5 s",
                           " 5",
                           "5s ",
                           "1h30",
                           "30m1h",
                           "5s5s",
                           "5S",
                           "5sec",
                           "1y",
                           "1w",
                           "5.",
                           ".5s",
                           "5..5s",
                           "106752d",
                           "99999999999999999999s",
                           "106751d24h"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("sizes and rates are printed for people") {
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(312) == "312 B");
  CHECK(format_size(1023) == "1023 B");
  CHECK(format_size(1024) == "1.0 KiB");
  CHECK(format_size(5 * kMiB) == "5.0 MiB");
  CHECK(format_size(kMiB - 1) == "1.0 MiB");
  CHECK(format_size(kGiB + kGiB / 2) == "1.5 GiB");
  CHECK(format_size(std::numeric_limits<std::uint64_t>::max()) == "16.0 EiB");
  CHECK(format_rate(5.0 * 1024 * 1024) == "5.0 MiB/s");
  CHECK(format_rate(0) == "0 B/s");
  CHECK(format_rate(-1) == "0 B/s");
}

TEST_CASE("durations are printed for people, rounded up so that nothing is over before it is") {
  CHECK(format_duration(0s) == "0 s");
  CHECK(format_duration(-5s) == "0 s");
  CHECK(format_duration(1ns) == "1 s");
  CHECK(format_duration(3s) == "3 s");
  CHECK(format_duration(59s) == "59 s");
  CHECK(format_duration(60s) == "1 min");
  CHECK(format_duration(47min + 59s) == "47 min");
  CHECK(format_duration(65min) == "1 h 05 min");
  CHECK(format_duration(51h) == "2 d 03 h");
}

}  // namespace arkvory
