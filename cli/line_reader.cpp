// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>

namespace arkvory::cli {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(int descriptor, bool may_wait, std::size_t longest)
    : descriptor_(descriptor), may_wait_(may_wait), longest_(longest), buffer_(2 * longest + 2) {}

Result<LineReader::More> LineReader::read_more() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  while (true) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (may_wait_ && ::poll(&ready, 1, 0) == 0) return More::later;
    const auto got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
      return More::read;
    }
    if (got == 0) return More::end;
    if (errno == EAGAIN) return More::later;
    if (errno != EINTR) return fail(Fault::local, "it can't be read", std::generic_category().message(errno));
  }
}

void LineReader::drop(std::size_t size) {
  digest_.update(std::as_bytes(std::span(buffer_).subspan(begin_, size)));
  length_ += size;
  begin_ += size;
  scanned_ = begin_;
}

// What is given stays in the buffer until more is read.
LineReader::Line LineReader::give(std::size_t size, std::size_t end_size) {
  std::string_view text(buffer_.data() + begin_, size);
  drop(size + end_size);
  if (end_size > 0 && text.ends_with('\r')) text.remove_suffix(1);
  if (++lines_ == 1 && !cut_ && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const bool is_too_long = std::exchange(cut_, false) || text.size() > longest_;
  return {is_too_long ? Kind::too_long : Kind::line, text.substr(0, longest_), lines_};
}

Result<LineReader::Line> LineReader::next() {
  while (true) {
    const auto* const from = buffer_.data() + scanned_;
    const auto* const found = static_cast<const char*>(std::memchr(from, '\n', end_ - scanned_));
    if (found != nullptr) return give(static_cast<std::size_t>(found - buffer_.data()) - begin_, 1);
    scanned_ = end_;
    if (end_ - begin_ > longest_ + 1) {
      cut_ = true;
      drop(end_ - begin_);
    }
    const auto more = read_more();
    if (!more) return pass_on(more.error());
    if (*more == More::read) continue;
    if (*more == More::later) return Line{.kind = Kind::later};
    if (begin_ == end_ && !cut_) return Line{.kind = Kind::end};
    return give(end_ - begin_, 0);
  }
}

}  // namespace arkvory::cli
