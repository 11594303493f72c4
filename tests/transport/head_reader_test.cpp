// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/http/head_reader.h"

namespace arkvory {

namespace {

using Verdict = HeadReader::Verdict;

Verdict read_all(HeadReader& reader, const std::vector<std::string>& lines) {
  auto verdict = Verdict::more;
  for (const auto& line : lines) verdict = reader.line(line);
  return verdict;
}

}  // namespace

TEST_CASE("a head is whole at its empty line") {
  HeadReader reader;
  CHECK(read_all(reader, {"HTTP/1.1 206 Partial Content\r\n", "ETag:\t\"a\" \r\n", "X:\r\n"}) == Verdict::more);
  CHECK(!reader.is_complete());
  CHECK(reader.line("\r\n") == Verdict::final_head);
  CHECK(reader.is_complete());
  CHECK(reader.head().status == 206);
  CHECK(reader.head().headers.first("etag") == "\"a\"");
  CHECK(reader.head().headers.first("x") == "");
}

TEST_CASE("status lines of HTTP/2 and without a reason are taken, others are not") {
  for (const auto* line : {"HTTP/2 200", "HTTP/2 200 ", "HTTP/1.0 200 OK", "HTTP/1.1 599"})
    CHECK(HeadReader().line(line) == Verdict::more);
  for (const auto* line : {"HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 099 x", "HTTP/1.1 101 Switching",
                           "http/1.1 200 OK", "ICY 200 OK", " HTTP/1.1 200 OK", ""})
    CHECK(HeadReader().line(line) == Verdict::malformed);
}

TEST_CASE("a fold with nothing before it and a field without a name are malformed") {
  HeadReader fold;
  CHECK(read_all(fold, {"HTTP/1.1 200 OK", " folded"}) == Verdict::malformed);
  for (const auto* line : {": value", "no colon", "\t"}) {
    HeadReader reader;
    CHECK(read_all(reader, {"HTTP/1.1 200 OK", line}) == Verdict::malformed);
  }
}

TEST_CASE("500 fields are taken and one more is not (C11)") {
  HeadReader reader;
  reader.line("HTTP/1.1 200 OK");
  for (int i = 0; i < 500; ++i) CHECK(reader.line("X: y") == Verdict::more);
  CHECK(reader.line("X: y") == Verdict::malformed);
}

TEST_CASE("64 KiB of head are taken and one byte more is not (C11)") {
  const std::string status = "HTTP/1.1 200 OK";
  const std::string field = "X: " + std::string(HeadReader::bytes_max - status.size() - 3, 'y');
  HeadReader reader;
  CHECK(read_all(reader, {status, field}) == Verdict::more);
  HeadReader other;
  CHECK(read_all(other, {status, field + "y"}) == Verdict::malformed);
}

TEST_CASE("an interim answer leaves nothing behind (C10)") {
  HeadReader reader;
  CHECK(read_all(reader, {"HTTP/1.1 103 Early Hints", "Content-Length: junk", ""}) == Verdict::more);
  CHECK(read_all(reader, {"HTTP/1.1 200 OK", "Content-Length: 4", ""}) == Verdict::final_head);
  CHECK(reader.head().headers.fields().size() == 1);
}

TEST_CASE("the largest length is 2^63-1 (C7)") {
  HeadReader reader;
  CHECK(read_all(reader, {"HTTP/1.1 200 OK", "Content-Length: 9223372036854775807", ""}) == Verdict::final_head);
  HeadReader other;
  CHECK(read_all(other, {"HTTP/1.1 200 OK", "Content-Length: 9223372036854775808", ""}) == Verdict::malformed);
}

TEST_CASE("lines after the final head are trailers and change nothing") {
  HeadReader reader;
  read_all(reader, {"HTTP/1.1 200 OK", ""});
  CHECK(read_all(reader, {"Content-Length: junk", ""}) == Verdict::more);
  CHECK(reader.head().headers.fields().empty());
}

TEST_CASE("a length stated by two means is doubtful framing (C8)") {
  HeadReader reader;
  read_all(reader, {"HTTP/1.1 200 OK", "Content-Length: 3", "Transfer-Encoding: chunked", ""});
  CHECK(reader.has_doubtful_framing());
}

}  // namespace arkvory
