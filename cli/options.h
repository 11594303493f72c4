// SPDX-License-Identifier: Apache-2.0
// The command line as plain values. Only options.cpp knows the library that reads it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/terminal.h"
#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/engine/job.h"

namespace arkvory::cli {

enum class ProgressChoice { automatic, bar, plain, none };

struct ViewOptions {
  ProgressChoice progress = ProgressChoice::automatic;
  bool json = false;
  bool quiet = false;
  unsigned verbose = 0;
  ColorChoice color = ColorChoice::automatic;
};

struct NetworkOptions {
  std::string proxy{};
  std::filesystem::path ca_file{};
  std::filesystem::path certificate{};
  std::filesystem::path key{};
  bool insecure = false;
};

// Paths as the user gave them.
struct CredentialOptions {
  Headers headers{};                                  // -H NAME: VALUE
  std::vector<std::filesystem::path> header_files{};  // -H @FILE
  std::filesystem::path token_file{};
  bool use_netrc = false;
};

// What a run takes that doesn't shape a download.
struct RunOptions {
  ViewOptions view{};
  NetworkOptions network{};
  CredentialOptions credentials{};
  unsigned jobs = 2;  // downloads at once
  bool keep_going = false;
};

struct DownloadCommand {
  std::vector<Url> urls{};
  std::optional<std::string> output{};
  std::optional<std::string> folder{};
  std::optional<std::string> list{};       // -i, as given; `-` is standard input
  std::optional<Url> base_url{};           // of a list that is a SHA256SUMS file
  std::optional<std::string> checksums{};  // a file or a URL, as given
  Shape shape{};                           // without its references to secrets, and without its moments
  std::string not_before{};                // as given; empty: none
  std::string not_after{};
  bool resume = true;
  bool force = false;
  bool wait_lock = false;
  bool dry_run = false;
  RunOptions run{};

  bool to_standard_output() const { return output == "-"; }
};

struct ResumeCommand {
  std::vector<std::string> targets{};
  bool all = false;
  bool force = false;
  RunOptions run{};
};

struct ListCommand {
  bool json = false;
};

struct CancelCommand {
  std::vector<std::string> targets{};
  bool yes = false;
};

struct VerifyCommand {
  std::vector<std::string> targets{};
  std::optional<Sha256Digest> sha256{};
};

// Text to be printed on standard output.
struct HelpCommand {
  std::string text;
};

struct VersionCommand {};

using Command = std::variant<DownloadCommand, ResumeCommand, ListCommand, CancelCommand, VerifyCommand, HelpCommand,
                             VersionCommand>;

struct CommandLine {
  Command command;
  std::filesystem::path state_folder{};  // --state-dir, as given; empty: not given
};

// Reads the arguments after the program's name. Fault::usage for whatever is wrong with them, naming it; nothing has
// been looked up or asked for then.
Result<CommandLine> parse_arguments(std::span<const std::string> arguments);

}  // namespace arkvory::cli
