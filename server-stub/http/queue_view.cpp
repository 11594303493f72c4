// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/queue_view.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/rfc3339.h"

namespace arkvory::server {
namespace {

using Json = nlohmann::ordered_json;

Json classes(const Census& census, const Throughput& throughput) {
  Json shown = Json::object();
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto& count = census[i];
    const auto oldest = std::chrono::duration<double>(count.oldest_wait).count();
    shown[std::string(kDownloadClassNames[i])] =
        Json{{"active", count.active},
             {"waiting", count.waiting},
             {"parked", count.parked},
             {"waitingBytes", count.waiting_bytes},
             {"oldestWaitSeconds", count.waiting == 0 ? Json(nullptr) : Json(oldest)},
             {"bytesPerSecond", throughput.rate(static_cast<DownloadClass>(i))}};
  }
  return shown;
}

Json principals(const Scheduler& scheduler) {
  Json shown = Json::array();
  for (const auto& one : scheduler.waiting_principals())
    shown.push_back(Json{{"name", one.name}, {"waiting", one.waiting}, {"active", one.active}});
  return shown;
}

}  // namespace

Answer queue_view_answer(QueueDesk& desk, const Clock& clock) {
  const auto& scheduler = desk.scheduler();
  const auto wall = clock.wall_now();
  const auto rate = scheduler.rate();
  const auto empties_in = scheduler.empties_in(clock.now());
  Json body{
      {"time", format_rfc3339(wall)},
      {"seats", {{"all", scheduler.seats()}, {"taken", scheduler.active()}, {"reserved", scheduler.reserved_seats()}}},
      {"held", desk.held()},
      {"bytesPerSecond", rate ? Json(*rate) : Json(nullptr)},
      {"emptyAt", empties_in ? Json(format_rfc3339(wall + *empties_in)) : Json(nullptr)}};
  body["classes"] = classes(desk.census(), scheduler.throughput());
  body["principals"] = principals(scheduler);
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", "application/json");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = body.dump() + "\n";
  return answer;
}

}  // namespace arkvory::server
