// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/readiness.h"

#include <nlohmann/json.hpp>

namespace arkvory::server {

Answer readiness_answer(const Readiness& readiness) {
  const char* store = readiness.has_store ? "ok" : "memory";
  if (!readiness.problem.empty()) store = "failing";
  const auto& problem = readiness.problem.empty() ? readiness.settings_problem : readiness.problem;
  const nlohmann::ordered_json body{
      {"active", readiness.active},
      {"waiting", readiness.waiting},
      {"held", readiness.held},
      {"lastTickSeconds", std::chrono::duration<double>(readiness.last_tick).count()},
      {"store", store},
      {"problem", problem.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(problem)}};
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", "application/json");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = body.dump() + "\n";
  return answer;
}

}  // namespace arkvory::server
