// SPDX-License-Identifier: Apache-2.0
#include "cli/download_run.h"

#include <cerrno>
#include <optional>
#include <vector>

#include "cli/checksums.h"
#include "cli/copy_out.h"
#include "cli/download_command.h"
#include "cli/dry_run.h"
#include "cli/list_jobs.h"
#include "cli/list_start.h"
#include "cli/local_time.h"
#include "cli/private_target.h"
#include "cli/quiet_view.h"
#include "cli/renamed_view.h"
#include "cli/run_jobs.h"
#include "cli/watched_descriptors.h"

namespace arkvory::cli {

namespace {

class DownloadRun {
 public:
  explicit DownloadRun(Session& session) : session_(session) {}

  int run(const DownloadCommand& given) {
    auto command = given;
    if (auto resolved = resolve_moments(command, session_.clock().wall_now(), system_zone()); !resolved)
      return session_.end_with(resolved.error());
    SignalInterrupt signals;
    const GivingWay giving_way(signals, session_);
    auto views = session_.views_for(command.run.view);
    const auto refused = [&](const Error& error) {
      return session_.refuse(views.status(), target_in_words(command), error);
    };
    auto target = command.to_standard_output() ? private_target(session_.files(), session_.state_folder(), "output",
                                                                command.urls.front(), !command.dry_run)
                                               : download_target(command, session_.files(), session_.current());
    if (!target) return refused(target.error());
    auto jobs = download_jobs(command, *target, session_.current(), session_.environment());
    if (!jobs) return refused(jobs.error());
    if (!command.dry_run)
      if (auto opened = session_.open_registry(command.run.view.quiet); !opened)
        return session_.end_with(opened.error());
    std::optional<OpenedList> list;
    if (command.list) {
      // Where the state folder can't be used, that has been said: the list works without it.
      const bool has_state = command.dry_run || session_.registry() != nullptr;
      auto opened = open_list(command, target->folder,
                              {session_.files(), session_.processes(), session_.clock(), session_.current(),
                               has_state ? session_.state_folder() : std::nullopt});
      if (!opened) return session_.end_with(opened.error());
      list.emplace(std::move(*opened));
    }
    if (const int status = take_checksums(command, *jobs, signals); status != 0) return status;
    if (command.dry_run) return tell_plans(command, std::move(*jobs), *target, std::move(list));
    if (!command.run.view.quiet && token_is_not_kept(command, session_.environment()))
      session_.say("the token of ARKVORY_TOKEN is not kept: a resume without the variable needs --token-file");
    if (list) return transfer_list(command, views.status(), signals, std::move(*jobs), *target, std::move(*list));
    if (command.to_standard_output()) return transfer_to_output(command, views.status(), signals, std::move(*jobs));
    return session_.transfer(command.run, command.run.keep_going, views.status(), signals, {std::move(*jobs)});
  }

 private:
  // Gives the jobs the digests that --checksums knows. Ends with a status other than 0 where it can't.
  int take_checksums(const DownloadCommand& command, std::vector<Job>& jobs, SignalInterrupt& signals) {
    if (!command.checksums) return 0;
    const auto url = checksums_url(*command.checksums);
    if (url && !*url) return session_.end_with(url->error());
    if (url && command.dry_run) return 0;
    auto path = session_.current() / *command.checksums;
    if (url) {
      auto place = private_target(session_.files(), session_.state_folder(), "checksums", **url, true);
      if (!place) return session_.end_with(place.error());
      auto job = checksums_job(**url, jobs.front(), command.run.network.insecure, *place);
      if (!job) return session_.end_with(job.error());
      path = place->folder / place->name;
      QuietView failures(session_.error_output(), {session_.current(), true, false});
      RenamedView view(failures, (*url)->shown());
      std::vector<Job> only;
      only.push_back(std::move(*job));
      if (const int status = session_.transfer(command.run, false, view, signals, {std::move(only)}); status != 0)
        return status;
    }
    const auto text = read_whole(session_.files(), path, kLargestChecksums);
    if (url) (void)session_.files().remove(path);
    const auto shown = url ? (*url)->shown() : *command.checksums;
    if (!text) return session_.end_with({Fault::usage, "checksums " + shown + " can't be used", text.error().text()});
    if (!*text)
      return session_.end_with({Fault::usage, "checksums " + shown + " can't be opened: there is no such file"});
    for (auto& job : jobs) {
      auto digest = checksum_for(**text, job, shown);
      if (!digest) return session_.end_with(digest.error());
      job.shape.sha256 = *digest;
    }
    return 0;
  }

  int tell_plans(const DownloadCommand& command, std::vector<Job> jobs, const TargetChoice& target,
                 std::optional<OpenedList> list) {
    std::vector<Fault> failures;
    const auto tell = [&](const Plan& plan) {
      session_.output().write(command.run.view.json ? plan_event(plan, session_.clock().wall_now())
                                                    : plan_sentence(plan, session_.current()) + "\n");
      if (plan.failure) failures.push_back(plan.failure->fault);
    };
    for (auto& job : jobs) tell(plan_of(std::move(job), session_.files(), session_.processes()));
    if (list) {
      ListJobs source({command, session_.files(), session_.current(), session_.environment()}, target.folder,
                      std::move(list->file), std::move(list->progress), [](bool) {});
      each_plan(source, session_.files(), session_.processes(), tell);
    }
    return number(combined(failures));
  }

  int transfer_list(const DownloadCommand& command, Status& status, SignalInterrupt& signals, std::vector<Job> jobs,
                    const TargetChoice& target, OpenedList list) {
    for (const auto& note : list.notes) session_.say(note);
    WatchedDescriptors watched(signals.descriptor(), list.file.may_wait() ? list.file.descriptor() : -1);
    ListJobs source({command, session_.files(), session_.current(), session_.environment()}, target.folder,
                    std::move(list.file), std::move(list.progress), [&watched](bool wanted) { watched.want(wanted); });
    return session_.on_network(command.run, status, signals, watched.descriptor(), [&](const Platform& platform) {
      const auto end = run_jobs(platform, std::move(jobs), command.run.jobs, command.run.keep_going, {}, &source);
      if (const auto lost = source.finish(end.failed == 0 && end.signal == 0))
        session_.say("what was done of the list is not kept for another run: " + lost->text());
      if (end.signal != 0) die_by(end.signal);
      if (!command.run.view.quiet)
        session_.say(list_summary(*command.list, end, source.done_earlier(), source.unbegun()));
      return number(end.status);
    });
  }

  // Whole and verified first, then written out.
  int transfer_to_output(const DownloadCommand& command, Status& status, SignalInterrupt& signals,
                         std::vector<Job> jobs) {
    const auto path = jobs.front().folder / jobs.front().name;
    RenamedView view(status, "standard output");
    if (const int ended = session_.transfer(command.run, false, view, signals, {std::move(jobs)}); ended != 0)
      return ended;
    auto written = copy_to(session_.output(), session_.files(), path, signals);
    if (signals.signal() != 0) die_by(signals.signal());
    if (!written) return session_.end_with(written.error());
    const bool is_kept = session_.output().failure() != 0 && session_.output().failure() != EPIPE;
    if (is_kept) session_.say("the verified bytes are kept in " + path.string());
    if (!is_kept)
      if (auto removed = session_.files().remove(path); !removed) return session_.end_with(removed.error());
    return number(ExitStatus::ok);
  }

  std::filesystem::path target_in_words(const DownloadCommand& command) const {
    if (command.to_standard_output()) return "standard output";
    if (command.output) return (session_.current() / *command.output).lexically_normal();
    return command.folder ? (session_.current() / *command.folder).lexically_normal() : session_.current();
  }

  Session& session_;
};

}  // namespace

int run_download(Session& session, const DownloadCommand& command) { return DownloadRun(session).run(command); }

}  // namespace arkvory::cli
