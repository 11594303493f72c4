// SPDX-License-Identifier: Apache-2.0
#include "core/engine/fetch.h"

#include <algorithm>
#include <vector>

#include "core/engine/request_builder.h"
#include "core/http/file_name.h"

namespace arkvory {

namespace {

// The loop looks at the clock at least once a minute: longer than this between two looks it did not run at all.
constexpr Duration kLongestRefusalTime = std::chrono::seconds(5);
constexpr Duration kLongestAwake = std::chrono::seconds(61);
// Far enough to never matter.
constexpr Duration kFar = std::chrono::hours(1);

// How long until the wall clock shows `time`, as it is set now.
Duration until_wall(const std::optional<GivenTime>& time, WallTime now) {
  return std::clamp<Duration>(time->time - now, Duration(0), kFar);
}

}  // namespace

Fetch::Fetch(const Platform& platform, const Job& job, Holdings& holdings, FetchGoal goal)
    : platform_(platform),
      job_(job),
      holdings_(holdings),
      route_(job.url),
      plan_(holdings.size(), job.shape.range_size),
      budget_{job.shape.max_retries, job.shape.max_attempts},
      waited_before_(holdings.facts().waited),
      last_look_(platform.clock.now()),
      watched_(last_look_),
      connections_(job.shape.connections),
      own_coding_(coding_of_name(job.name.empty() ? file_name_for(Headers(), job.url) : job.name)),
      whole_(goal == FetchGoal::decoded),
      decoded_(goal == FetchGoal::decoded) {
  const auto size = holdings.size();
  if (goal == FetchGoal::repair)
    recheck_.emplace(Recheck::Purpose::repair, holdings.held(), *size);
  else if (holdings.is_unverifiable())
    recheck_.emplace(Recheck::Purpose::identity, holdings.sample(platform.rng), *size);
  complete_ = holdings.is_complete() && !recheck_;
}

Fetch::~Fetch() { cancel_all(); }

void Fetch::stop() { cancel_all(); }

void Fetch::cancel_all() {
  for (auto& transfer : transfers_) {
    if (transfer.has_ended()) continue;
    was_cut_ = was_cut_ || (transfer.is_served() && !holdings_.is_complete());
    platform_.transport.cancel(transfer.id);
  }
  transfers_.clear();
}

void Fetch::advance(Instant now) {
  notice_sleep(now);
  drop_stalled(now);
  drop_far_slower(now);
  drop_ranges_beside_stream();
  for (auto at = transfers_.begin(); at != transfers_.end() && !failure_;) {
    if (!at->has_ended()) {
      ++at;
      continue;
    }
    // Out of the list first: settling may end all the others.
    std::list<Transfer> ended;
    const auto next = std::next(at);
    ended.splice(ended.begin(), transfers_, at);
    settle(ended.front(), now);
    at = transfers_.empty() ? transfers_.end() : next;
  }
  if (recheck_ && recheck_->is_over() && !failure_) end_recheck();
  if (holdings_.is_complete() && !recheck_ && !failure_ && !complete_) {
    cancel_all();
    complete_ = true;
  }
  if (complete_) return;
  if (!has_begun())
    if (auto late = deadline_passed(deadline(), platform_.clock.wall_now())) give_up(std::move(*late));
  if (!failure_ && !found_name_) start_requests(now);
  share_rate();
  holdings_.remember_waited(spent(now));
  if (auto recorded = record_waiting(now); !recorded) give_up(recorded.error());
  if (failure_ || found_name_) cancel_all();
}

std::optional<WallTime> Fetch::deadline() const {
  const auto& given = shape().not_after;
  return given ? std::optional(given->time) : std::nullopt;
}

std::filesystem::path Fetch::shown_target() const {
  return holdings_.is_open() && !holdings_.is_provisional() ? holdings_.target() : job_.folder;
}

Instant Fetch::next_deadline(Instant now) const {
  // A batch looks at the clocks at least once a minute anyway.
  auto deadline = now + kFar;
  for (const auto& transfer : transfers_) {
    if (transfer.has_ended()) return now;
    deadline = std::min(deadline, transfer.last_activity + patience_with(transfer));
  }
  if (watches_ranges(now)) deadline = std::min(deadline, watched_ + kWatchPeriod);
  const auto wall = platform_.clock.wall_now();
  if (shape().not_after && !has_begun()) deadline = std::min(deadline, now + until_wall(shape().not_after, wall));
  if (shape().not_before && !window_open_) return std::min(deadline, now + until_wall(shape().not_before, wall));
  if (pause_.is_on()) return std::min(deadline, pause_.until());
  if (const auto due = plan_.next_due(now)) deadline = std::min(deadline, *due);
  return deadline;
}

// --- Starting -------------------------------------------------------------------------------------------------------

IntervalSet Fetch::on_the_way() const {
  IntervalSet ranges;
  for (const auto& transfer : transfers_)
    if (const auto rest = transfer.remaining()) ranges.add(*rest);
  return ranges;
}

std::optional<Question> Fetch::next_question(Instant now) const {
  Question question{.raw = shape().raw, .own_coding = own_coding_, .decoded = decoded_};
  if (whole_) return transfers_.empty() ? std::optional(question) : std::nullopt;
  question.range = plan_.next(recheck_ ? recheck_->settled() : holdings_.held(), on_the_way(), now);
  if (!question.range) return std::nullopt;
  const auto& object = holdings_.facts().object;
  question.conditional = conditional_ && !recheck_ && object && object->validator();
  return question;
}

bool Fetch::may_start() const {
  if (whole_) return transfers_.empty();
  if (transfers_.size() >= connections_.now()) return false;
  // What runs already, and is served, keeps nobody from asking for more.
  return !alone_ || std::all_of(transfers_.begin(), transfers_.end(), [](const Transfer& t) { return t.is_served(); });
}

// Before --not-before nothing is asked. The wall clock decides, as it is set at each look.
bool Fetch::is_too_early(Instant now) {
  const auto& opens = shape().not_before;
  if (window_open_ || !opens) return false;
  if (platform_.clock.wall_now() >= opens->time) {
    window_open_ = true;
    pause_.end(now);
    return false;
  }
  if (pause_.is_on()) return true;
  // The moment is kept: a reboot meanwhile must not forget the download.
  if (auto recorded = record_place(now); !recorded) give_up(recorded.error());
  pause_.begin(now, Instant::max(), WaitReason::window);
  platform_.status.waiting(
      shown_target(),
      WaitStatus{.reason = WaitReason::window, .until = opens->time, .download_class = shape().download_class});
  return true;
}

void Fetch::start_requests(Instant now) {
  if (is_too_early(now)) return;
  if (pause_.is_on() && now < pause_.until()) return;
  // What a wait has cost is on disk when it ends.
  const bool costs = pause_.is_for_a_seat() && shape().wait_limit && holdings_.is_recorded();
  pause_.end(now);
  holdings_.remember_waited(spent(now));
  if (costs)
    if (auto saved = holdings_.save_facts(); !saved) return give_up(saved.error());
  while (may_start()) {
    const auto question = next_question(now);
    if (!question) return;
    if (auto started = start(*question, now); !started) {
      give_up(started.error());
      return;
    }
  }
}

Result<void> Fetch::start(const Question& question, Instant now) {
  // Id and ticket are on disk before the second request (client.md, State on disk).
  if (asked_before_ && holdings_.is_open() && !holdings_.is_recorded())
    if (auto saved = holdings_.save(); !saved) return saved;
  asked_before_ = true;
  transfers_.emplace_back(static_cast<TransferOwner&>(*this), question, route_, now);
  auto& transfer = transfers_.back();
  auto request = build_request(job_, holdings_.facts(), route_, question);
  request.rate_limit = share_of_rate();
  transfer.id = platform_.transport.start(request, transfer);
  return {};
}

// --limit-rate is for all of them together; 0 where there is none.
std::uint64_t Fetch::share_of_rate() const {
  if (shape().limit_rate == 0) return 0;
  return std::max<std::uint64_t>(1, shape().limit_rate / std::max<std::size_t>(1, transfers_.size()));
}

// Who runs alone has all of it, and gives of it when others begin.
void Fetch::share_rate() {
  if (shape().limit_rate == 0 || transfers_.size() == sharing_) return;
  sharing_ = transfers_.size();
  for (const auto& transfer : transfers_)
    if (!transfer.has_ended()) platform_.transport.limit_rate(transfer.id, share_of_rate());
}

// After a machine's suspension each answer has its time again.
void Fetch::notice_sleep(Instant now) {
  const auto since = now - last_look_;
  last_look_ = now;
  if (since > kLongestAwake) excuse_silence(since, now);
}

void Fetch::excuse_silence(Duration lost, Instant now) {
  for (auto& transfer : transfers_) {
    transfer.last_activity = std::min(now, transfer.last_activity + lost);
    transfer.pace.begin_again();
  }
}

// A refusal's head has said what there is to know; its words are waited for a moment only.
Duration Fetch::patience_with(const Transfer& transfer) const {
  const bool is_refused = transfer.verdict && std::holds_alternative<NotServed>(*transfer.verdict);
  return is_refused ? std::min(kLongestRefusalTime, job_.shape.stall_timeout) : job_.shape.stall_timeout;
}

void Fetch::drop_stalled(Instant now) {
  for (auto& transfer : transfers_) {
    if (transfer.has_ended() || now - transfer.last_activity < patience_with(transfer)) continue;
    platform_.transport.cancel(transfer.id);
    transfer.end = TransferEnd{EndKind::cut, "nothing came for the time of --stall-timeout"};
  }
}

// What the other ranges brought in the last two periods, on the average: those that run, else the one that came whole
// last.
std::optional<double> Fetch::bytes_beside(const Transfer& transfer, Instant now) const {
  double sum = 0;
  int count = 0;
  for (const auto& other : transfers_) {
    if (&other == &transfer || other.has_ended() || !other.granted || !other.pace.bytes()) continue;
    sum += static_cast<double>(*other.pace.bytes());
    ++count;
  }
  if (count > 0) return sum / count;
  if (!finished_ || !finished_->still_tells(now)) return std::nullopt;
  return finished_->rate * std::chrono::duration<double>(2 * kWatchPeriod).count();
}

bool Fetch::watches_ranges(Instant now) const {
  const bool runs = std::any_of(transfers_.begin(), transfers_.end(), [](const Transfer& t) { return !!t.granted; });
  return runs && (transfers_.size() > 1 || (finished_ && finished_->still_tells(now)));
}

void Fetch::drop_far_slower(Instant now) {
  if (now - watched_ < kWatchPeriod) return;
  watched_ = now;
  for (auto& transfer : transfers_) transfer.pace.end_period();
  const auto is_slow = [this, now](const Transfer& transfer) {
    const auto bytes = transfer.pace.bytes();
    return !transfer.has_ended() && transfer.granted && bytes &&
           is_far_slower(static_cast<double>(*bytes), bytes_beside(transfer, now));
  };
  std::vector<const Transfer*> slow;
  for (const auto& transfer : transfers_)
    if (is_slow(transfer)) slow.push_back(&transfer);
  for (const auto* each : slow) {
    platform_.transport.cancel(each->id);
    was_cut_ = true;
    transfers_.remove_if([each](const Transfer& transfer) { return &transfer == each; });
  }
}

// The whole object comes in one stream: ranges that still run would only write the same bytes again.
void Fetch::drop_ranges_beside_stream() {
  if (!whole_) return;
  for (auto at = transfers_.begin(); at != transfers_.end();) {
    if (!at->granted) {
      ++at;
      continue;
    }
    if (!at->has_ended()) platform_.transport.cancel(at->id);
    at = transfers_.erase(at);
  }
}

void Fetch::give_up(Error error) {
  if (!failure_) failure_ = std::move(error);
}

}  // namespace arkvory
