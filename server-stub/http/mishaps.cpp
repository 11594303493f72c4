// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/mishaps.h"

#include <memory>
#include <utility>
#include <variant>

#include "server-stub/http/target.h"
#include "server-stub/mishap/altered_file.h"

namespace arkvory::server {

std::optional<ChangedObject> Mishaps::look_up(const Request& request) {
  const auto* mishap = choose(request, Scene::look_up);
  if (mishap == nullptr) return std::nullopt;
  return std::get<ChangedObject>(*mishap);
}

std::optional<Disturbance> Mishaps::befall(const Request& request, Admitted& admitted) {
  const auto* mishap = choose(request, scene_of(admitted.answer));
  if (mishap == nullptr) return std::nullopt;
  auto disturbance = disturb(admitted.answer, *mishap);
  if (disturbance.is_unanswered || !admitted.answer.file) admitted.permit.reset();
  return disturbance;
}

const Mishap* Mishaps::choose(const Request& request, Scene scene) {
  if (request.target.empty()) return nullptr;  // a request that could not be read
  const auto rule = script_.choose({request.method, path_of(request.target), scene});
  if (!rule) return nullptr;
  const auto& mishap = script_.mishap(*rule);
  log_.info("mishap", {{"rule", "/" + std::to_string(*rule)},
                       {"kind", std::string(name_of(mishap))},
                       {"method", request.method},
                       {"target", redacted(request.target)}});
  return &mishap;
}

FoundObject changed_object(FoundObject found, const ChangedObject& change) {
  if (auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&found))
    *file = replaced(std::move(*file), change.has_same_bytes);
  return found;
}

}  // namespace arkvory::server
