// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/ticket_signer.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/base64.h"
#include "core/base/digest.h"
#include "core/base/ensure.h"

namespace arkvory::server {
namespace {

constexpr std::string_view kFormat = "2";
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kMostDigits = 10;
constexpr std::int64_t kBeyondTenDigits = 3'656'158'440'062'976;  // 36^10

std::string to_base36(std::int64_t number) {
  ensure(number >= 0 && number < kBeyondTenDigits, "a ticket's time has at most ten digits");
  std::string text;
  do {
    text.insert(text.begin(), kDigits[static_cast<std::size_t>(number % 36)]);
    number /= 36;
  } while (number > 0);
  return text;
}

// The one text of a number; nothing for any other.
std::optional<std::int64_t> from_base36(std::string_view text) {
  if (text.empty() || text.size() > kMostDigits || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    number = number * 36 + static_cast<std::int64_t>(digit);
  }
  return number;
}

std::string mac_of(const HmacSha256& hmac, const SessionKey& session, std::string_view arrival,
                   std::string_view issued) {
  std::string signed_text = "arkvory-ticket-2\n" + Sha256Digest(session.bytes).to_hex() + '\n';
  signed_text.append(arrival).append("\n").append(issued);
  return to_base64url(hmac.of(signed_text));
}

// Up to the next dot, which is removed with it; the whole rest where there is none.
std::string_view take_part(std::string_view& rest) {
  const auto part = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

}  // namespace

Ticket TicketSigner::issue(const SessionKey& session, std::int64_t arrival_ms, std::int64_t issued_ms) const {
  const auto arrival = to_base36(std::min(arrival_ms, issued_ms));
  const auto issued = to_base36(issued_ms);
  auto ticket = Ticket::parse(std::string(kFormat) + '.' + arrival + '.' + issued + '.' +
                              mac_of(hmac_, session, arrival, issued));
  ensure(ticket.has_value(), "a ticket of ours is a ticket");
  return std::move(*ticket);
}

std::variant<TicketTimes, TicketRefusal> TicketSigner::check(std::string_view text, const SessionKey& session,
                                                             std::int64_t now_ms) const {
  if (text.size() > Ticket::kLongest || std::count(text.begin(), text.end(), '.') != 3) return TicketRefusal::malformed;
  if (take_part(text) != kFormat) return TicketRefusal::malformed;
  const auto arrival_text = take_part(text);
  const auto issued_text = take_part(text);
  const auto arrival = from_base36(arrival_text);
  const auto issued = from_base36(issued_text);
  if (!arrival || !issued) return TicketRefusal::malformed;
  // What was not signed here says nothing, its times neither.
  if (!equal_in_constant_time(text, mac_of(hmac_, session, arrival_text, issued_text))) return TicketRefusal::foreign;
  if (*arrival > *issued || now_ms - *arrival > kOldestArrivalMs) return TicketRefusal::impossible;
  if (*issued > now_ms + kTicketAheadMs) return TicketRefusal::ahead;
  if (now_ms - *issued > kTicketLifeMs) return TicketRefusal::expired;
  return TicketTimes{std::min(*arrival, now_ms), std::min(*issued, now_ms)};
}

}  // namespace arkvory::server
