// SPDX-License-Identifier: Apache-2.0
// First line: a position; second: a start; third: a class; the rest: a body.
#include "core/base/utf8.h"
#include "core/protocol/header_names.h"
#include "core/protocol/queue_notice.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::QueueNotice;

namespace {

void check(const QueueNotice& notice) {
  ensure(!notice.position || *notice.position >= 1, "1 is next, and no place is before it");
  ensure(!notice.starts_at || *notice.starts_at >= arkvory::WallTime(), "no start is before 1970");
  ensure(!notice.starts_between || notice.starts_between->from <= notice.starts_between->to, "a span goes forward");
  ensure(notice.reason.size() <= 500 && arkvory::is_utf8(notice.reason), "a reason is a short text");
  ensure(notice.download_class.size() <= 16, "a class is one of ours");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = arkvory::fuzz::as_text(data, size);
  arkvory::Headers headers;
  for (const auto name : {arkvory::header::kQueuePosition, arkvory::header::kStartsAt, arkvory::header::kDownloadClass})
    headers.add(std::string(name), std::string(arkvory::fuzz::take_line(rest)));
  auto notice = QueueNotice::from(headers);
  check(notice);
  const auto head = notice;
  notice.add(rest);
  check(notice);
  ensure(!head.position || notice.position == head.position, "what the head told stands");
  ensure(!head.starts_at || notice.starts_at == head.starts_at, "what the head told stands");
  const auto once = notice;
  notice.add(rest);
  ensure(notice == once, "the same body adds nothing twice");
  return 0;
}
