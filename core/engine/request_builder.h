// SPDX-License-Identifier: Apache-2.0
// Makes the request for a question: the one place that knows which header goes where.
#pragma once

#include "core/engine/job.h"
#include "core/engine/progress_log.h"
#include "core/engine/response_check.h"
#include "core/engine/route.h"
#include "core/http/transport.h"

namespace arkvory {

// Range and If-Range by the question, `Accept-Encoding: identity`, `Want-Repr-Digest` while no digest is known. The
// job's own headers, credentials and everything `Arkvory-*` go to the first URL's origin alone (client.md, Faults).
Request build_request(const Job& job, const DownloadFacts& facts, const Route& route, const Question& question);

// Tells a server of ours that a download is over (protocol.md §2, DELETE), with `own` headers for who asks. Only for a
// server whose answers carried an `Arkvory-*` header: elsewhere it deletes the object.
Request build_release(const Url& first, const Headers& own, const DownloadId& id);

}  // namespace arkvory
