// SPDX-License-Identifier: Apache-2.0
// The HTTP server: one I/O thread, which never waits, and a few workers for the disk.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "server-stub/http/limits.h"
#include "server-stub/http/listen_address.h"
#include "server-stub/http/log.h"
#include "server-stub/http/tls_context.h"
#include "server-stub/http/trusted_proxies.h"
#include "server-stub/mishap/mishap_script.h"
#include "server-stub/objects/object_store.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/store/control_keys.h"
#include "server-stub/store/principals.h"
#include "server-stub/store/store.h"

namespace arkvory::server {

struct ServerSettings {
  SchedulerSettings scheduler{};
  Limits limits{};
  Duration stop_timeout = std::chrono::seconds(60);  // how long running answers may go on after `stop`
  TrustedProxies trusted_proxies{};
};

struct ServerParts {
  ObjectStore& store;
  const Clock& clock;
  Log& log;
  Store& state;
  bool has_state = false;  // it outlives the process
  Principals principals{};
  ControlKeys control_keys{};
  std::optional<TlsContext> tls{};        // none: plain HTTP
  std::optional<MishapScript> mishaps{};  // none: nothing goes wrong on purpose
  // These read them again, on a worker; empty where there is nothing to read.
  std::function<Result<Principals>()> reload_principals{};
  std::function<Result<ControlKeys>()> reload_control_keys{};
  std::function<Result<TlsContext>()> reload_tls{};
  std::function<Result<MishapScript>()> reload_mishaps{};
  LineWriter* access_lines = nullptr;  // null: no access log
  LogForm access_form = LogForm::text;
};

// Requires SIGPIPE to be ignored.
class Server {
 public:
  Server(const ServerSettings& settings, const ServerParts& parts);
  ~Server();  // waits for the reads that are under way
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Looks into the store, which may wait for the disk, and begins to listen; returns the address with the port that
  // was taken. Fault::local where that can't be had.
  Result<ListenAddress> listen(const ListenAddress& address);
  // SIGTERM and SIGINT mean `stop`, a second one means to cut what still runs. SIGHUP: the principals, the
  // control keys, the certificate and the mishaps are read again; a file that can't be used changes nothing and is
  // logged.
  void stop_on_signals();
  // Serves until `stop` and the end of what then still runs. False where a worker still hangs in the disk, so that
  // destruction would wait for it.
  bool run();
  // Stops (L4): no new connections, idle ones end, new requests get 503 `shutting_down`, running answers go on to the
  // stop timeout and are then cut. From any thread.
  void stop();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace arkvory::server
