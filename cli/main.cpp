// SPDX-License-Identifier: Apache-2.0
// arkvoryctl: reads the command line and does what each command says, with what its Session joins. It decides nothing
// that a test could want to decide.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "checkpoint/disk_workspace.h"
#include "cli/answer.h"
#include "cli/cancel_command.h"
#include "cli/download_run.h"
#include "cli/general_help.h"
#include "cli/list_command.h"
#include "cli/messages.h"
#include "cli/session.h"
#include "cli/target_choice.h"
#include "cli/verify_command.h"
#include "core/engine/farewell.h"
#include "core/http/curl_transport.h"

namespace arkvory::cli {

namespace {

class Program {
 public:
  Program(Environment environment, std::filesystem::path current, std::filesystem::path state_option)
      : session_(std::move(environment), std::move(current), std::move(state_option)) {}

  int run(const Command& command) {
    return session_.closed_with(std::visit([this](const auto& one) { return run_command(one); }, command));
  }

 private:
  int run_command(const HelpCommand& command) {
    session_.output().write(command.text);
    return number(ExitStatus::ok);
  }

  int run_command(const VersionCommand&) {
    session_.output().write(
        fmt::format("arkvoryctl (Arkvory) " ARKVORY_VERSION "\n{}\nLicence: Apache-2.0\n", transport_version()));
    return number(ExitStatus::ok);
  }

  int run_command(const ListCommand& command) {
    if (auto opened = session_.open_registry(false); !opened) return session_.end_with(opened.error());
    const auto list = unfinished_downloads(session_.state());
    if (!list) return session_.end_with(list.error());
    for (const auto& note : list->notes) session_.say(note);
    if (!command.json) session_.output().write(list_table(list->downloads, session_.clock().wall_now()));
    if (!command.json && list->downloads.empty()) session_.say("no unfinished downloads");
    if (command.json)
      for (const auto& unfinished : list->downloads) session_.output().write(list_line(unfinished));
    return number(ExitStatus::ok);
  }

  int run_command(const CancelCommand& command) {
    const bool can_ask = is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO);
    if (!command.yes && !can_ask)
      return session_.end_with({Fault::usage, "cancel: there is no terminal to ask on; --yes cancels without asking"});
    if (auto opened = session_.open_registry(false); !opened) return session_.end_with(opened.error());
    Question ask;
    if (!command.yes)
      ask = [this](const std::string& text) { return answers_yes(text, session_.error_output(), STDIN_FILENO); };
    return for_each_target(command.targets, [this, &ask](const std::filesystem::path& target) -> Result<std::string> {
      const auto release = release_for(session_.state(), target, session_.environment());
      const auto done = cancel(session_.state(), target, ask);
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
    const auto transport = make_curl_transport(session_.clock(), std::move(options));
    const auto status = say_farewell(*transport, session_.clock(), release);
    return status == 404 || (status >= 200 && status < 300);
  }

  int run_command(const VerifyCommand& command) {
    return for_each_target(command.targets, [this, &command](const std::filesystem::path& target) {
      return verify(session_.files(), target, command.sha256);
    });
  }

  int run_command(const DownloadCommand& command) { return run_download(session_, command); }

  int run_command(const ResumeCommand& command) {
    SignalInterrupt signals;
    const GivingWay giving_way(signals, session_);
    auto views = session_.views_for(command.run.view);
    if (auto opened = session_.open_registry(command.run.view.quiet); !opened) return session_.end_with(opened.error());
    DiskWorkspace workspace(session_.files(), session_.clock(), session_.processes(), session_.registry());
    auto plan = plan_resume(command, session_.state(), workspace, session_.environment());
    if (!plan) return session_.end_with(plan.error());
    for (const auto& note : plan->notes) session_.say(note);
    for (const auto& [target, error] : plan->failures) session_.refuse(views.status(), target, error);
    // At boot, what one server does must not keep the others waiting.
    const bool keep_going = command.all || command.run.keep_going;
    return session_.transfer(command.run, keep_going, views.status(), signals, std::move(*plan));
  }

  // Does something to each target, says what came of it, and sums it up as a status.
  template <typename Deed>
  int for_each_target(const std::vector<std::string>& targets, const Deed& deed) {
    std::vector<Fault> failures;
    for (const auto& text : targets) {
      const auto target = absolute_target(session_.current(), text);
      const auto shown = shown_target(target, session_.current());
      const Result<std::string> done = deed(target);
      session_.say(shown + ": " + (done ? *done : done.error().text()));
      if (!done) failures.push_back(done.error().fault);
    }
    return number(combined(failures));
  }

  Session session_;
};

// libcurl takes a receive buffer of 512 KiB for each transfer and gives it back at its end. Memory that goes back to
// the system with it is faulted in again for the next one: of many small files that is a third of all the work
// (measured).
void keep_freed_memory() {
  constexpr int kept = 16 << 20;
  mallopt(M_MMAP_THRESHOLD, kept);
  mallopt(M_TRIM_THRESHOLD, kept);
}

int run_program(int count, char** texts, char** environment_texts) {
  keep_freed_memory();
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
  return Program(environment_from(environment_texts), std::move(current), line->state_folder).run(line->command);
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
