// SPDX-License-Identifier: Apache-2.0
// What the end of a request means for a download, and until when it waits.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/engine/end_failure.h"
#include "core/engine/fetch.h"
#include "core/engine/odd_answers.h"
#include "core/http/file_name.h"
#include "core/protocol/problem.h"

namespace arkvory {

namespace {

constexpr unsigned kMostResolves = 3;
constexpr auto kNoEnd = std::numeric_limits<std::uint64_t>::max();
// A little below the longest step of the loop, so that each of its looks records and none is made for that alone.
constexpr Duration kRecordWaiting = std::chrono::seconds(59);

WaitReason reason_for(Fault fault, const QueueNotice& notice) {
  if (fault == Fault::weather) return WaitReason::network;
  if (fault != Fault::busy) return WaitReason::fault;
  return notice.is_queued() ? WaitReason::queue : WaitReason::busy;
}

}  // namespace

void Fetch::settle(Transfer& transfer, Instant now) {
  if (failure_ || found_name_) return;
  if (transfer.failure) return give_up(*transfer.failure);
  if (!transfer.verdict) return settle_end_without_head(transfer, now);
  if (const auto* refused = std::get_if<NotServed>(&*transfer.verdict)) return settle_refused(transfer, *refused, now);
  if (const auto* redirected = std::get_if<Redirected>(&*transfer.verdict))
    return settle_redirect(transfer, *redirected, now);
  if (const auto* changed = std::get_if<ObjectChanged>(&*transfer.verdict))
    return settle_changed(transfer, *changed, now);
  if (const auto* whole = std::get_if<AskWhole>(&*transfer.verdict)) return go_whole(whole->why, now);
  if (const auto* coded = std::get_if<AskDecoded>(&*transfer.verdict)) return decode(coded->coding);
  if (std::holds_alternative<AskPlainly>(*transfer.verdict)) {
    conditional_ = false;
    return;
  }
  settle_served(transfer, now);
}

void Fetch::settle_served(Transfer& transfer, Instant now) {
  if (std::holds_alternative<TakeEmpty>(*transfer.verdict)) return;
  const auto* whole = std::get_if<TakeWhole>(&*transfer.verdict);
  if (!whole) {
    if (transfer.position >= transfer.granted->end()) return came_whole(transfer, now);
  } else if (holdings_.size() && transfer.position >= *holdings_.size()) {
    return;
  } else if (!whole_ || (transfer.position == 0 && transfer.end->kind == EndKind::stopped)) {
    return;  // one of several whole answers: another one is the stream
  } else if (transfer.end->kind == EndKind::complete) {
    if (!holdings_.size()) {
      // Shorter than what is held of it: an object of its own.
      if (!holdings_.held().within(ByteRange(transfer.position, kNoEnd)).empty())
        return settle_changed(transfer, {.how = "it is shorter now than what is held of it", .is_proven = true}, now);
      if (!whole->framed && !holdings_.expected_digest())
        platform_.status.notice(shown_target(), "length_unknown",
                                "the server tells neither length nor digest: completeness can't be known");
      if (auto ended = holdings_.end_at(transfer.position); !ended) give_up(ended.error());
      return;
    }
  }
  was_cut_ = true;
  auto failure = failure_of_end(*transfer.end, route_.current(), platform_.clock.wall_now());
  failure.brought_new_bytes = transfer.new_bytes > 0;
  if (whole) streamed_before_ = true;
  failed(transfer, std::move(failure), {}, now);
}

void Fetch::came_whole(const Transfer& transfer, Instant now) {
  connections_.served();
  const auto seconds = std::chrono::duration<double>(now - transfer.begun).count();
  if (seconds > 0) finished_ = FinishedRange{now, static_cast<double>(transfer.granted->length()) / seconds};
}

void Fetch::settle_end_without_head(Transfer& transfer, Instant now) {
  // The server may have answered all the same.
  if (transfer.end->kind == EndKind::cut) was_cut_ = true;
  failed(transfer, failure_of_end(*transfer.end, route_.current(), platform_.clock.wall_now()), {}, now);
}

void Fetch::settle_refused(Transfer& transfer, const NotServed& refused, Instant now) {
  auto error = refused.error;
  auto asked = refused.asked;
  auto notice = refused.notice;
  notice.add(transfer.words);
  error.words += " for " + route_.current().shown();
  if (const auto problem = Problem::parse(transfer.words)) {
    const auto& said = problem->detail.empty() ? problem->title : problem->detail;
    if (!said.empty()) error.words += ": " + said;
    if (problem->code == "busy") error.fault = Fault::busy;
  }
  if (!asked && notice.check_at) asked = RetryAfter::until(*notice.check_at, refused.answered);
  const bool for_good = error.fault == Fault::auth || error.fault == Fault::refused;
  if (for_good && transfer.route != route_.version()) return;  // spoke of a URL that is no longer asked
  if (for_good && route_.is_redirected() && resolves_in_a_row_ < kMostResolves) {
    // A signed URL has expired: a fresh one from the first URL, once for all ranges.
    // A URL that is good for a few requests only is of no use to more at once.
    connections_.lower_to(served_by_url_);
    ++resolves_in_a_row_;
    route_.back_to_first();
    alone_ = true;
    return;
  }
  // Once bytes are held, a lone refusal may come from a node that lags behind (C19).
  const bool may_pass = for_good && (refused.status == 403 || refused.status == 404) && holdings_.held_bytes() > 0;
  if (may_pass && pause_.is_on()) return;
  if (may_pass && ++refusals_in_a_row_ < kOddAnswersToBelieve)
    return pause_until(now + before_asking_again(refusals_in_a_row_), error, notice, now);
  if (error.fault == Fault::busy && route_.is_redirected()) route_.back_to_first();
  // A restarted server has forgotten the ticket, not the object.
  const bool forgotten = error.fault == Fault::busy && (refused.status == 404 || refused.status == 410);
  if (forgotten)
    platform_.status.notice(shown_target(), "new_place",
                            "the server has forgotten the place in its queue; a new one is taken");
  failed(transfer, Failure{.error = std::move(error), .asked = asked}, notice, now);
}

void Fetch::settle_redirect(const Transfer& transfer, const Redirected& redirected, Instant now) {
  if (transfer.route != route_.version()) return;  // a sibling has followed already
  if (auto followed = route_.follow(redirected.location); !followed) return give_up(followed.error());
  if (!redirected.asked) return;
  // A server that paces us leads nobody in a circle.
  route_.arrived();
  const Failure busy{.error = {Fault::busy, "the server asks to follow its redirect later"},
                     .asked = redirected.asked,
                     .in_a_row = ++busy_in_a_row_};
  const auto decision = after_failure(busy, budget_, now, platform_.rng);
  pause_until(std::get<StartAgainAt>(decision).earliest, busy.error, {}, now);
}

// --- When to ask again ----------------------------------------------------------------------------------------------

bool Fetch::a_sibling_is_served() const {
  return std::any_of(transfers_.begin(), transfers_.end(),
                     [](const Transfer& other) { return !other.has_ended() && other.is_served(); });
}

// Those that began together fail together: they lower the number once.
bool Fetch::bears_fewer(const Transfer& transfer, Instant now) {
  if (connections_.now() == 1) return false;
  if (transfer.begun < lowered_) return true;
  lowered_ = now;
  return connections_.lower_for_now();
}

// The server does not bear so many ranges at once: it says so, or it fails one while it serves the others. One fewer
// from now on, and nothing else stops.
bool Fetch::takes_fewer_connections(const Transfer& transfer, const Failure& failure, const QueueNotice& notice,
                                    Instant now) {
  if (!transfer.question.range) return false;
  const bool asks =
      std::any_of(transfers_.begin(), transfers_.end(), [](const Transfer& other) { return !other.has_ended(); });
  if (failure.error.fault == Fault::network)
    return asks && !alone_ && !failure.brought_new_bytes && bears_fewer(transfer, now);
  if (failure.error.fault != Fault::busy || !means_fewer_connections(notice, asks, a_sibling_is_served())) return false;
  if (connections_.lower_for_good())
    platform_.status.notice(
        shown_target(), "connections",
        fmt::format("the server is busy for so many ranges at once: {} from now on", connections_.now()));
  return true;
}

void Fetch::failed(Transfer& transfer, Failure failure, const QueueNotice& notice, Instant now) {
  // A stream's place is its start: it can only begin there.
  const auto place = transfer.question.range ? transfer.position : 0;
  const auto fault = failure.error.fault;
  const bool busy = fault == Fault::busy;
  // A fault after new bytes speaks of one connection; one without speaks of the server or the way to it, and would meet
  // every other range as well. Siblings that hear the same while everything waits already add nothing and cost nothing;
  // that it is busy may make the wait a longer one.
  const bool waits_together = !failure.brought_new_bytes;
  if (waits_together && pause_.is_on() && !busy) return;
  if (busy && !pause_.is_for_a_seat()) ++busy_in_a_row_;
  if (fault == Fault::weather) ++weather_in_a_row_;
  failure.in_a_row = busy ? busy_in_a_row_ : fault == Fault::weather ? weather_in_a_row_ : plan_.failures_at(place) + 1;
  const bool fewer = takes_fewer_connections(transfer, failure, notice, now);
  if (fewer && !busy) failure.free = true;
  auto decision = after_failure(failure, budget_, now, platform_.rng);
  if (auto* given_up = std::get_if<GiveUp>(&decision)) return give_up(std::move(given_up->error));
  const auto earliest = std::get<StartAgainAt>(decision).earliest;
  if (fewer) return plan_.not_before(place, earliest);
  if (!busy && fault != Fault::weather) plan_.failed_at(place, earliest);
  const auto asked = failure.asked ? std::min(now + failure.asked->delay(), earliest) : earliest;
  if (waits_together || transfers_.empty())
    pause_until(within_bounds(earliest, asked, now), failure.error, notice, now);
}

// The random addition alone must not carry a wait over a limit or the deadline.
Instant Fetch::within_bounds(Instant until, Instant asked, Instant now) const {
  auto last = until;
  if (const auto& limit = shape().wait_limit) last = std::min(last, now + (*limit - std::min(*limit, spent(now))));
  if (const auto moment = deadline(); moment && !has_begun())
    last = std::min(last, now + std::max(*moment - platform_.clock.wall_now(), Duration(0)));
  return last >= until || last <= asked ? until : asked + (last - asked) / 2;
}

std::optional<Error> Fetch::beyond_bounds(const PlannedWait& wait, Instant now) const {
  if (auto error = beyond_limit(wait, shape().wait_limit, spent(now))) return error;
  return has_begun() ? std::nullopt : beyond_deadline(wait, deadline());
}

void Fetch::pause_until(Instant until, const Error& why, const QueueNotice& notice, Instant now) {
  alone_ = true;
  // A range that breaks while everything waits for a seat may make that longer, and is no other wait.
  const auto cause = reason_for(why.fault, notice);
  const auto reason = pause_.is_for_a_seat() && !Pause::counts(cause) ? pause_.reason() : cause;
  if (pause_.is_on()) until = std::max(until, pause_.until());
  const auto wall = platform_.clock.wall_now();
  if (why.fault == Fault::busy)
    holdings_.remember_place(notice.is_queued() ? std::optional(QueuePlace{notice.position, notice.starts_at})
                                                : std::nullopt);
  const bool is_limited_weather = why.fault == Fault::weather && shape().wait_limit;
  if (why.fault == Fault::busy || is_limited_weather)
    if (auto recorded = record_place(now); !recorded) return give_up(recorded.error());
  // Found before anything sleeps, so that nobody waits for what can't come.
  if (Pause::counts(reason))
    if (auto error = beyond_bounds({until - now, wall, why, notice}, now)) return give_up(std::move(*error));
  const bool is_known = pause_.is_on() && pause_.reason() == reason;
  pause_.begin(now, until, reason);
  if (is_known) return;
  platform_.status.waiting(
      shown_target(),
      WaitStatus{.reason = reason,
                 .until = wall + (until - now),
                 .position = notice.position,
                 .starts_at = notice.starts_at,
                 .starts_between = notice.starts_between,
                 .download_class = notice.download_class.empty() ? shape().download_class : notice.download_class,
                 .why = why.text()});
}

// Id, ticket and place are on disk before the wait begins. Where nobody has named the target yet, it waits under the
// name that the URL gives.
Result<void> Fetch::record_place(Instant now) {
  recorded_waiting_ = now;
  if (!holdings_.is_open()) {
    const auto target = job_.folder / file_name_for(Headers(), job_.url);
    if (is_taken(target)) return {};
    if (auto opened = holdings_.open_provisionally(target); !opened) return opened;
  }
  return holdings_.save_facts();
}

// What a wait in a queue has cost is recorded with each answer; a wait for the network brings none.
Result<void> Fetch::record_waiting(Instant now) {
  const bool is_without_answers = pause_.is_on() && pause_.reason() == WaitReason::network;
  if (!is_without_answers || !shape().wait_limit || !holdings_.is_recorded()) return {};
  if (now - recorded_waiting_ < kRecordWaiting) return {};
  recorded_waiting_ = now;
  return holdings_.save_facts();
}

}  // namespace arkvory
