// SPDX-License-Identifier: Apache-2.0
#include "core/http/head_reader.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace arkvory {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// `HTTP/1.1 200 OK` and `HTTP/2 200`.
std::optional<int> parse_status(std::string_view text) {
  if (!text.starts_with("HTTP/")) return std::nullopt;
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto code = text.substr(space + 1, 3);
  const auto rest = text.substr(std::min(space + 4, text.size()));
  if (code.size() != 3 || !std::all_of(code.begin(), code.end(), is_digit)) return std::nullopt;
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  const auto status = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
  return status >= 100 ? std::optional(status) : std::nullopt;
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (length > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return length;
}

}  // namespace

bool HeadReader::has_doubtful_framing() const {
  return head_.headers.has("Content-Length") && head_.headers.has("Transfer-Encoding");
}

HeadReader::Verdict HeadReader::refuse(std::string reason) {
  reason_ = std::move(reason);
  return Verdict::malformed;
}

HeadReader::Verdict HeadReader::line(std::string_view text) {
  if (state_ == State::complete) return Verdict::more;
  bytes_ += text.size();
  if (bytes_ > bytes_max) return refuse("the header block is larger than 64 KiB");
  text = without_line_end(text);
  if (text.find('\0') != std::string_view::npos) return refuse("a NUL byte in the header block");
  if (state_ == State::status_line) return status_line(text);
  if (text.empty()) return end_of_head();
  if (text.front() == ' ' || text.front() == '\t') return fold(text);
  return field(text);
}

HeadReader::Verdict HeadReader::status_line(std::string_view text) {
  const auto status = parse_status(text);
  if (!status) return refuse("no HTTP status line");
  if (*status == 101) return refuse("a change of protocol nobody asked for");
  head_.status = *status;
  head_.headers.clear();
  state_ = State::fields;
  return Verdict::more;
}

HeadReader::Verdict HeadReader::field(std::string_view text) {
  if (++fields_ > fields_max) return refuse("more than 500 header fields");
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return refuse("a header line without a name");
  if (!name_.empty()) head_.headers.add(std::exchange(name_, {}), std::exchange(value_, {}));
  name_ = trimmed(text.substr(0, colon));
  value_ = trimmed(text.substr(colon + 1));
  if (name_.empty()) return refuse("a header line without a name");
  return Verdict::more;
}

HeadReader::Verdict HeadReader::fold(std::string_view text) {
  if (name_.empty()) return refuse("a folded line that continues nothing");
  const auto more = trimmed(text);
  if (!value_.empty() && !more.empty()) value_ += ' ';
  value_ += more;
  return Verdict::more;
}

HeadReader::Verdict HeadReader::end_of_head() {
  if (!name_.empty()) head_.headers.add(std::exchange(name_, {}), std::exchange(value_, {}));
  if (head_.status < 200) {
    state_ = State::status_line;
    return Verdict::more;
  }
  std::optional<std::uint64_t> stated;
  for (const auto text : head_.headers.all("Content-Length")) {
    const auto length = parse_length(text);
    if (!length) return refuse("Content-Length is no plain number");
    if (stated && *stated != *length) return refuse("two different Content-Lengths");
    stated = length;
  }
  state_ = State::complete;
  return Verdict::final_head;
}

}  // namespace arkvory
