// SPDX-License-Identifier: Apache-2.0
#include "cli/list_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/credentials.h"
#include "core/engine/file_names.h"
#include "core/http/file_name.h"

namespace arkvory::cli {

namespace {

// What is read ahead of the entries that run, so that one record speaks of many of them.
constexpr std::size_t kMostAhead = 256;
constexpr std::size_t kMostTextAhead = 256 * 1024;

std::string expected_name(const ListEntry& entry) {
  return entry.out.empty() ? file_name_for(Headers(), entry.url) : entry.out;
}

}  // namespace

ListJobs::ListJobs(const World& world, std::filesystem::path folder, ListFile list,
                   std::optional<ListProgress> progress, Watch watch)
    : world_(world),
      folder_(std::move(folder)),
      list_(std::move(list)),
      shown_(world.command.list == "-" ? "standard input" : *world.command.list),
      reader_(list_.descriptor(), list_.may_wait(), kLongestLine),
      sub_folders_(world.files, folder_, !world.command.dry_run),
      progress_(std::move(progress)),
      watch_(std::move(watch)) {}

Supply ListJobs::next() {
  watch_(false);
  if (ahead_.empty() && !is_read_) look_ahead();
  if (ahead_.empty()) {
    if (is_read_) return supply::Over{};
    watch_(true);
    return supply::Later{};
  }
  auto ahead = std::move(ahead_.front());
  ahead_.pop_front();
  if (ahead.settled) return supply::Settled{std::move(ahead.target), std::move(*ahead.settled)};
  auto job = job_for(ahead);
  if (!job) {
    if (progress_) progress_->failed(ahead.line);
    auto refused = faulty(ahead.line, job.error());
    return supply::Settled{std::move(refused.target), std::move(*refused.settled)};
  }
  running_.emplace(ahead.line, std::move(ahead.target));
  return supply::Entry{std::move(*job), ahead.line};
}

void ListJobs::look_ahead() {
  std::size_t text = 0;
  while (ahead_.size() < kMostAhead && text < kMostTextAhead && !is_read_) {
    const auto line = reader_.next();
    if (!line) {
      is_read_ = true;
      const Error error{Fault::local, "the list " + shown_ + " can't be read", line.error().cause};
      ahead_.push_back({.settled = Outcome{.error = error}, .target = list_.path()});
      break;
    }
    if (line->kind == LineReader::Kind::later) break;
    if (line->kind == LineReader::Kind::end) {
      is_read_ = true;
    } else {
      text += line->text.size() + 1;
      take(*line);
    }
  }
  if (!progress_) return;
  progress_->read_to(reader_.length(), reader_.digest());
  keep(progress_->keep_before_beginning());
}

void ListJobs::take(const LineReader::Line& line) {
  if (line.kind == LineReader::Kind::too_long) {
    ahead_.push_back(faulty(line.number, {Fault::usage, fmt::format("it is longer than {} bytes", kLongestLine)}));
    return;
  }
  if (says_nothing(line.text)) {
    if (progress_) progress_->done(line.number);
    return;
  }
  const auto& base = world_.command.base_url;
  auto entry = base ? entry_from_sums(line.text, *base) : entry_from(line.text);
  ahead_.push_back(entry ? judged(line.number, std::move(*entry)) : faulty(line.number, entry.error()));
}

ListJobs::Ahead ListJobs::faulty(std::uint64_t line, Error error) const {
  error.words = fmt::format("{}, line {}: {}", shown_, line, error.words);
  return {.line = line, .settled = Outcome{.error = std::move(error)}, .target = list_.path()};
}

ListJobs::Ahead ListJobs::judged(std::uint64_t line, ListEntry entry) {
  Ahead ahead{.line = line, .target = folder_ / expected_name(entry)};
  ahead.entry = std::move(entry);
  if (!progress_) return ahead;
  const auto standing = world_.files.status(ahead.target);
  // Who looks again finds the same failure, and tells it.
  if (!standing) return ahead;
  ahead.settled = done_by_earlier_run(ahead, *standing);
  if (ahead.settled) {
    ++done_earlier_;
    progress_->done(line);
    return ahead;
  }
  progress_->open(line, !*standing && !is_expected_already(ahead.target));
  return ahead;
}

// A second entry with the same target would be taken for done once the first has made it.
bool ListJobs::is_expected_already(const std::filesystem::path& target) const {
  const auto is_same = [&target](const Ahead& other) {
    return other.entry && other.target.native() == target.native();
  };
  const auto runs = [&target](const auto& running) { return running.second.native() == target.native(); };
  return std::any_of(ahead_.begin(), ahead_.end(), is_same) || std::any_of(running_.begin(), running_.end(), runs);
}

std::optional<Outcome> ListJobs::done_by_earlier_run(const Ahead& ahead, const std::optional<FileStatus>& standing) {
  const Outcome done{.bytes = standing ? standing->size : 0, .sha256 = ahead.entry->sha256, .is_of_earlier_run = true};
  if (progress_->was_done(ahead.line)) {
    if (standing || progress_->may_be_elsewhere(ahead.line)) return done;
    return std::nullopt;
  }
  // Killed between giving the file its name and recording that: it was whole before it had the name.
  if (!progress_->may_be_ours(ahead.line) || ahead.entry->sha256) return std::nullopt;
  if (!standing || standing->kind != FileKind::regular) return std::nullopt;
  const auto checkpoint = world_.files.status(checkpoint_path(ahead.target));
  if (!checkpoint || *checkpoint) return std::nullopt;
  return done;
}

Result<Job> ListJobs::job_for(const Ahead& ahead) {
  const auto& command = world_.command;
  const auto& entry = *ahead.entry;
  auto headers = request_headers(command.run.credentials, command.run.network.insecure, entry.url, world_.environment);
  if (!headers) return pass_on(headers.error());
  auto folder = sub_folders_.folder_of(entry.out);
  if (!folder) return pass_on(folder.error());
  Job job{.url = entry.url,
          .folder = std::move(*folder),
          .name = entry.out.substr(entry.out.rfind('/') + 1),
          .shape = command.shape,
          .headers = std::move(*headers),
          .resume = command.resume,
          .wait_lock = command.wait_lock};
  job.shape.force = command.force;
  job.shape.sha256 = entry.sha256;
  if (!entry.download_class.empty()) job.shape.download_class = entry.download_class;
  note_sources(job.shape, command.run.credentials, entry.url, world_.current);
  return job;
}

void ListJobs::ended(std::uint64_t number, const std::filesystem::path& target, const Outcome& outcome) {
  const auto expected = running_.extract(number);
  if (!progress_) return;
  if (outcome.error) {
    const auto checkpoint = world_.files.status(checkpoint_path(target));
    if (checkpoint && *checkpoint) {
      progress_->unfinished(number);
    } else {
      progress_->failed(number);
    }
  } else {
    progress_->done(number, target.filename() != expected.mapped().filename());
  }
  keep(progress_->keep_now_and_then());
}

// Without a record the list works on: what is lost is only that another run knows what this one has done.
void ListJobs::keep(Result<void> kept) {
  if (!kept && !record_failure_) record_failure_ = kept.error();
}

std::optional<Error> ListJobs::finish(bool all_ended_well) {
  watch_(false);
  if (!progress_) return std::nullopt;
  const bool is_over = all_ended_well && is_read_ && ahead_.empty();
  if (!is_over && progress_->is_scattered() && !record_failure_)
    record_failure_ = Error{Fault::local, "too many entries failed among others that ended well"};
  keep(progress_->end(is_over));
  progress_.reset();
  return record_failure_;
}

std::optional<std::uint64_t> ListJobs::unbegun() {
  std::uint64_t count = ahead_.size();
  while (!is_read_) {
    const auto line = reader_.next();
    if (!line || line->kind == LineReader::Kind::later) return std::nullopt;
    if (line->kind == LineReader::Kind::end) break;
    if (line->kind == LineReader::Kind::too_long || !says_nothing(line->text)) ++count;
  }
  return count;
}

}  // namespace arkvory::cli
