// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/ticket_signer.h"
#include "tests/fuzz/fuzz_target.h"

using namespace arkvory;
using namespace arkvory::server;

// The key is 0, 1, … 31, the session that of the tests: a corpus can hold tickets that are right.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TicketKey::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  static const TicketSigner signer{TicketKey(bytes)};
  static const auto session = session_key("alice", "path:big.bin", *DownloadId::parse("0123456789abcdef"));
  constexpr std::int64_t kNow = 1'796'040'400'000;
  const auto text = fuzz::as_text(data, size);
  const auto checked = signer.check(text, session, kNow);
  const auto* times = std::get_if<TicketTimes>(&checked);
  if (times == nullptr) return 0;
  ensure(times->arrival_ms <= times->issued_ms && times->issued_ms <= kNow, "no time is ahead");
  ensure(signer.issue(session, times->arrival_ms, times->issued_ms).text() == text, "a ticket has one text");
  return 0;
}
