// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "checkpoint/disk_workspace.h"
#include "cli/messages.h"
#include "cli/run_jobs.h"
#include "cli/state_folder.h"
#include "cli/transport_choice.h"
#include "core/base/digest.h"
#include "core/base/size.h"
#include "core/http/curl_transport.h"

namespace arkvory::cli {

namespace {

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

}  // namespace

Session::Session(Environment environment, std::filesystem::path current, std::filesystem::path state_option)
    : environment_(std::move(environment)),
      current_(std::move(current)),
      state_option_(std::move(state_option)),
      output_(STDOUT_FILENO),
      error_(STDERR_FILENO, columns()) {}

std::optional<std::filesystem::path> Session::state_folder() const {
  return cli::state_folder(state_option_, current_, environment_);
}

std::size_t Session::columns() const {
  const auto text = variable(environment_, "COLUMNS");
  constexpr std::uint64_t most = 1000;
  return text ? std::min(most, parse_number(*text).value_or(0)) : 0;
}

void Session::say(const std::string& text) { error_.write(program_line(text)); }

int Session::end_with(const Error& error) {
  say(error.text());
  return number(exit_status(error.fault).value_or(ExitStatus::internal));
}

int Session::refuse(Status& status, const std::filesystem::path& target, const Error& error) {
  const Outcome outcome{.error = error};
  status.finished(target, outcome);
  return ending_of(outcome).number;
}

Views Session::views_for(const ViewOptions& options) {
  return Views(options, environment_, clock_, current_, output_, error_, is_terminal(STDERR_FILENO));
}

Result<void> Session::open_registry(bool quiet) {
  const auto folder = state_folder();
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

int Session::on_network(const RunOptions& run, Status& status, SignalInterrupt& signals, int watched,
                        const std::function<int(const Platform&)>& use) {
  auto options = transport_options(run, current_, error_);
  if (!options) return end_with(options.error());
  options->watched_descriptor = watched;
  const auto transport = make_curl_transport(clock_, std::move(*options));
  const auto digests = make_threaded_digest_worker([&transport] { transport->wake(); });
  DiskWorkspace workspace(files_, clock_, processes_, registry());
  OutputInterrupt interrupt(signals, output_);
  Rng rng(random_seed());
  return use(Platform{clock_, files_, *transport, workspace, *digests, status, interrupt, rng, random_128_bits});
}

int Session::transfer(const RunOptions& run, bool keep_going, Status& status, SignalInterrupt& signals,
                      ResumePlan plan) {
  return on_network(run, status, signals, signals.descriptor(), [&](const Platform& platform) {
    std::vector<Fault> earlier;
    for (const auto& failure : plan.failures) earlier.push_back(failure.second.fault);
    const auto end = run_jobs(platform, std::move(plan.jobs), run.jobs, keep_going, std::move(earlier));
    if (end.signal != 0) die_by(end.signal);
    if (end.unbegun > 0 && !run.view.quiet)
      say(fmt::format("{} not begun after this failure; --keep-going begins them", end.unbegun));
    return number(end.status);
  });
}

int Session::closed_with(int status) {
  if (output_.failure() == EPIPE) die_by(SIGPIPE);
  if (output_.failure() == 0) return status;
  say("standard output can't be written: " + std::generic_category().message(output_.failure()));
  return status == 0 ? number(ExitStatus::local) : status;
}

GivingWay::GivingWay(const SignalInterrupt& signals, Session& session) : session_(session) {
  session_.output().give_way_to(signals.descriptor());
  session_.error_output().give_way_to(signals.descriptor());
}

GivingWay::~GivingWay() {
  session_.output().give_way_to(-1);
  session_.error_output().give_way_to(-1);
}

}  // namespace arkvory::cli
