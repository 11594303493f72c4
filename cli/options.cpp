// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "cli/general_help.h"
#include "cli/option_values.h"
#include "cli/suggestion.h"
#include "core/base/size.h"

namespace arkvory::cli {

namespace {

constexpr unsigned kMostRetries = 1'000'000;

// The library's help, with the usage line said by us: it knows nothing of our operands.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(30); }
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }

 private:
  std::string usage_;
};

// One command's options. Each is told to a function that returns what is wrong with the value, or nothing; the first
// complaint counts. Only the last value of an option is told: the last one wins.
class Parser {
 public:
  Parser(std::string verb, const std::string& usage, const std::string& description)
      : verb_(std::move(verb)), app_(description, "arkvoryctl " + verb_) {
    app_.formatter(std::make_shared<HelpFormatter>("arkvoryctl " + verb_ + " " + usage));
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.allow_extras();
  }

  void value(const std::string& names, const std::string& kind, const std::string& description, Use use) {
    auto* option = app_.add_option_function<std::string>(names, told(names, std::move(use)), description);
    option->type_name(kind)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }

  // Every value counts, in their order.
  void values(const std::string& names, const std::string& kind, const std::string& description, Use use) {
    auto each = told(names, std::move(use));
    auto all = [each](const std::vector<std::string>& values) { std::for_each(values.begin(), values.end(), each); };
    auto* option = app_.add_option_function<std::vector<std::string>>(names, all, description);
    option->type_name(kind)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option->allow_extra_args(false);
  }

  void flag(const std::string& names, const std::string& description, bool& on) {
    auto raise = [&on](std::int64_t count) { on = count > 0; };
    app_.add_flag_function(names, raise, description)->disable_flag_override();
  }

  void counted(const std::string& names, const std::string& description, unsigned& count) {
    auto raise = [&count](std::int64_t times) { count = static_cast<unsigned>(std::max<std::int64_t>(0, times)); };
    app_.add_flag_function(names, raise, description)->disable_flag_override();
  }

  // Reads the arguments; what is neither an option nor a value is an operand.
  Result<void> parse(std::span<const std::string> arguments) {
    const auto end_of_options = std::find(arguments.begin(), arguments.end(), "--");
    std::vector<std::string> before(arguments.begin(), end_of_options);
    for (const auto& argument : before)
      if (const auto wrong = wrong_value_of(argument)) return complain(*wrong);
    std::reverse(before.begin(), before.end());
    try {
      app_.parse(before);
    } catch (const CLI::CallForHelp&) {
      help_wanted_ = true;
      return {};
    } catch (const CLI::ParseError& error) {
      if (auto unknown = first_unknown()) return complain(*unknown);
      return complain(error.what());
    }
    if (auto unknown = first_unknown()) return complain(*unknown);
    if (!complaint_.empty()) return complain(complaint_);
    operands_ = app_.remaining();
    if (end_of_options != arguments.end()) operands_.insert(operands_.end(), end_of_options + 1, arguments.end());
    return {};
  }

  bool help_wanted() const { return help_wanted_; }
  std::string help() const { return app_.help(); }
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::function<void(const std::string&)> told(const std::string& names, Use use) {
    return [this, names, use = std::move(use)](const std::string& text) {
      const auto wrong = use(text);
      if (!wrong.empty() && complaint_.empty()) complaint_ = fmt::format("option {}: {}", with_slash(names), wrong);
    };
  }

  static std::string with_slash(std::string names) {
    std::replace(names.begin(), names.end(), ',', '/');
    return names;
  }

  // What the library lets pass, or says without naming the option: `--name=` takes the next argument, a flag a value.
  std::optional<std::string> wrong_value_of(const std::string& argument) const {
    const auto equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos) return std::nullopt;
    const auto name = argument.substr(0, equals);
    const auto* option = app_.get_option_no_throw(name);
    if (option == nullptr) return std::nullopt;
    if (option->get_items_expected_max() == 0) return name + " takes no value";
    if (equals + 1 == argument.size()) return name + " has no value";
    return std::nullopt;
  }

  std::vector<std::string> long_names() const {
    std::vector<std::string> names;
    for (const auto* option : app_.get_options())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  std::optional<std::string> first_unknown() const {
    for (const auto& rest : app_.remaining()) {
      if (rest.size() < 2 || rest.front() != '-') continue;
      const auto name = rest.substr(0, rest.find('='));
      auto text = fmt::format("unknown option {}", name);
      if (const auto meant = nearest(name, long_names())) text += fmt::format("; did you mean {}?", *meant);
      return text;
    }
    return std::nullopt;
  }

  tl::unexpected<Error> complain(const std::string& what) const {
    return fail(Fault::usage, fmt::format("{}: {}", verb_, what));
  }

  std::string verb_;
  CLI::App app_;
  std::string complaint_;
  std::vector<std::string> operands_;
  bool help_wanted_ = false;
};

void add_state_folder(Parser& parser, std::filesystem::path& folder) {
  parser.value("--state-dir", "DIR", "Where the list of unfinished downloads is kept", path_into(folder));
}

void add_view_options(Parser& parser, ViewOptions& view) {
  parser.value("--progress", "WHEN", "auto, bar, plain or none [auto]", [&view](const std::string& text) {
    const auto choice = progress_from(text);
    view.progress = choice.value_or(ProgressChoice::automatic);
    return choice ? std::string() : fmt::format("'{}' is none of auto, bar, plain, none", text);
  });
  parser.flag("--json", "Print events as JSON lines on standard output", view.json);
  parser.flag("-q,--quiet", "Say nothing but failures", view.quiet);
  parser.counted("-v,--verbose", "Show requests and answers, secrets left out; -vv shows more", view.verbose);
  parser.value("--color", "WHEN", "auto, always or never [auto]", [&view](const std::string& text) {
    const auto choice = color_from(text);
    view.color = choice.value_or(ColorChoice::automatic);
    return choice ? std::string() : fmt::format("'{}' is none of auto, always, never", text);
  });
}

void add_run_options(Parser& parser, RunOptions& run) {
  parser.value("-j,--jobs", "N", "Downloads at once [2]", number_into(run.jobs, 1, 64));
  parser.flag("--keep-going", "Begin further downloads after one has failed", run.keep_going);
  parser.values("-H,--header", "HEADER", "A request header, 'NAME: VALUE', or @FILE with such lines",
                [&run](const std::string& text) -> std::string {
                  if (text.size() > 1 && text.front() == '@') {
                    run.credentials.header_files.emplace_back(text.substr(1));
                    return {};
                  }
                  const auto field = header_from(text);
                  if (!field) return field.error().words;
                  run.credentials.headers.add(field->name, field->value);
                  return {};
                });
  parser.value("--token-file", "FILE", "File that holds the bearer token", path_into(run.credentials.token_file));
  parser.flag("--netrc", "Take credentials from ~/.netrc", run.credentials.use_netrc);
  parser.value("--cacert", "FILE", "Certificates to trust instead of the system's", path_into(run.network.ca_file));
  parser.value("--cert", "FILE", "Client certificate", path_into(run.network.certificate));
  parser.value("--key", "FILE", "The client certificate's key", path_into(run.network.key));
  parser.value("--proxy", "URL", "Proxy, instead of what the environment says", [&run](const std::string& text) {
    run.network.proxy = text;
    return text.empty() ? std::string("an address is missing") : std::string();
  });
  parser.flag("--insecure", "Trust any certificate, and send a token over plain HTTP", run.network.insecure);
  add_view_options(parser, run.view);
}

void add_shape_options(Parser& parser, Shape& shape) {
  parser.value("--sha256", "HEX", "The expected digest", digest_into(shape.sha256));
  parser.value("--class", "NAME", "Ask for this download class", [&shape](const std::string& text) {
    shape.download_class = text;
    return is_class_name(text) ? std::string() : fmt::format("'{}' is no class name", text);
  });
  parser.value("-c,--connections", "N", "Ranges at once, 1 to 16 [4]", number_into(shape.connections, 1, 16));
  parser.value("--range-size", "SIZE", "Bytes of one range, at least 64KiB [8MiB]",
               [&shape](const std::string& text) -> std::string {
                 const auto size = parse_size(text);
                 if (!size) return fmt::format("'{}' is no size such as 8MiB", text);
                 if (*size < 64 * kKiB) return fmt::format("'{}' is less than 64KiB", text);
                 shape.range_size = *size;
                 return {};
               });
  parser.value("--max-retries", "N", "Faults allowed in all [20]", number_into(shape.max_retries, 0, kMostRetries));
  parser.value("--max-attempts", "N", "Faults in a row allowed on one range [10]",
               number_into(shape.max_attempts, 1, kMostRetries));
  parser.value("--connect-timeout", "TIME", "Time allowed for a connection [30s]",
               duration_into(shape.connect_timeout));
  parser.value("--stall-timeout", "TIME", "Time allowed without a byte [60s]", duration_into(shape.stall_timeout));
  parser.value("--wait-limit", "TIME", "Time allowed for waiting in all, earlier runs included",
               duration_into(shape.wait_limit));
  parser.value("--max-size", "SIZE", "Refuse larger files", [&shape](const std::string& text) {
    shape.max_size = parse_size(text);
    return shape.max_size ? std::string() : fmt::format("'{}' is no size such as 2GiB", text);
  });
  parser.value("--limit-rate", "RATE", "Bytes a second for each download, such as 10MB/s", rate_into(shape.limit_rate));
  parser.flag("--remote-time", "Give the file the time the server states", shape.remote_time);
  parser.flag("--raw", "Keep encoded bytes as they come", shape.raw);
}

Result<CommandLine> wrong(std::string_view verb, const std::string& what) {
  return fail(Fault::usage, fmt::format("{}: {}", verb, what));
}

Result<std::vector<Url>> urls_from(const std::vector<std::string>& texts) {
  std::vector<Url> urls;
  for (const auto& text : texts) {
    auto url = Url::parse(text);
    if (!url) return pass_on(url.error());
    urls.push_back(std::move(*url));
  }
  return urls;
}

// What is wrong with the options of a download taken together; empty for nothing.
std::string excluded_together(const DownloadCommand& command, std::size_t urls) {
  const bool several = urls > 1;
  if (urls == 0 && !command.list) return "no URL is given";
  if (command.base_url && !command.list) return "--base-url is for a list, which -i names";
  if (command.list && command.output) return "-o names one target, but -i gives several; use -d";
  if (command.list && command.shape.sha256)
    return "--sha256 is one file's, but -i gives several; its lines may tell it";
  if (command.list && command.checksums)
    return "--checksums is for URLs on the command line; a list has digests itself";
  if (command.shape.sha256 && command.checksums) return "--sha256 and --checksums exclude each other";
  if (several && command.output) return "-o names one target, but there are several URLs; use -d";
  if (several && command.shape.sha256) return "--sha256 is one file's, but there are several URLs";
  if (command.output && command.folder) return "-o and -d exclude each other";
  if (command.to_standard_output() && command.run.view.json)
    return "-o - and --json exclude each other: both want standard output";
  return {};
}

Result<CommandLine> download_from(std::span<const std::string> arguments) {
  DownloadCommand command;
  std::filesystem::path state_folder;
  bool begin_again = false;
  Parser parser("download", "[OPTION]... URL... | -i LIST",
                "Downloads files; goes on with what an earlier run has begun.");
  parser.value("-o,--output", "FILE", "The target, or - for standard output; else the server or the URL names it",
               text_into(command.output));
  parser.value("-d,--dir", "DIR", "The folder for the targets [the current one]", text_into(command.folder));
  parser.value("-i,--input", "LIST", "A list of downloads, a line each; - is standard input", text_into(command.list));
  parser.value("--base-url", "URL", "The list is a SHA256SUMS file of what is below this URL",
               url_into(command.base_url));
  parser.value("--checksums", "FILE|URL", "SHA256SUMS file with the expected digests", text_into(command.checksums));
  add_shape_options(parser, command.shape);
  parser.value("--not-before", "MOMENT", "Ask for nothing before: HH:MM, +TIME or RFC 3339",
               moment_into(command.not_before));
  parser.value("--not-after", "MOMENT", "Give up a download that can't begin before", moment_into(command.not_after));
  parser.flag("--no-resume", "Begin again, whatever an earlier run holds", begin_again);
  parser.flag("--force", "Replace an existing target once the new file is whole", command.force);
  parser.flag("--wait-lock", "Wait for another process that works on the target", command.wait_lock);
  parser.flag("--dry-run", "Say what would be done, and do nothing", command.dry_run);
  add_run_options(parser, command.run);
  add_state_folder(parser, state_folder);
  if (auto read = parser.parse(arguments); !read) return pass_on(read.error());
  if (parser.help_wanted()) return CommandLine{HelpCommand{parser.help()}};

  if (const auto excluded = excluded_together(command, parser.operands().size()); !excluded.empty())
    return wrong("download", excluded);
  auto urls = urls_from(parser.operands());
  if (!urls) return pass_on(urls.error());
  command.urls = std::move(*urls);
  command.resume = !begin_again;
  return CommandLine{std::move(command), std::move(state_folder)};
}

Result<CommandLine> resume_from(std::span<const std::string> arguments) {
  ResumeCommand command;
  std::filesystem::path state_folder;
  Parser parser("resume", "[OPTION]... [TARGET... | --all]", "Goes on with unfinished downloads.");
  parser.flag("--all", "Go on with all of this user's unfinished downloads", command.all);
  parser.flag("--force", "Replace an existing target once the new file is whole", command.force);
  add_run_options(parser, command.run);
  add_state_folder(parser, state_folder);
  if (auto read = parser.parse(arguments); !read) return pass_on(read.error());
  if (parser.help_wanted()) return CommandLine{HelpCommand{parser.help()}};

  command.targets = parser.operands();
  if (command.all && !command.targets.empty()) return wrong("resume", "--all and targets exclude each other");
  if (!command.all && command.targets.empty()) return wrong("resume", "no target is given; --all means every one");
  return CommandLine{std::move(command), std::move(state_folder)};
}

Result<CommandLine> list_from(std::span<const std::string> arguments) {
  ListCommand command;
  std::filesystem::path state_folder;
  Parser parser("list", "[OPTION]...", "Shows this user's unfinished downloads.");
  parser.flag("--json", "Print a JSON line for each", command.json);
  add_state_folder(parser, state_folder);
  if (auto read = parser.parse(arguments); !read) return pass_on(read.error());
  if (parser.help_wanted()) return CommandLine{HelpCommand{parser.help()}};
  if (!parser.operands().empty()) return wrong("list", fmt::format("'{}' is one too many", parser.operands().front()));
  return CommandLine{command, std::move(state_folder)};
}

Result<CommandLine> cancel_from(std::span<const std::string> arguments) {
  CancelCommand command;
  std::filesystem::path state_folder;
  Parser parser("cancel", "[OPTION]... TARGET...", "Forgets unfinished downloads and removes what they hold.");
  parser.flag("-y,--yes", "Don't ask", command.yes);
  add_state_folder(parser, state_folder);
  if (auto read = parser.parse(arguments); !read) return pass_on(read.error());
  if (parser.help_wanted()) return CommandLine{HelpCommand{parser.help()}};
  command.targets = parser.operands();
  if (command.targets.empty()) return wrong("cancel", "no target is given");
  return CommandLine{std::move(command), std::move(state_folder)};
}

Result<CommandLine> verify_from(std::span<const std::string> arguments) {
  VerifyCommand command;
  std::filesystem::path state_folder;
  Parser parser("verify", "[OPTION]... TARGET...", "Checks finished files, or the blocks of unfinished ones.");
  parser.value("--sha256", "HEX", "The expected digest of a finished file", digest_into(command.sha256));
  add_state_folder(parser, state_folder);
  if (auto read = parser.parse(arguments); !read) return pass_on(read.error());
  if (parser.help_wanted()) return CommandLine{HelpCommand{parser.help()}};
  command.targets = parser.operands();
  if (command.targets.empty()) return wrong("verify", "no target is given");
  if (command.sha256 && command.targets.size() > 1)
    return wrong("verify", "--sha256 is one file's, but there are several targets");
  return CommandLine{std::move(command), std::move(state_folder)};
}

Result<CommandLine> command_from(std::string_view verb, std::span<const std::string> arguments);

Result<CommandLine> help_from(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return CommandLine{HelpCommand{general_help()}};
  if (arguments.front() == "help") return CommandLine{HelpCommand{general_help()}};
  const std::array<std::string, 1> help{"--help"};
  return command_from(arguments.front(), help);
}

Result<CommandLine> command_from(std::string_view verb, std::span<const std::string> arguments) {
  if (verb == "download") return download_from(arguments);
  if (verb == "resume") return resume_from(arguments);
  if (verb == "list") return list_from(arguments);
  if (verb == "cancel") return cancel_from(arguments);
  if (verb == "verify") return verify_from(arguments);
  if (verb == "help") return help_from(arguments);
  if (verb == "--help" || verb == "-h") return CommandLine{HelpCommand{general_help()}};
  if (verb == "--version") return CommandLine{VersionCommand{}};

  return fail(Fault::usage, unknown_command(verb));
}

}  // namespace

Result<CommandLine> parse_arguments(std::span<const std::string> arguments) {
  if (arguments.empty()) return fail(Fault::usage, short_usage());
  return command_from(arguments.front(), arguments.subspan(1));
}

}  // namespace arkvory::cli
