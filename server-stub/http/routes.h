// SPDX-License-Identifier: Apache-2.0
// What a request asks for, and what it is answered: the deciding halves around the look-up of the object. The first
// runs on the I/O thread; the look-up may wait for the disk, so that and the second run on a worker.
//
//   route(request) ──► an answer at once, or an ObjectRequest ──► (look-up) ──► answer_object(…)
//
// The order of refusals is that of rule S3: request shape (400) and method (405), then what is there (404), then
// conditions (412, 304), then the range (416).
#pragma once

#include <optional>
#include <variant>

#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/http/range_request.h"
#include "core/protocol/download_class.h"
#include "core/protocol/download_id.h"
#include "server-stub/http/exchange.h"
#include "server-stub/objects/object_store.h"

namespace arkvory::server {

// An object by one of its two kinds.
using ObjectName = std::variant<RelativePath, Sha256Digest>;

struct ObjectRequest {
  ObjectName object;
  bool is_head = false;
  RangeRequest range;  // never MalformedRange; NoRange for HEAD, which knows no ranges (RFC 9110 §14.2)
  DownloadClass download_class = DownloadClass::interactive;  // as applied
  std::optional<DownloadId> id;
};

std::variant<Answer, ObjectRequest> route(const Request& request);

// The answer to an object request once the look-up is done. `digest` is that of the file found, where it is known.
Answer answer_object(const Request& request, const ObjectRequest& asked, const Result<FoundObject>& found,
                     const std::optional<Sha256Digest>& digest, WallTime now);

}  // namespace arkvory::server
