// SPDX-License-Identifier: Apache-2.0
#include "core/engine/request_builder.h"

#include "core/engine/farewell.h"
#include "core/protocol/header_names.h"

namespace arkvory {

Request build_request(const Job& job, const DownloadFacts& facts, const Route& route, const Question& question) {
  Request request{.url = route.current(),
                  .headers = {},
                  .connect_timeout = job.shape.connect_timeout,
                  .to_first_origin = route.is_first_origin(),
                  .decoded = question.decoded};
  auto& headers = request.headers;
  headers.add("Accept-Encoding", "identity");
  if (question.range) headers.add("Range", question.range->to_header());
  if (question.conditional && facts.object)
    if (auto validator = facts.object->validator()) headers.add("If-Range", std::move(*validator));
  if (!facts.shape.sha256 && !(facts.object && facts.object->digest)) headers.add("Want-Repr-Digest", "sha-256=1");
  if (!route.is_first_origin()) return request;
  for (const auto& field : job.headers.fields()) headers.add(field.name, field.value);
  headers.add(std::string(header::kDownloadId), facts.id.text());
  if (!facts.shape.download_class.empty()) headers.add(std::string(header::kDownloadClass), facts.shape.download_class);
  if (facts.ticket) headers.add(std::string(header::kQueueTicket), facts.ticket->ticket.text());
  return request;
}

Request build_release(const Url& first, const Headers& own, const DownloadId& id) {
  Request request{.url = first, .method = Method::remove, .headers = own, .connect_timeout = kFarewellTime};
  request.headers.add(std::string(header::kDownloadId), id.text());
  return request;
}

}  // namespace arkvory
