// SPDX-License-Identifier: Apache-2.0
// The operator's view of the queue (protocol.md §5): counts, and who waits by name; no tokens, ids or paths.
#pragma once

#include "core/base/clock.h"
#include "server-stub/http/exchange.h"
#include "server-stub/http/queue_desk.h"

namespace arkvory::server {

// JSON: `time`; `seats` (`all`, `taken`, `reserved`); `held`; `bytesPerSecond`, what the link carries, or null;
// `emptyAt`, when the last of those in line has its seat if nobody else comes, or null; `classes`, an object by name
// (`active`, `waiting`, `parked`, `waitingBytes`, `oldestWaitSeconds`, `bytesPerSecond`); `principals`, an array
// (`name`, `waiting`, `active`) of those who wait.
Answer queue_view_answer(QueueDesk& desk, const Clock& clock);

}  // namespace arkvory::server
