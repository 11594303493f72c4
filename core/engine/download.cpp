// SPDX-License-Identifier: Apache-2.0
#include "core/engine/download.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/ensure.h"
#include "core/engine/file_names.h"
#include "core/engine/request_builder.h"
#include "core/http/file_name.h"

namespace arkvory {

namespace {

// How often a target that another process works on is looked at.
constexpr Duration kLookAtLock = std::chrono::seconds(1);
// A call to the disk that took longer is told to those who wait for the network.
constexpr Duration kNoticeable = std::chrono::milliseconds(100);

}  // namespace

Download::Download(const Platform& platform, Job job)
    : platform_(platform),
      job_(std::move(job)),
      id_(DownloadId::from_bits(platform.new_id())),
      begun_(platform.clock.now()),
      last_progress_(begun_) {}

std::filesystem::path Download::target() const { return job_.name.empty() ? job_.folder : job_.folder / job_.name; }

void Download::advance() {
  // A stage may hand over to the next at once; each hand-over goes forward, or back to Opening with a name found.
  for (auto before = stage_.index();; before = stage_.index()) {
    std::visit([this](auto& stage) { go_on(stage); }, stage_);
    if (stage_.index() == before) return;
  }
}

Instant Download::next_deadline() const {
  const auto now = platform_.clock.now();
  if (std::holds_alternative<Leaving>(stage_)) return farewell_->deadline();
  if (const auto* waiting = std::get_if<AwaitingLock>(&stage_)) return waiting->look_again;
  const auto* fetching = std::get_if<Fetching>(&stage_);
  // A finished digest wakes the transport.
  if (!fetching) return now + std::chrono::hours(1);
  auto deadline = fetching->fetch->next_deadline(now);
  if (holdings_->held_bytes() != reported_bytes_)
    deadline = std::min(deadline, last_progress_ + platform_.status.progress_interval());
  if (const auto due = holdings_->save_due(now)) deadline = std::min(deadline, *due);
  return deadline;
}

// --- Opening --------------------------------------------------------------------------------------------------------

void Download::go_on(Opening&) {
  holdings_ = std::make_unique<Holdings>(platform_.files, platform_.workspace, platform_.digests, job_, id_);
  if (job_.name.empty()) {
    // An earlier run of the same command may have left its state under the name that the URL gives.
    const auto likely = file_name_for(Headers(), job_.url);
    auto there = platform_.files.status(checkpoint_path(job_.folder / likely));
    if (!there) return end(there.error());
    if (!*there) return begin_fetching();
    job_.name = likely;
    is_likely_name_ = true;
  }
  look_at_target();
}

void Download::look_at_target() {
  auto standing = platform_.files.status(target());
  if (!standing) return end(standing.error());
  if (*standing) return look_at(**standing);
  begin_fetching();
}

void Download::look_at(const FileStatus& standing) {
  const auto path = target();
  switch (standing.kind) {
    case FileKind::regular: break;
    case FileKind::folder: return end({Fault::local, "a folder stands under this name"});
    case FileKind::symlink:
      return end({Fault::local, "a symbolic link stands under this name, and links are not written through"});
    case FileKind::other: return end({Fault::local, "something that is no regular file stands under this name"});
  }
  if (job_.shape.sha256) {
    auto file = platform_.files.open_to_read(path);
    if (!file) return end(file.error());
    if (!*file) return begin_fetching();  // gone again
    tell_start();
    platform_.status.verifying(path);
    ComparingTarget comparing{*file, platform_.digests.follow(*file)};
    comparing.digest->extend(standing.size);
    comparing.digest->finish();
    stage_ = std::move(comparing);
    return;
  }
  auto unfinished = platform_.files.status(checkpoint_path(path));
  if (!unfinished) return end(unfinished.error());
  // With a checkpoint beside it, it may be our own, published just before an earlier run was ended.
  if (*unfinished || job_.shape.force) return begin_fetching();
  end({Fault::local, "exists already: give --sha256 to compare it, or --force to replace it"});
}

void Download::go_on(ComparingTarget& comparing) {
  auto result = comparing.digest->result();
  if (!result) return;
  if (!*result) return end(result->error());
  const auto found = **result;
  if (found == *job_.shape.sha256) {
    auto size = comparing.file->size();
    if (!size) return end(size.error());
    // What an earlier run left is of no more use: it may have ended between the rename and its tidying up.
    for (const auto& path : {checkpoint_path(target()), part_path(target())}) {
      auto left = platform_.files.status(path);
      if (!left || !*left) continue;
      if (auto discarded = holdings_->discard(target()); !discarded)
        platform_.status.notice(target(), "state", discarded.error().text());
      break;
    }
    return succeed(found, *size);
  }
  if (job_.shape.force) return begin_fetching();
  end({Fault::local,
       fmt::format("exists already and has another SHA-256 ({}): give --force to replace it", found.to_hex())});
}

void Download::begin_fetching() {
  if (!job_.name.empty()) {
    using Naming = Holdings::Naming;
    const bool may_be_guess = is_likely_name_ || job_.resumed;
    auto opened = holdings_->open(target(), may_be_guess ? Naming::as_recorded : Naming::final);
    if (holdings_->is_open()) job_.name = holdings_->is_provisional() ? "" : holdings_->target().filename().string();
    tell_notes();
    if (!opened && opened.error().fault == Fault::locked && job_.wait_lock) return await_lock(opened.error());
    if (!opened) return end(opened.error());
    if (holdings_->was_published()) {
      auto standing = platform_.files.status(target());
      return succeed(std::nullopt, standing && *standing ? (*standing)->size : 0);
    }
    auto standing = platform_.files.status(holdings_->target());
    if (!standing) return end(standing.error());
    if (*standing && !job_.shape.force)
      return end({Fault::local, "exists already: give --sha256 to compare it, or --force to replace it"});
  }
  tell_start();
  meter_.note(platform_.clock.now(), holdings_->held_bytes());
  fetch(FetchGoal::missing);
}

void Download::fetch(FetchGoal goal) {
  paused_before_ = paused_;
  in_queue_before_ = in_queue_;
  reported_bytes_ = holdings_->held_bytes();
  stage_ = Fetching{std::make_unique<Fetch>(platform_, job_, *holdings_, goal)};
}

// Told once: how long it takes is for the other process to say.
void Download::await_lock(const Error& locked) {
  const auto now = platform_.clock.now();
  if (!std::holds_alternative<AwaitingLock>(stage_))
    platform_.status.waiting(target(), WaitStatus{.reason = WaitReason::lock,
                                                  .until = platform_.clock.wall_now() + kLookAtLock,
                                                  .why = locked.text()});
  stage_ = AwaitingLock{now + kLookAtLock};
}

void Download::go_on(AwaitingLock& waiting) {
  if (platform_.clock.now() < waiting.look_again) return;
  paused_ += kLookAtLock;
  // What the other process has made of the target is looked at like anything that stands there.
  look_at_target();
}

void Download::tell_start() {
  if (told_start_) return;
  told_start_ = true;
  platform_.status.started(
      target(), StartStatus{.url = job_.url,
                            .bytes = holdings_->held_bytes(),
                            .total = holdings_->size(),
                            .id = holdings_->facts().id,
                            .likely_name = job_.name.empty() ? file_name_for(Headers(), job_.url) : std::string()});
}

void Download::tell_notes() {
  for (const auto& note : holdings_->take_notes()) platform_.status.notice(target(), "state", note);
}

// --- Fetching -------------------------------------------------------------------------------------------------------

void Download::go_on(Fetching& fetching) {
  const auto now = platform_.clock.now();
  auto& fetch = *fetching.fetch;
  fetch.advance(now);
  paused_ = paused_before_ + fetch.time_paused(now);
  in_queue_ = in_queue_before_ + fetch.time_for_a_seat(now);
  if (job_.name.empty() && holdings_->is_open() && !holdings_->is_provisional())
    job_.name = holdings_->target().filename();
  tell_notes();
  if (fetch.failure()) return end(Error(*fetch.failure()));
  if (fetch.found_name()) {
    job_.name = *fetch.found_name();
    stage_ = Opening{};
    return;
  }
  if (fetch.is_complete()) return verify();
  if (keep_state(fetch, now)) report_progress(now);
}

bool Download::keep_state(Fetch& fetch, Instant now) {
  const auto due = holdings_->save_due(now);
  if (!due || *due > now) return true;
  auto saved = holdings_->save();
  if (!saved) {
    end(saved.error());
    return false;
  }
  // A slow disk is no silence of the server's.
  if (const auto after = platform_.clock.now(); after - now > kNoticeable) fetch.excuse_silence(after - now, after);
  return true;
}

void Download::report_progress(Instant now) {
  const auto bytes = holdings_->held_bytes();
  if (bytes == reported_bytes_) return;
  meter_.note(now, bytes);
  if (now - last_progress_ < platform_.status.progress_interval()) return;
  last_progress_ = now;
  reported_bytes_ = bytes;
  platform_.status.progress(target(),
                            ProgressStatus{.bytes = bytes, .total = holdings_->size(), .rate = meter_.rate()});
}

// --- The end --------------------------------------------------------------------------------------------------------

void Download::verify() {
  const auto& fetch = *std::get<Fetching>(stage_).fetch;
  kept_coding_ = fetch.kept_coding();
  was_cut_ = was_cut_ || fetch.was_cut();
  if (fetch.came_as_before()) return set_aside(*mismatch_);
  if (holdings_->expected_digest()) platform_.status.verifying(target());
  holdings_->finish_digest();
  take_leave();
  stage_ = Verifying{};
}

// Beside verifying, so that it delays nothing. After an answer that was cut the server may hold the seat for a while;
// only a server of ours is told, for elsewhere DELETE means what it says.
void Download::take_leave() {
  if (!was_cut_ || !holdings_->facts().is_arkvory) return;
  farewell_.emplace(platform_.transport, build_release(job_.url, job_.headers, holdings_->facts().id),
                    platform_.clock.now());
}

void Download::go_on(Leaving& leaving) {
  if (farewell_->is_over(platform_.clock.now())) stage_ = Done{Outcome(leaving.outcome)};
}

Outcome Download::ending() const {
  const auto all = platform_.clock.now() - begun_;
  return {.error = {},
          .bytes = holdings_ ? holdings_->held_bytes() : 0,
          .sha256 = {},
          .signal = 0,
          .in_transfer = all - paused_,
          .in_queue = in_queue_};
}

void Download::succeed(std::optional<Sha256Digest> sha256, std::uint64_t bytes) {
  auto outcome = ending();
  outcome.bytes = bytes;
  outcome.sha256 = sha256;
  const auto path = target();
  holdings_.reset();
  if (farewell_) {
    farewell_->wait_from(platform_.clock.now());
    stage_ = Leaving{outcome};
  } else {
    stage_ = Done{outcome};
  }
  platform_.status.finished(path, outcome);
}

void Download::interrupt(int signal) {
  if (const auto* leaving = std::get_if<Leaving>(&stage_)) stage_ = Done{Outcome(leaving->outcome)};
  if (!is_done()) end({Fault::interrupted, "stopped by a signal"}, signal);
}

void Download::end(Error error, int signal) {
  if (auto* fetching = std::get_if<Fetching>(&stage_)) fetching->fetch->stop();
  // What is held stays usable: data first, then the record that speaks of it. Where nothing is held and nothing was
  // recorded, nothing is left behind.
  const bool keeps = holdings_ && holdings_->is_open() && (holdings_->held_bytes() > 0 || holdings_->is_recorded());
  bool unrecorded = false;
  if (keeps && error.fault != Fault::integrity) {
    holdings_->remember_error(error.words);
    if (error.fault == Fault::deadline) holdings_->spend_deadline();
    if (auto saved = holdings_->save(); !saved) {
      if (error.fault != Fault::local)
        error.words += "; and what is held could not be recorded: " + saved.error().text();
      unrecorded = !holdings_->is_recorded();
    }
  }
  auto outcome = ending();
  // Bytes of which there is no record are fetched again by the next run.
  if (unrecorded) outcome.bytes = 0;
  outcome.error = std::move(error);
  outcome.signal = signal;
  const auto path = target();
  stage_ = Done{outcome};
  holdings_.reset();
  platform_.status.finished(path, outcome);
}

}  // namespace arkvory
