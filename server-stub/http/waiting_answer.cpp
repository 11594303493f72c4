// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/waiting_answer.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "core/base/rfc3339.h"
#include "core/protocol/header_names.h"

namespace arkvory::server {
namespace {

void add(Headers& headers, std::string_view name, std::string value) {
  headers.add(std::string(name), std::move(value));
}

}  // namespace

Answer waiting_answer(const Notice& notice, DownloadClass name, const std::optional<Ticket>& ticket, WallTime now) {
  const auto time = [now](Duration ahead) { return format_rfc3339(now + ahead); };
  // Written as it is: no value needs escaping, and this is what a busy server answers more often than all else.
  std::string body = R"({"type":"about:blank","title":"Busy","status":503,"code":"busy","reason":"download_queued")";
  const auto out = std::back_inserter(body);
  Answer answer;
  answer.status = 503;
  answer.headers.add("Content-Type", "application/problem+json");
  answer.headers.add("Cache-Control", "no-store");
  add_retry_after(answer, notice.check_in);
  if (notice.position) {
    add(answer.headers, header::kQueuePosition, std::to_string(*notice.position));
    fmt::format_to(out, R"(,"position":{})", *notice.position);
  }
  if (notice.start) {
    auto start = time(notice.start->point);
    fmt::format_to(out, R"(,"startsAt":"{}","startsBetween":["{}","{}"])", start, time(notice.start->from),
                   time(notice.start->to));
    add(answer.headers, header::kStartsAt, std::move(start));
  }
  if (ticket) add(answer.headers, header::kQueueTicket, ticket->text());
  add(answer.headers, header::kDownloadClass, std::string(to_string(name)));
  fmt::format_to(out, R"(,"checkAt":"{}","class":"{}"}})", time(notice.check_in), to_string(name));
  answer.text = std::move(body);
  return answer;
}

}  // namespace arkvory::server
