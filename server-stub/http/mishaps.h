// SPDX-License-Identifier: Apache-2.0
// The mishaps of a running server: chooses from the script, counts, and has carried out what it chose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server-stub/http/exchange.h"
#include "server-stub/http/log.h"
#include "server-stub/http/mishap_answer.h"
#include "server-stub/http/queue_desk.h"
#include "server-stub/mishap/mishap_script.h"

namespace arkvory::server {

// On the I/O thread.
class Mishaps {
 public:
  Mishaps(MishapScript script, Log& log) : script_(std::move(script)), log_(log) {}

  // From now on this one, counted from its beginning.
  void replace(MishapScript script) { script_ = std::move(script); }

  // Whether the object that is asked for is to be taken for another one.
  std::optional<ChangedObject> look_up(const Request& request);
  // Just before an answer is sent. One that is replaced gives its permit back, as a broken connection would.
  std::optional<Disturbance> befall(const Request& request, Admitted& admitted);

 private:
  const Mishap* choose(const Request& request, Scene scene);

  MishapScript script_;
  Log& log_;
};

// The object as it is from now on.
FoundObject changed_object(FoundObject found, const ChangedObject& change);

}  // namespace arkvory::server
