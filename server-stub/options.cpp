// SPDX-License-Identifier: Apache-2.0
#include "server-stub/options.h"

#include <CLI/CLI.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/size.h"

#ifndef ARKVORY_VERSION
#error "the build states the version"
#endif

namespace arkvory::server {
namespace {

struct Texts {
  std::string root;
  std::string listen = "127.0.0.1:0";
  std::string stop_timeout = "60s";
  std::string log = "text";
  std::string access_log;
};

void describe(CLI::App& serve, Texts& texts) {
  // The last one counts where an option is repeated, so that a script can add to a line that it was given.
  const auto add = [&serve](const char* name, std::string& text, const char* value, const char* meaning) {
    serve.add_option(name, text, meaning)->type_name(value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  };
  add("--root", texts.root, "DIR", "The folder to serve (needed)");
  add("--listen", texts.listen, "ADDRESS:PORT",
      "Where to listen, on loopback; port 0: any free one (default 127.0.0.1:0)");
  add("--stop-timeout", texts.stop_timeout, "DURATION",
      "How long running answers may go on after SIGTERM (default 60s)");
  add("--log", texts.log, "text|json", "The form of the log on stderr and of the access log (default text)");
  add("--access-log", texts.access_log, "FILE", "Append a line per answer to this file");
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// CLI11 would take the next argument as the value.
Result<void> refuse_empty_values(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments)
    if (argument.starts_with("--") && argument.ends_with('='))
      return fail(Fault::usage, std::string(argument.substr(0, argument.size() - 1)) + " needs a value");
  return {};
}

Result<ServeOptions> understood(const Texts& texts) {
  ServeOptions options;
  if (texts.root.empty()) return fail(Fault::usage, "serve needs --root DIR");
  options.root = texts.root;
  const auto listen = ListenAddress::parse(texts.listen);
  if (!listen)
    return fail(Fault::usage, "--listen takes an address and a port such as 127.0.0.1:8080, not " + texts.listen);
  if (!listen->is_loopback())
    return fail(Fault::usage,
                "--listen " + texts.listen + " is not on loopback, where only listening without principals is allowed");
  options.listen = *listen;
  const auto stop_timeout = parse_duration(texts.stop_timeout);
  if (!stop_timeout)
    return fail(Fault::usage, "--stop-timeout takes a duration such as 60s, not " + texts.stop_timeout);
  options.stop_timeout = *stop_timeout;
  if (texts.log != "text" && texts.log != "json")
    return fail(Fault::usage, "--log takes text or json, not " + texts.log);
  options.log = texts.log == "json" ? LogForm::json : LogForm::text;
  options.access_log = texts.access_log;
  return options;
}

}  // namespace

Result<Command> parse_command_line(int count, const char* const* arguments) {
  if (auto refused = refuse_empty_values({arguments, static_cast<std::size_t>(count)}); !refused)
    return pass_on(refused.error());
  Texts texts;
  CLI::App app("The reference server of Arkvory downloads.", "arkvory-stub");
  app.set_version_flag("--version", "arkvory-stub " ARKVORY_VERSION);
  auto* serve = app.add_subcommand("serve", "Serve the files of a folder over HTTP");
  describe(*serve, texts);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    return Command(ShowText{serve->parsed() ? serve->help() : app.help()});
  } catch (const CLI::CallForVersion&) {
    return Command(ShowText{"arkvory-stub " ARKVORY_VERSION "\n"});
  } catch (const CLI::ParseError& error) {
    return fail(Fault::usage, first_line(error.what()));
  }
  if (!serve->parsed()) return fail(Fault::usage, "a command is needed: serve");
  auto options = understood(texts);
  if (!options) return pass_on(options.error());
  return Command(std::move(*options));
}

}  // namespace arkvory::server
