// SPDX-License-Identifier: Apache-2.0
#include "server-stub/options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

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
  std::string state;
  std::string principals;
  std::string control_keys;
  std::string tls_certificates;
  std::string tls_key;
  std::string mishap;
  std::vector<std::string> trusted_proxies;
  bool is_insecure = false;
  FlagValues settings;
};

struct TokenTexts {
  std::string name;
  std::string kind;
  std::string own_class;
  std::string path;
  std::string issuer;
  std::string principals;
};

// The last one counts where an option is repeated, so that a script can add to a line that it was given.
CLI::Option* last_one(CLI::Option* option, const char* value) {
  return option->type_name(value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void describe(CLI::App& serve, Texts& texts) {
  const auto add = [&serve](const char* name, std::string& text, const char* value, const char* meaning) {
    last_one(serve.add_option(name, text, meaning), value);
  };
  add("--root", texts.root, "DIR", "The folder to serve (needed)");
  add("--listen", texts.listen, "ADDRESS:PORT", "Where to listen; port 0: any free one (default 127.0.0.1:0)");
  add("--state", texts.state, "DIR",
      "The folder of what outlives a restart: the key of the queue's tickets, changed settings");
  add("--principals", texts.principals, "FILE", "Who may download; without it everyone, on loopback only");
  add("--control-key-file", texts.control_keys, "FILE", "Who may change settings at run time; without it nobody");
  add("--tls-cert", texts.tls_certificates, "FILE", "Serve HTTPS: the certificate and those it needs, in PEM");
  add("--tls-key", texts.tls_key, "FILE", "The key of that certificate, in PEM");
  serve
      .add_option("--trusted-proxy", texts.trusted_proxies,
                  "A proxy, or a network of them, whose Forwarded header is believed; may be repeated")
      ->type_name("CIDR")
      ->allow_extra_args(false);
  serve
      .add_flag_function(
          "--insecure", [&texts](std::int64_t count) { texts.is_insecure = count > 0; },
          "Take tokens over plain HTTP from other machines")
      ->disable_flag_override();
  add("--mishap", texts.mishap, "FILE", "Misbehave as this script says, see arkvory-mishap(5); for tests of clients");
  add("--stop-timeout", texts.stop_timeout, "DURATION",
      "How long running answers may go on after SIGTERM (default 60s)");
  add("--log", texts.log, "text|json", "The form of the log on stderr and of the access log (default text)");
  add("--access-log", texts.access_log, "FILE", "Append a line per answer to this file");
  for (const auto& row : setting_rows()) {
    const auto keep = [&texts, flag = row.flag](const std::string& text) { texts.settings[flag] = text; };
    last_one(serve.add_option_function<std::string>(row.flag, keep, row.meaning), row.value)->group("Scheduling");
  }
}

void describe(CLI::App& token, TokenTexts& texts) {
  const auto add = [&token](const char* name, std::string& text, const char* value, const char* meaning) {
    last_one(token.add_option(name, text, meaning), value);
  };
  token.add_option("NAME", texts.name, "The name of the new principal (needed)")->type_name("");
  add("--kind", texts.kind, "person|service|link", "What it is (needed)");
  add("--principals", texts.principals, "FILE", "The file to add it to; made where there is none (needed)");
  add("--class", texts.own_class, "CLASS", "Of a service: its class (default release)");
  add("--path", texts.path, "PATH", "Of a link: the file below the root that it is for (needed)");
  add("--issuer", texts.issuer, "NAME", "Of a link: the principal that gives it out (needed)");
}

struct SimulateTexts {
  std::string scenario;
  std::string events;
  std::string plot;
  std::string sweep;
  bool is_json = false;
};

void describe(CLI::App& simulate, SimulateTexts& texts) {
  const auto add = [&simulate](const char* name, std::string& text, const char* value, const char* meaning) {
    last_one(simulate.add_option(name, text, meaning), value);
  };
  simulate.add_option("SCENARIO", texts.scenario, "The scenario, see arkvory-scenario(5); -: standard input (needed)")
      ->type_name("");
  add("--events", texts.events, "FILE", "Write what happens to this file, a line of JSON each");
  simulate
      .add_flag_function(
          "--json", [&texts](std::int64_t count) { texts.is_json = count > 0; }, "Print the figures as JSON")
      ->disable_flag_override();
  add("--plot", texts.plot, "FILE.svg", "Draw completions over time under all three strategies");
  add("--sweep", texts.sweep, "SETTING=FROM..TO", "One line of figures for each value of a setting");
}

struct BackupTexts {
  std::string file;
  std::string state;
};

void describe(CLI::App& verb, BackupTexts& texts, const char* file, const char* state) {
  verb.add_option("FILE", texts.file, file)->type_name("");
  last_one(verb.add_option("--state", texts.state, state), "DIR");
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// Of an empty value CLI11 would take the next argument in its place; of a value too many it does not name the option.
Result<void> refuse_odd_values(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    for (const std::string flag : {"--insecure", "--json"})
      if (argument.starts_with(flag + "=")) return fail(Fault::usage, flag + " takes no value");
    if (argument.starts_with("--") && argument.ends_with('='))
      return fail(Fault::usage, std::string(argument.substr(0, argument.size() - 1)) + " needs a value");
  }
  return {};
}

// Where it may listen: everyone who can connect may read without principals, and sees tokens in plain HTTP with them.
Result<void> check_listen(const Texts& texts, const ListenAddress& address) {
  if (address.is_loopback()) return {};
  const auto place = "--listen " + texts.listen + " is not on loopback, ";
  if (texts.principals.empty())
    return fail(Fault::usage, place + "where only listening without --principals is allowed");
  if (!texts.is_insecure && texts.tls_key.empty())
    return fail(
        Fault::usage,
        place +
            "where tokens would be sent in plain HTTP; --tls-cert and --tls-key make it HTTPS, --insecure allows it");
  return {};
}

Result<TrustedProxies> trusted_proxies(const std::vector<std::string>& texts) {
  std::vector<Network> networks;
  for (const auto& text : texts) {
    const auto network = Network::parse(text);
    if (!network)
      return fail(Fault::usage, "--trusted-proxy takes a network such as 192.0.2.0/24 or 2001:db8::/32, not " + text);
    networks.push_back(*network);
  }
  return TrustedProxies(std::move(networks));
}

Result<ServeOptions> understood(const Texts& texts, const Environment& environment) {
  ServeOptions options;
  if (texts.root.empty()) return fail(Fault::usage, "serve needs --root DIR");
  options.root = texts.root;
  if (texts.tls_certificates.empty() != texts.tls_key.empty())
    return fail(Fault::usage, "--tls-cert and --tls-key are needed together");
  const auto listen = ListenAddress::parse(texts.listen);
  if (!listen)
    return fail(Fault::usage, "--listen takes an address and a port such as 127.0.0.1:8080, not " + texts.listen);
  if (auto allowed = check_listen(texts, *listen); !allowed) return pass_on(allowed.error());
  options.listen = *listen;
  const auto stop_timeout = parse_duration(texts.stop_timeout);
  if (!stop_timeout)
    return fail(Fault::usage, "--stop-timeout takes a duration such as 60s, not " + texts.stop_timeout);
  options.stop_timeout = *stop_timeout;
  if (texts.log != "text" && texts.log != "json")
    return fail(Fault::usage, "--log takes text or json, not " + texts.log);
  options.log = texts.log == "json" ? LogForm::json : LogForm::text;
  options.access_log = texts.access_log;
  options.state = texts.state;
  options.principals = texts.principals;
  options.control_keys = texts.control_keys;
  options.tls_certificates = texts.tls_certificates;
  options.tls_key = texts.tls_key;
  options.mishap = texts.mishap;
  auto proxies = trusted_proxies(texts.trusted_proxies);
  if (!proxies) return pass_on(proxies.error());
  options.trusted_proxies = std::move(*proxies);
  auto scheduler = read_settings(texts.settings, environment);
  if (!scheduler) return pass_on(scheduler.error());
  options.scheduler = *scheduler;
  return options;
}

std::optional<PrincipalKind> parse_kind(std::string_view text) {
  if (text == "person") return PrincipalKind::person;
  if (text == "service") return PrincipalKind::service;
  if (text == "link") return PrincipalKind::link;
  return std::nullopt;
}

Result<TokenOptions> understood(const TokenTexts& texts) {
  if (texts.name.empty()) return fail(Fault::usage, "token needs a NAME");
  if (texts.principals.empty()) return fail(Fault::usage, "token needs --principals FILE");
  if (texts.kind.empty()) return fail(Fault::usage, "token needs --kind person, service or link");
  const auto kind = parse_kind(texts.kind);
  if (!kind) return fail(Fault::usage, "--kind takes person, service or link, not " + texts.kind);
  const bool is_link = *kind == PrincipalKind::link;
  const auto own_class = parse_download_class(texts.own_class);
  if (!texts.own_class.empty() && !own_class)
    return fail(Fault::usage, "--class takes interactive, release, bulk or background, not " + texts.own_class);
  if (own_class && *kind != PrincipalKind::service) return fail(Fault::usage, "--class is for --kind service only");
  for (const auto& [flag, text] : {std::pair{"--path", &texts.path}, std::pair{"--issuer", &texts.issuer}}) {
    if (is_link && text->empty()) return fail(Fault::usage, std::string("a link needs ") + flag);
    if (!is_link && !text->empty()) return fail(Fault::usage, std::string(flag) + " is for --kind link only");
  }
  return TokenOptions{{texts.name, *kind, own_class, texts.path, texts.issuer}, texts.principals};
}

Result<SimulateOptions> understood(const SimulateTexts& texts) {
  if (texts.scenario.empty()) return fail(Fault::usage, "simulate needs a SCENARIO");
  SimulateOptions options{texts.scenario, texts.events, texts.plot, texts.is_json};
  if (texts.sweep.empty()) return options;
  if (!texts.events.empty() || !texts.plot.empty())
    return fail(Fault::usage, "--sweep runs many simulations: --events and --plot are for one");
  auto sweep = parse_sweep(texts.sweep);
  if (!sweep) return pass_on(sweep.error());
  options.sweep = std::move(*sweep);
  return options;
}

Result<BackupOptions> understood(const BackupTexts& texts, bool is_restore) {
  const std::string verb = is_restore ? "restore" : "backup";
  if (texts.file.empty()) return fail(Fault::usage, verb + " needs a FILE");
  if (texts.state.empty()) return fail(Fault::usage, verb + " needs --state DIR");
  return BackupOptions{texts.file, texts.state, is_restore};
}

template <typename Options>
Result<Command> as_command(Result<Options> options) {
  if (!options) return pass_on(options.error());
  return Command(std::move(*options));
}

}  // namespace

Result<Command> parse_command_line(int count, const char* const* arguments, const Environment& environment) {
  if (auto refused = refuse_odd_values({arguments, static_cast<std::size_t>(count)}); !refused)
    return pass_on(refused.error());
  Texts texts;
  TokenTexts token_texts;
  CLI::App app("The reference server of Arkvory downloads.", "arkvory-stub");
  app.set_version_flag("--version", "arkvory-stub " ARKVORY_VERSION);
  auto* serve = app.add_subcommand("serve", "Serve the files of a folder over HTTP");
  describe(*serve, texts);
  auto* token = app.add_subcommand("token", "Add a principal to a file and print its token, once");
  describe(*token, token_texts);
  SimulateTexts simulate_texts;
  auto* simulate = app.add_subcommand("simulate", "Run the scheduler on a scenario, in virtual time");
  describe(*simulate, simulate_texts);
  BackupTexts backup_texts;
  auto* backup = app.add_subcommand("backup", "Write what operators changed to a file, while servers run");
  describe(*backup, backup_texts, "The new file; one that is there is not replaced (needed)",
           "The state folder to back up (needed)");
  BackupTexts restore_texts;
  auto* restore = app.add_subcommand("restore", "Put a backup into a new state folder");
  describe(*restore, restore_texts, "The backup (needed)", "The state folder; made where there is none (needed)");
  app.require_subcommand(0, 1);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    for (const auto* verb : {serve, token, simulate, backup, restore})
      if (verb->parsed()) return Command(ShowText{verb->help()});
    return Command(ShowText{app.help()});
  } catch (const CLI::CallForVersion&) {
    return Command(ShowText{"arkvory-stub " ARKVORY_VERSION "\n"});
  } catch (const CLI::ParseError& error) {
    return fail(Fault::usage, first_line(error.what()));
  }
  if (serve->parsed()) return as_command(understood(texts, environment));
  if (token->parsed()) return as_command(understood(token_texts));
  if (simulate->parsed()) return as_command(understood(simulate_texts));
  if (backup->parsed()) return as_command(understood(backup_texts, false));
  if (restore->parsed()) return as_command(understood(restore_texts, true));
  return fail(Fault::usage, "a command is needed: serve, simulate, token, backup or restore");
}

}  // namespace arkvory::server
