// SPDX-License-Identifier: Apache-2.0
// What a request asks for, and what it is answered: the deciding halves around the look-up of the object. The first
// runs on the I/O thread; the look-up may wait for the disk, so that and the second run on a worker.
//
//   route(request) ──► an answer at once, or an ObjectRequest ──► (look-up) ──► answer_object(…)
//
// The order of refusals is that of rule S3: request shape (400) and method (405), then who asks (401, 403), then what
// is there (404), then conditions (412, 304), then the range (416).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/http/range_request.h"
#include "core/protocol/download_class.h"
#include "core/protocol/download_id.h"
#include "core/protocol/ticket.h"
#include "server-stub/http/exchange.h"
#include "server-stub/http/operator_routes.h"
#include "server-stub/objects/object_store.h"
#include "server-stub/store/control_keys.h"
#include "server-stub/store/principals.h"

namespace arkvory::server {

// An object by one of its two kinds.
using ObjectName = std::variant<RelativePath, Sha256Digest>;

// The one text of a name, which sessions are known by (S1): `path:folder/file`, `artifact:sha256:` and 64 digits.
std::string canonical_text(const ObjectName& object);

enum class Action {
  get,
  head,
  cancel,  // DELETE: ends the download with the id, which is always there
};

struct ObjectRequest {
  ObjectName object;
  Action action = Action::get;
  RangeRequest range;  // never MalformedRange; NoRange for HEAD, which knows no ranges (RFC 9110 §14.2)
  std::shared_ptr<const Principal> principal = anonymous();   // never null
  DownloadClass download_class = DownloadClass::interactive;  // as applied: the principal's own or a lower one
  std::optional<DownloadId> id{};
  std::optional<Ticket> ticket{};  // as sent and not checked; nothing where it came twice or can be none
  bool has_broken_ticket = false;  // there was a ticket of that kind
};

// What the server itself knows: `/readyz` and `/metrics`.
struct ReadinessRequest {};
struct MetricsRequest {};

using Routed = std::variant<Answer, ObjectRequest, ReadinessRequest, MetricsRequest, QueueViewRequest, OperatorRequest>;

// `/healthz` and `/readyz` are open to everyone; who may see `/metrics` is in operator_access.h; for the operator API
// the control keys decide, for all else the principals.
Routed route(const Request& request, const Principals& principals, const ControlKeys& control_keys = {});

// The answer to an object request once the look-up is done. `digest` is that of the file found, where it is known.
Answer answer_object(const Request& request, const ObjectRequest& asked, const Result<FoundObject>& found,
                     const std::optional<Sha256Digest>& digest, WallTime now);

}  // namespace arkvory::server
