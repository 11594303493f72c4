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

namespace arkvory::server {

struct ServeOptions {
  std::filesystem::path root;
  ListenAddress listen{};
  Duration stop_timeout = std::chrono::seconds(60);
  LogForm log = LogForm::text;
  std::filesystem::path access_log{};  // empty: none
};

// Help or version: to be printed on stdout, exit 0.
struct ShowText {
  std::string text;
};

using Command = std::variant<ServeOptions, ShowText>;

// Fault::usage with one line that names the option.
Result<Command> parse_command_line(int count, const char* const* arguments);

}  // namespace arkvory::server
