// SPDX-License-Identifier: Apache-2.0
// "Wait": the answer to one who is in line (protocol.md §3).
#pragma once

#include <optional>

#include "core/base/clock.h"
#include "core/protocol/download_class.h"
#include "core/protocol/ticket.h"
#include "server-stub/http/exchange.h"
#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

// 503 `busy`, reason `download_queued`. Retry-After in whole seconds, rounded up; times are counted from `now`.
Answer waiting_answer(const Notice& notice, DownloadClass name, const std::optional<Ticket>& ticket, WallTime now);

}  // namespace arkvory::server
