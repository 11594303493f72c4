// SPDX-License-Identifier: Apache-2.0
// The command line of arkvory-stub.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "server-stub/http/listen_address.h"
#include "server-stub/http/log.h"
#include "server-stub/http/trusted_proxies.h"
#include "server-stub/scheduler/setting_options.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/simulate_command.h"
#include "server-stub/store/principals.h"

namespace arkvory::server {

struct ServeOptions {
  std::filesystem::path root;
  ListenAddress listen{};
  Duration stop_timeout = std::chrono::seconds(60);
  LogForm log = LogForm::text;
  std::filesystem::path access_log{};        // empty: none
  std::filesystem::path state{};             // empty: the queue's memory ends with the process
  std::filesystem::path principals{};        // empty: everyone is anonymous
  std::filesystem::path control_keys{};      // empty: no operator API
  std::filesystem::path tls_certificates{};  // both or none of these: TLS or plain HTTP
  std::filesystem::path tls_key{};
  std::filesystem::path mishap{};  // empty: nothing goes wrong on purpose
  TrustedProxies trusted_proxies{};
  SchedulerSettings scheduler{};
};

// `token`: adds a principal to a file and prints its token.
struct TokenOptions {
  NewPrincipal added;
  std::filesystem::path principals;
};

// `backup` and `restore`: of a state folder, to and from a file.
struct BackupOptions {
  std::filesystem::path file;
  std::filesystem::path state;
  bool is_restore = false;
};

// Help or version: to be printed on stdout, exit 0.
struct ShowText {
  std::string text;
};

using Command = std::variant<ServeOptions, TokenOptions, SimulateOptions, BackupOptions, ShowText>;

// Fault::usage with one line that names the option or the variable.
Result<Command> parse_command_line(int count, const char* const* arguments, const Environment& environment);

}  // namespace arkvory::server
