// SPDX-License-Identifier: Apache-2.0
// arkvoryctl: the one place that joins the parts. It decides nothing that a test could want to decide.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "checkpoint/disk_workspace.h"
#include "checkpoint/owner.h"
#include "checkpoint/registry.h"
#include "cli/answer.h"
#include "cli/cancel_command.h"
#include "cli/download_command.h"
#include "cli/environment.h"
#include "cli/exit_status.h"
#include "cli/general_help.h"
#include "cli/interrupt.h"
#include "cli/list_command.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/resume_command.h"
#include "cli/run_jobs.h"
#include "cli/state_folder.h"
#include "cli/target_choice.h"
#include "cli/terminal.h"
#include "cli/transport_choice.h"
#include "cli/verify_command.h"
#include "cli/views.h"
#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/engine/batch.h"
#include "core/engine/farewell.h"
#include "core/http/curl_transport.h"

namespace arkvory::cli {

namespace {

int number(ExitStatus status) { return static_cast<int>(status); }

// The seed of a run's chance: spread is all that is asked of it.
std::uint64_t random_seed() {
  const auto bits = random_128_bits();
  std::uint64_t seed = 0;
  std::memcpy(&seed, bits.data(), sizeof seed);
  return seed;
}

// A reader of the events that went away ends the run as a signal does, so that the state is saved.
class OutputInterrupt final : public Interrupt {
 public:
  OutputInterrupt(SignalInterrupt& signals, const DescriptorOutput& output) : signals_(signals), output_(output) {}
  int signal() override {
    if (output_.failure() == EPIPE) signals_.stop_with(SIGPIPE);
    return signals_.signal();
  }

 private:
  SignalInterrupt& signals_;
  const DescriptorOutput& output_;
};

// Words that nobody takes don't keep a signal from being answered, as long as this lives.
class GivingWay {
 public:
  GivingWay(const SignalInterrupt& signals, DescriptorOutput& output, DescriptorTerminal& error)
      : output_(output), error_(error) {
    set(signals.descriptor());
  }
  ~GivingWay() { set(-1); }
  GivingWay(const GivingWay&) = delete;
  GivingWay& operator=(const GivingWay&) = delete;

 private:
  void set(int descriptor) {
    output_.give_way_to(descriptor);
    error_.give_way_to(descriptor);
  }

  DescriptorOutput& output_;
  DescriptorTerminal& error_;
};

class Program {
 public:
  Program(Environment environment, std::filesystem::path current)
      : environment_(std::move(environment)), current_(std::move(current)) {}

  int run(const CommandLine& line) {
    state_option_ = line.state_folder;
    const auto status = std::visit([this](const auto& command) { return run_command(command); }, line.command);
    if (output_.failure() == EPIPE) die_by(SIGPIPE);
    if (output_.failure() == 0) return status;
    say("standard output can't be written: " + std::generic_category().message(output_.failure()));
    return status == 0 ? number(ExitStatus::local) : status;
  }

 private:
  int run_command(const HelpCommand& command) {
    output_.write(command.text);
    return number(ExitStatus::ok);
  }

  int run_command(const VersionCommand&) {
    output_.write(
        fmt::format("arkvoryctl (Arkvory) " ARKVORY_VERSION "\n{}\nLicence: Apache-2.0\n", transport_version()));
    return number(ExitStatus::ok);
  }

  int run_command(const ListCommand& command) {
    if (auto opened = open_registry(false); !opened) return end_with(opened.error());
    const auto list = unfinished_downloads(state());
    if (!list) return end_with(list.error());
    for (const auto& note : list->notes) say(note);
    if (!command.json) output_.write(list_table(list->downloads, clock_.wall_now()));
    if (!command.json && list->downloads.empty()) say("no unfinished downloads");
    if (command.json)
      for (const auto& unfinished : list->downloads) output_.write(list_line(unfinished));
    return number(ExitStatus::ok);
  }

  int run_command(const CancelCommand& command) {
    const bool can_ask = is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO);
    if (!command.yes && !can_ask)
      return end_with({Fault::usage, "cancel: there is no terminal to ask on; --yes cancels without asking"});
    if (auto opened = open_registry(false); !opened) return end_with(opened.error());
    Question ask;
    if (!command.yes) ask = [this](const std::string& text) { return answers_yes(text, error_, STDIN_FILENO); };
    return for_each_target(command.targets, [this, &ask](const std::filesystem::path& target) -> Result<std::string> {
      const auto release = release_for(state(), target, environment_);
      const auto done = cancel(state(), target, ask);
      if (!done) return pass_on(done.error());
      if (*done == Cancelled::kept) return std::string("kept");
      const bool told = release && (!*release || tell_server(**release));
      return std::string(told ? "cancelled"
                              : "cancelled; the server could not be told, and frees the place in its time");
    });
  }

  // True where it has heard that a download is over, or knows of none.
  bool tell_server(const Request& release) {
    TransportOptions options;
    options.user_agent = "arkvoryctl/" ARKVORY_VERSION;
    const auto transport = make_curl_transport(clock_, std::move(options));
    const auto status = say_farewell(*transport, clock_, release);
    return status == 404 || (status >= 200 && status < 300);
  }

  int run_command(const VerifyCommand& command) {
    return for_each_target(command.targets, [this, &command](const std::filesystem::path& target) {
      return verify(files_, target, command.sha256);
    });
  }

  int run_command(const DownloadCommand& given) {
    auto command = given;
    if (auto resolved = resolve_moments(command, clock_.wall_now(), system_zone()); !resolved)
      return end_with(resolved.error());
    SignalInterrupt signals;
    const GivingWay giving_way(signals, output_, error_);
    auto views = views_for(command.run.view);
    auto jobs = download_jobs(command, files_, current_, environment_);
    if (!jobs) return refuse(views.status(), target_in_words(command), jobs.error());
    const bool quiet = command.run.view.quiet;
    if (auto opened = open_registry(quiet); !opened) return end_with(opened.error());
    if (!quiet && token_is_not_kept(command, environment_))
      say("the token of ARKVORY_TOKEN is not kept: a resume without the variable needs --token-file");
    return transfer(command.run, command.run.keep_going, views.status(), signals, {std::move(*jobs)});
  }

  int run_command(const ResumeCommand& command) {
    SignalInterrupt signals;
    const GivingWay giving_way(signals, output_, error_);
    auto views = views_for(command.run.view);
    if (auto opened = open_registry(command.run.view.quiet); !opened) return end_with(opened.error());
    DiskWorkspace workspace(files_, clock_, processes_, registry());
    auto plan = plan_resume(command, state(), workspace, environment_);
    if (!plan) return end_with(plan.error());
    for (const auto& note : plan->notes) say(note);
    for (const auto& [target, error] : plan->failures) refuse(views.status(), target, error);
    // At boot, what one server does must not keep the others waiting.
    const bool keep_going = command.all || command.run.keep_going;
    return transfer(command.run, keep_going, views.status(), signals, std::move(*plan));
  }

  int transfer(const RunOptions& run, bool keep_going, Status& status, SignalInterrupt& signals, ResumePlan plan) {
    auto options = transport_options(run, current_, error_);
    if (!options) return end_with(options.error());
    options->watched_descriptor = signals.descriptor();
    const auto transport = make_curl_transport(clock_, std::move(*options));
    const auto digests = make_threaded_digest_worker([&transport] { transport->wake(); });
    DiskWorkspace workspace(files_, clock_, processes_, registry());
    OutputInterrupt interrupt(signals, output_);
    Rng rng(random_seed());

    std::vector<Fault> earlier;
    for (const auto& failure : plan.failures) earlier.push_back(failure.second.fault);
    const Platform platform{clock_, files_, *transport, workspace, *digests, status, interrupt, rng, random_128_bits};
    const auto end = run_jobs(platform, std::move(plan.jobs), run.jobs, keep_going, std::move(earlier));
    if (end.signal != 0) die_by(end.signal);
    if (end.unbegun > 0 && !run.view.quiet)
      say(fmt::format("{} not begun after this failure; --keep-going begins them", end.unbegun));
    return number(end.status);
  }

  // Does something to each target, says what came of it, and sums it up as a status.
  template <typename Deed>
  int for_each_target(const std::vector<std::string>& targets, const Deed& deed) {
    std::vector<Fault> failures;
    for (const auto& text : targets) {
      const auto target = absolute_target(current_, text);
      const auto shown = shown_target(target, current_);
      const Result<std::string> done = deed(target);
      say(shown + ": " + (done ? *done : done.error().text()));
      if (!done) failures.push_back(done.error().fault);
    }
    return number(combined(failures));
  }

  // A target that failed before anything could run: told like any other end.
  int refuse(Status& status, const std::filesystem::path& target, const Error& error) {
    const Outcome outcome{.error = error};
    status.finished(target, outcome);
    return ending_of(outcome).number;
  }

  int end_with(const Error& error) {
    say(error.text());
    return number(exit_status(error.fault).value_or(ExitStatus::internal));
  }

  // Opens the registry where there is a place for it. Without one the program works on, and says so once.
  Result<void> open_registry(bool quiet) {
    const auto folder = state_folder(state_option_, current_, environment_);
    if (!folder) {
      if (!quiet) say("neither HOME nor --state-dir tells where to list unfinished downloads; none is listed");
      return {};
    }
    auto made = files_.make_folders(*folder);
    if (made) {
      registry_.emplace(files_, *folder);
      return {};
    }
    if (!state_option_.empty()) return made;
    if (!quiet) say("unfinished downloads are not listed: " + made.error().text());
    return {};
  }

  std::filesystem::path target_in_words(const DownloadCommand& command) const {
    if (command.output) return (current_ / *command.output).lexically_normal();
    return command.folder ? (current_ / *command.folder).lexically_normal() : current_;
  }

  Views views_for(const ViewOptions& options) {
    return Views(options, environment_, clock_, current_, output_, error_, is_terminal(STDERR_FILENO));
  }

  std::size_t columns() const {
    const auto text = variable(environment_, "COLUMNS");
    constexpr std::uint64_t most = 1000;
    return text ? std::min(most, parse_number(*text).value_or(0)) : 0;
  }

  Registry* registry() { return registry_ ? &*registry_ : nullptr; }
  StateAccess state() { return {files_, processes_, registry(), current_}; }
  void say(const std::string& text) { error_.write(program_line(text)); }

  const Environment environment_;
  const std::filesystem::path current_;
  std::filesystem::path state_option_;
  SystemClock clock_;
  PosixFileSystem files_;
  SystemProcessTable processes_;
  std::optional<Registry> registry_;
  DescriptorOutput output_{STDOUT_FILENO};
  DescriptorTerminal error_{STDERR_FILENO, columns()};
};

int run_program(int count, char** texts, char** environment_texts) {
  signals_become_errors();
  DescriptorOutput error(STDERR_FILENO);
  const std::vector<std::string> arguments(texts + std::min(count, 1), texts + count);
  if (arguments.empty()) {
    error.write(short_usage());
    return number(ExitStatus::usage);
  }
  const auto line = parse_arguments(arguments);
  if (!line) {
    error.write(program_line(line.error().text()));
    return number(ExitStatus::usage);
  }
  std::error_code failure;
  auto current = std::filesystem::current_path(failure);
  if (failure) {
    error.write(program_line("the current folder can't be found: " + failure.message()));
    return number(ExitStatus::local);
  }
  return Program(environment_from(environment_texts), std::move(current)).run(*line);
}

}  // namespace

}  // namespace arkvory::cli

int main(int argc, char** argv) {
  try {
    return arkvory::cli::run_program(argc, argv, environ);
  } catch (const std::exception& error) {
    // Out of memory, or a bug: what is on disk is whole at any moment.
    arkvory::cli::DescriptorOutput(STDERR_FILENO).write(arkvory::cli::program_line(error.what()));
    return static_cast<int>(arkvory::cli::ExitStatus::internal);
  }
}
