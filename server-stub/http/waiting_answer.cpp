// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/waiting_answer.h"

#include <nlohmann/json.hpp>
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
  nlohmann::ordered_json body{
      {"type", "about:blank"}, {"title", "Busy"}, {"status", 503}, {"code", "busy"}, {"reason", "download_queued"}};
  Answer answer;
  answer.status = 503;
  answer.headers.add("Content-Type", "application/problem+json");
  answer.headers.add("Cache-Control", "no-store");
  add_retry_after(answer, notice.check_in);
  if (notice.position) {
    add(answer.headers, header::kQueuePosition, std::to_string(*notice.position));
    body["position"] = *notice.position;
  }
  if (notice.start) {
    add(answer.headers, header::kStartsAt, time(notice.start->point));
    body["startsAt"] = time(notice.start->point);
    body["startsBetween"] = {time(notice.start->from), time(notice.start->to)};
  }
  if (ticket) add(answer.headers, header::kQueueTicket, ticket->text());
  add(answer.headers, header::kDownloadClass, std::string(to_string(name)));
  body["checkAt"] = time(notice.check_in);
  body["class"] = to_string(name);
  answer.text = body.dump();
  return answer;
}

}  // namespace arkvory::server
