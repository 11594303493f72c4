// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <span>

#include "tests/support/temp_folder.h"

namespace arkvory::cli {

namespace {

constexpr std::size_t kLongest = 8;

// A file with a text, open.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    std::ofstream(folder_ / "list", std::ios::binary) << text;
    descriptor_ = ::open((folder_ / "list").c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~TextFile() { ::close(descriptor_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  test::TempFolder folder_;
  int descriptor_;
};

std::string all_of(LineReader& reader) {
  std::string all;
  while (true) {
    const auto line = reader.next();
    REQUIRE(line);
    if (line->kind == LineReader::Kind::later) return all + "...";
    if (line->kind == LineReader::Kind::end) return all;
    all += std::to_string(line->number) + (line->kind == LineReader::Kind::too_long ? "!" : ":");
    all += std::string(line->text) + "|";
  }
}

std::string lines_of(const std::string& text) {
  const TextFile file(text);
  LineReader reader(file.descriptor(), false, kLongest);
  const auto all = all_of(reader);
  CHECK(reader.length() == text.size());
  CHECK(reader.digest() == xxh3(std::as_bytes(std::span(text))));
  return all;
}

}  // namespace

TEST_CASE("lines end with LF or CRLF, and the last one may lack its end") {
  CHECK(lines_of("") == "");
  CHECK(lines_of("a\nb\r\n\nc") == "1:a|2:b|3:|4:c|");
  CHECK(lines_of("a\n") == "1:a|");
  CHECK(lines_of("\n") == "1:|");
  CHECK(lines_of(std::string("a\0b\n", 4)) == "1:" + std::string("a\0b", 3) + "|");
}

TEST_CASE("a byte order mark is no part of the first line, and stays in any other") {
  CHECK(lines_of("\xEF\xBB\xBF"
                 "a\n\xEF\xBB\xBF"
                 "b\n") ==
        "1:a|2:\xEF\xBB\xBF"
        "b|");
}

TEST_CASE("a line that is too long is told as such, once, and the next one is whole") {
  CHECK(lines_of("12345678\n123456789\nb\n") == "1:12345678|2!12345678|3:b|");
  const auto all = lines_of("a\n" + std::string(1000, 'x') + "\nb\n" + std::string(1000, 'y'));
  CHECK(all.starts_with("1:a|2!"));
  CHECK(all.find("|3:b|4!") != std::string::npos);
  CHECK(all.size() < 60);
}

TEST_CASE("a pipe is not waited for: what is there is given, and more later") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  LineReader reader(ends[0], true, kLongest);
  CHECK(all_of(reader) == "...");
  REQUIRE(::write(ends[1], "a\nb", 3) == 3);
  CHECK(all_of(reader) == "1:a|...");
  REQUIRE(::write(ends[1], "c\n", 2) == 2);
  CHECK(all_of(reader) == "2:bc|...");
  REQUIRE(::write(ends[1], "d", 1) == 1);
  ::close(ends[1]);
  CHECK(all_of(reader) == "3:d|");
  CHECK(all_of(reader) == "");
  ::close(ends[0]);
}

}  // namespace arkvory::cli
