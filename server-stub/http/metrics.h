// SPDX-License-Identifier: Apache-2.0
// What `/metrics` says (protocol.md §5). Labels are of closed sets: nothing that a client sends becomes one.
#pragma once

#include <cstddef>
#include <string>

#include "server-stub/http/exchange.h"
#include "server-stub/http/queue_desk.h"
#include "server-stub/http/server_counts.h"
#include "server-stub/scheduler/histogram.h"

namespace arkvory::server {

struct MetricSources {
  QueueDesk& desk;
  const ServerCounts& counts;
  const Histogram& ticks;  // how long they took
  std::size_t open_connections = 0;
};

std::string metrics_text(const MetricSources& sources);
Answer metrics_answer(const MetricSources& sources);

}  // namespace arkvory::server
