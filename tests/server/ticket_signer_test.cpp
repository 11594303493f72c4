// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/ticket_signer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/base/digest.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

TicketKey counting_key() {
  TicketKey::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  return TicketKey(bytes);
}

const DownloadId kId = *DownloadId::parse("0123456789abcdef");
const SessionKey kSession = session_key("alice", "path:big.bin", kId);
const TicketSigner kSigner(counting_key());

constexpr std::int64_t kArrival = 1'796'040'000'000;
constexpr std::int64_t kIssued = kArrival + 300'000;

// Made with openssl: SHA-256 of the length-prefixed parts, then
// `printf 'arkvory-ticket-2\n47f6…\nmx37udc0\nmx380stc' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f
// -binary`.
constexpr const char* kKeyHash = "47f6599394ee3dfe9235190672f0d0a04ae749ce63a39b062f3b7c12efd6aaf4";
const std::string kKnown = "2.mx37udc0.mx380stc.zgaeoWCAfLUecJyO5adxei9jO5x1_VqfJNFVAhQuego";

bool is_refused(const std::variant<TicketTimes, TicketRefusal>& checked, TicketRefusal why) {
  const auto* refusal = std::get_if<TicketRefusal>(&checked);
  return refusal != nullptr && *refusal == why;
}

std::optional<TicketTimes> check(std::string_view text, std::int64_t now = kIssued) {
  const auto checked = kSigner.check(text, kSession, now);
  const auto* times = std::get_if<TicketTimes>(&checked);
  return times == nullptr ? std::nullopt : std::optional(*times);
}

}  // namespace

TEST_CASE("a ticket is what protocol.md §4 says, byte for byte") {
  CHECK(Sha256Digest(kSession.bytes).to_hex() == kKeyHash);
  CHECK(kSigner.issue(kSession, kArrival, kIssued).text() == kKnown);
  CHECK(check(kKnown) == TicketTimes{kArrival, kIssued});
}

TEST_CASE("a ticket with any byte changed, left out or added says nothing") {
  for (std::size_t at = 0; at < kKnown.size(); ++at) {
    CAPTURE(at);
    for (int value = 0; value < 256; ++value) {
      auto changed = kKnown;
      if (static_cast<char>(value) == changed[at]) continue;
      changed[at] = static_cast<char>(value);
      CHECK_FALSE(check(changed));
    }
    CHECK_FALSE(check(kKnown.substr(0, at)));
    CHECK_FALSE(check(kKnown.substr(0, at) + kKnown.substr(at + 1)));
    CHECK_FALSE(check(kKnown.substr(0, at) + '0' + kKnown.substr(at)));
  }
  for (const char* more : {"=", ".", "A", " ", "\n"}) CHECK_FALSE(check(kKnown + more));
  CHECK_FALSE(check(" " + kKnown));
  CHECK_FALSE(check(kKnown + std::string(128, 'A')));
}

TEST_CASE("a ticket can't be moved to another download, principal, object or address (S1)") {
  const std::vector<SessionKey> others{
      session_key("alice", "path:big.bin", *DownloadId::parse("0123456789abcdeg")),
      session_key("bob", "path:big.bin", kId),
      session_key("alice", "path:big.bi", kId),
      session_key("alice", "artifact:big.bin", kId),
      session_key("alicep", "ath:big.bin", kId),
      session_key_for_address("alice", "path:big.bin", "0123456789abcdef"),
      session_key_for_address("alice", "path:big.bin", "192.0.2.1"),
  };
  for (const auto& other : others) {
    CHECK(other != kSession);
    CHECK(is_refused(kSigner.check(kKnown, other, kIssued), TicketRefusal::foreign));
  }
  CHECK(is_refused(TicketSigner(TicketKey::fresh()).check(kKnown, kSession, kIssued), TicketRefusal::foreign));
}

TEST_CASE("a ticket holds for 15 minutes from its issue") {
  CHECK(check(kKnown, kIssued + kTicketLifeMs - 1));
  CHECK(check(kKnown, kIssued + kTicketLifeMs));
  CHECK_FALSE(check(kKnown, kIssued + kTicketLifeMs + 1));
}

TEST_CASE("a ticket up to two minutes ahead counts as issued now") {
  const auto ahead = kIssued - kTicketAheadMs;
  CHECK(check(kKnown, ahead + 1) == TicketTimes{kArrival, ahead + 1});
  CHECK(check(kKnown, ahead) == TicketTimes{kArrival, ahead});
  CHECK_FALSE(check(kKnown, ahead - 1));
  const auto fresh = kSigner.issue(kSession, kIssued, kIssued);
  CHECK(check(fresh.text(), ahead) == TicketTimes{ahead, ahead});
}

TEST_CASE("an arrival more than 30 days old is refused") {
  for (const std::int64_t late : {-1, 0, 1}) {
    const auto issued = kArrival + kOldestArrivalMs + late;
    const auto ticket = kSigner.issue(kSession, kArrival, issued);
    CHECK(check(ticket.text(), issued).has_value() == (late <= 0));
  }
}

TEST_CASE("a ticket is never issued with an arrival later than itself, and such a one is refused") {
  CHECK(check(kSigner.issue(kSession, kIssued + 5000, kIssued).text()) == TicketTimes{kIssued, kIssued});
  // printf 'arkvory-ticket-2\n47f6…\nmx380stc\nmx37udc0' | openssl dgst …
  CHECK_FALSE(check("2.mx380stc.mx37udc0.RrSgwxpwfU98tjxBPMSc1mt2f1TRiMQeT5pmaWkrphQ", kArrival));
}

TEST_CASE("tickets stay short, and their times have one spelling each") {
  const std::int64_t last = 3'656'158'440'062'975;  // ten digits
  const auto longest = kSigner.issue(kSession, last, last);
  CHECK(longest.text().starts_with("2.zzzzzzzzzz.zzzzzzzzzz."));
  CHECK(longest.text().size() <= Ticket::kLongest);
  CHECK(check(longest.text(), last));
  CHECK(check(kSigner.issue(kSession, 0, 0).text(), 0) == TicketTimes{0, 0});
}

TEST_CASE("what was signed right but spelt wrong is refused") {
  for (const char* ticket : {"2.0mx37udc0.mx380stc.aTsgxFhwqIJZz3fD50UTUyS13QLonrwEjeKUlM3Ma9I",
                             "2.MX37UDC0.mx380stc.7FMUa_pZEnLu2D2lCKA67wi5fu1GFIb8uZyUrfy1Bxg",
                             "2.00000000001.mx380stc.utigcV3B33vYyvvcGQxcrtyfCgjrxKYc7c7JvNry_WE",
                             "2..mx380stc._lClHJenqcR4Jw6Dh3USfkkEZKrXPuSOmv3UMW0Cy68",
                             "1.mx37udc0.mx380stc.zgaeoWCAfLUecJyO5adxei9jO5x1_VqfJNFVAhQuego"}) {
    CAPTURE(ticket);
    CHECK_FALSE(check(ticket));
  }
}
