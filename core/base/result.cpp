// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

namespace arkvory {

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::internal: return "internal";
    case Fault::usage: return "usage";
    case Fault::wait_limit: return "wait_limit";
    case Fault::deadline: return "deadline";
    case Fault::busy: return "busy";
    case Fault::weather: return "weather";
    case Fault::network: return "network";
    case Fault::refused: return "refused";
    case Fault::integrity: return "integrity";
    case Fault::locked: return "locked";
    case Fault::changed: return "changed";
    case Fault::local: return "local";
    case Fault::untrusted: return "untrusted";
    case Fault::auth: return "auth";
    case Fault::state: return "state";
    case Fault::conflict: return "conflict";
    case Fault::interrupted: return "interrupted";
  }
  return "unknown";
}

}  // namespace arkvory
