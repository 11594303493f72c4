// SPDX-License-Identifier: Apache-2.0
#include "core/engine/status.h"

namespace arkvory {

std::string_view to_string(WaitReason reason) {
  switch (reason) {
    case WaitReason::queue: return "queue";
    case WaitReason::busy: return "busy";
    case WaitReason::fault: return "fault";
    case WaitReason::window: return "window";
    case WaitReason::network: return "network";
    case WaitReason::lock: return "lock";
  }
  return "unknown";
}

}  // namespace arkvory
