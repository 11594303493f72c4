// SPDX-License-Identifier: Apache-2.0
#include "core/engine/fetch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/ensure.h"
#include "core/engine/end_failure.h"
#include "core/engine/file_names.h"
#include "core/engine/request_builder.h"
#include "core/http/file_name.h"
#include "core/protocol/header_names.h"
#include "core/protocol/problem.h"

namespace arkvory {

namespace {

constexpr std::size_t kLongestRefusal = 64 * 1024;
constexpr unsigned kMostResolves = 3;
// A single odd answer may come from a proxy, a captive portal or a node that lags behind: what is held is not given up
// before it has been heard this often in a row, after 1, 2 and 4 s.
constexpr unsigned kOddAnswersToBelieve = 4;

Duration before_asking_again(unsigned odd_answers) { return std::chrono::seconds(1U << (odd_answers - 1)); }

}  // namespace

Fetch::Fetch(const Platform& platform, const Job& job, Holdings& holdings)
    : platform_(platform),
      job_(job),
      holdings_(holdings),
      route_(job.url),
      plan_(holdings.size(), job.shape.range_size),
      budget_{job.shape.max_retries, job.shape.max_attempts},
      complete_(holdings.is_complete()) {}

Fetch::~Fetch() { cancel_all(); }

void Fetch::stop() { cancel_all(); }

void Fetch::cancel_all() {
  for (auto& transfer : transfers_)
    if (!transfer.has_ended()) platform_.transport.cancel(transfer.id);
  transfers_.clear();
}

void Fetch::advance(Instant now) {
  drop_stalled(now);
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
  if (failure_ || found_name_) {
    cancel_all();
    return;
  }
  if (holdings_.is_complete() && !complete_) {
    cancel_all();
    complete_ = true;
  }
  if (!complete_) start_requests(now);
}

std::filesystem::path Fetch::shown_target() const { return holdings_.is_open() ? holdings_.target() : job_.folder; }

Instant Fetch::next_deadline(Instant now) const {
  // Far enough to never matter; a batch looks at the clocks at least once a minute anyway.
  auto deadline = now + std::chrono::hours(1);
  for (const auto& transfer : transfers_) {
    if (transfer.has_ended()) return now;
    deadline = std::min(deadline, transfer.last_activity + job_.shape.stall_timeout);
  }
  if (hold_) return std::min(deadline, hold_->until);
  if (const auto due = plan_.next_due(now)) deadline = std::min(deadline, *due);
  return deadline;
}

Duration Fetch::time_waited(Instant now) const { return waited_ + (hold_ ? now - hold_->since : Duration(0)); }

// --- Starting -------------------------------------------------------------------------------------------------------

IntervalSet Fetch::on_the_way() const {
  IntervalSet ranges;
  for (const auto& transfer : transfers_)
    if (const auto rest = transfer.remaining()) ranges.add(*rest);
  return ranges;
}

std::optional<Question> Fetch::next_question(Instant now) const {
  if (whole_) return transfers_.empty() ? std::optional(Question{}) : std::nullopt;
  const auto range = plan_.next(holdings_.held(), on_the_way(), now);
  if (!range) return std::nullopt;
  const auto& object = holdings_.facts().object;
  const bool conditional = conditional_ && object && object->validator();
  return Question{range, conditional};
}

void Fetch::start_requests(Instant now) {
  if (hold_ && now < hold_->until) return;
  if (hold_) {
    waited_ += now - hold_->since;
    hold_.reset();
  }
  const std::size_t most = alone_ || whole_ ? 1 : job_.shape.connections;
  while (transfers_.size() < most) {
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
  transfers_.emplace_back(static_cast<TransferOwner&>(*this), question, route_.version(), now);
  auto& transfer = transfers_.back();
  transfer.id = platform_.transport.start(build_request(job_, holdings_.facts(), route_, question), transfer);
  return {};
}

void Fetch::drop_stalled(Instant now) {
  for (auto& transfer : transfers_) {
    if (transfer.has_ended() || now - transfer.last_activity < job_.shape.stall_timeout) continue;
    platform_.transport.cancel(transfer.id);
    transfer.end = TransferEnd{EndKind::cut, "nothing came for the time of --stall-timeout"};
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

// --- While an answer comes ------------------------------------------------------------------------------------------

Flow Fetch::on_head(Transfer& transfer, const ResponseHead& head) {
  transfer.last_activity = platform_.clock.now();
  if (const auto text = head.headers.first(header::kQueueTicket))
    if (auto ticket = Ticket::parse(*text)) holdings_.remember_ticket({*ticket, platform_.clock.wall_now()});
  transfer.verdict = check_response(transfer.question, holdings_.facts().object, head, platform_.clock.wall_now());
  const bool served = std::holds_alternative<TakeRange>(*transfer.verdict) ||
                      std::holds_alternative<TakeWhole>(*transfer.verdict) ||
                      std::holds_alternative<TakeEmpty>(*transfer.verdict);
  if (served) {
    if (!settle_target(head)) return Flow::stop;
    alone_ = false;
    busy_in_a_row_ = 0;
    weather_in_a_row_ = 0;
    changes_in_a_row_ = 0;
    if (std::holds_alternative<TakeRange>(*transfer.verdict)) wholes_in_a_row_ = 0;
    route_.arrived();
  }
  return std::visit([&](const auto& verdict) { return accept(transfer, verdict); }, *transfer.verdict);
}

// The first answer may name the target. Where something stands at that name already, the download looks first.
bool Fetch::settle_target(const ResponseHead& head) {
  if (holdings_.is_open()) return true;
  const auto name = file_name_for(head.headers, job_.url);
  const auto target = job_.folder / name;
  for (const auto& path : {target, checkpoint_path(target)}) {
    auto there = platform_.files.status(path);
    if (!there || *there) {
      found_name_ = name;
      return false;
    }
  }
  auto opened = holdings_.open(target);
  if (opened) return true;
  give_up(opened.error());
  return false;
}

Result<void> Fetch::take_object(const RemoteObject& object) {
  if (auto described = holdings_.describe(object); !described) return described;
  if (const auto size = holdings_.size()) plan_.set_size(*size);
  return {};
}

Flow Fetch::accept(Transfer& transfer, const TakeRange& taken) {
  if (auto known = take_object(taken.object); !known) {
    transfer.failure = known.error();
    return Flow::stop;
  }
  transfer.granted = taken.range;
  return Flow::go_on;
}

Flow Fetch::accept(Transfer& transfer, const TakeWhole& taken) {
  if (!taken.coding.empty() && !job_.shape.sha256) {
    transfer.failure = Error{Fault::untrusted,
                             "the server sends the bytes encoded (" + taken.coding +
                                 ") although that was not asked for: with --sha256 of the encoded bytes they are kept"};
    return Flow::stop;
  }
  // To a question for a range, with nothing held: the first such answer becomes the single stream, the others end.
  if (!whole_ && holdings_.held_bytes() > 0) {
    transfer.verdict = AskWhole{"ranges are ignored"};
    return Flow::stop;
  }
  whole_ = true;
  // What ranges brought is given up only now that the whole comes in its place.
  if (holdings_.held_bytes() > 0)
    if (auto emptied = holdings_.restart(); !emptied) {
      transfer.failure = emptied.error();
      return Flow::stop;
    }
  if (auto known = take_object(taken.object); !known) {
    transfer.failure = known.error();
    return Flow::stop;
  }
  transfer.position = 0;
  return Flow::go_on;
}

Flow Fetch::accept(Transfer& transfer, const TakeEmpty& taken) {
  if (auto known = take_object(taken.object); !known) transfer.failure = known.error();
  return Flow::stop;
}

// A refusal's body is read for its words; of everything else the body is of no use.
template <typename Refusal>
Flow Fetch::accept(Transfer&, const Refusal&) {
  return std::is_same_v<Refusal, NotServed> ? Flow::go_on : Flow::stop;
}

Flow Fetch::on_body(Transfer& transfer, std::span<const std::byte> bytes) {
  const auto now = platform_.clock.now();
  if (std::holds_alternative<NotServed>(*transfer.verdict)) {
    // Words that trickle in are no sign of life: the stall time-out goes on.
    const auto room = kLongestRefusal - std::min(kLongestRefusal, transfer.words.size());
    const auto taken = bytes.first(std::min(room, bytes.size()));
    transfer.words.append(reinterpret_cast<const char*>(taken.data()), taken.size());
    return taken.size() < bytes.size() ? Flow::stop : Flow::go_on;
  }
  transfer.last_activity = now;
  const auto before = bytes.size();
  const auto end = transfer.granted ? std::optional(transfer.granted->end()) : holdings_.size();
  if (end)
    bytes = bytes.first(std::min<std::uint64_t>(before, *end - transfer.position));
  else if (job_.shape.max_size && transfer.position + before > *job_.shape.max_size) {
    transfer.failure =
        Error{Fault::local, fmt::format("the object has more than --max-size {}", format_size(*job_.shape.max_size))};
    return Flow::stop;
  }
  if (auto written = holdings_.write(transfer.position, bytes, now); !written) {
    transfer.failure = written.error();
    return Flow::stop;
  }
  if (transfer.granted && transfer.new_bytes == 0) plan_.came_at(transfer.position);
  transfer.position += bytes.size();
  // A stream that begins again at zero brings nothing new.
  if (transfer.granted || !streamed_before_) transfer.new_bytes += bytes.size();
  if (transfer.new_bytes > 0) resolves_in_a_row_ = 0;
  // What comes beyond the stated end is not written; its connection is not used again.
  return bytes.size() < before ? Flow::stop : Flow::go_on;
}

// --- When an answer has ended ---------------------------------------------------------------------------------------

void Fetch::settle(Transfer& transfer, Instant now) {
  if (failure_ || found_name_) return;
  if (transfer.failure) return give_up(*transfer.failure);
  if (!transfer.verdict) return settle_end_without_head(transfer, now);
  if (const auto* refused = std::get_if<NotServed>(&*transfer.verdict)) return settle_refused(transfer, *refused, now);
  if (const auto* redirected = std::get_if<Redirected>(&*transfer.verdict))
    return settle_redirect(transfer, *redirected);
  if (const auto* changed = std::get_if<ObjectChanged>(&*transfer.verdict)) return settle_changed(*changed, now);
  if (const auto* whole = std::get_if<AskWhole>(&*transfer.verdict)) return go_whole(whole->why, now);
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
    if (transfer.position >= transfer.granted->end()) return;
  } else if (holdings_.size() && transfer.position >= *holdings_.size()) {
    return;
  } else if (!whole_ || (transfer.position == 0 && transfer.end->kind == EndKind::stopped)) {
    return;  // one of several whole answers: another one is the stream
  } else if (transfer.end->kind == EndKind::complete) {
    if (!holdings_.size()) {
      if (!whole->framed && !holdings_.expected_digest())
        platform_.status.notice(shown_target(), "length_unknown",
                                "the server tells neither length nor digest: completeness can't be known");
      if (auto ended = holdings_.end_at(transfer.position); !ended) give_up(ended.error());
      return;
    }
  }
  auto failure = failure_of_end(*transfer.end, route_.current());
  failure.brought_new_bytes = transfer.new_bytes > 0;
  if (whole) streamed_before_ = true;
  if (whole && !failure_)
    if (auto emptied = holdings_.restart(); !emptied) return give_up(emptied.error());
  failed(transfer, std::move(failure), now);
}

void Fetch::settle_end_without_head(Transfer& transfer, Instant now) {
  failed(transfer, failure_of_end(*transfer.end, route_.current()), now);
}

void Fetch::settle_refused(Transfer& transfer, const NotServed& refused, Instant now) {
  auto error = refused.error;
  error.words += " for " + route_.current().shown();
  if (const auto problem = Problem::parse(transfer.words)) {
    const auto& said = problem->detail.empty() ? problem->title : problem->detail;
    if (!said.empty()) error.words += ": " + said;
  }
  const bool for_good = error.fault == Fault::auth || error.fault == Fault::refused;
  if (for_good && transfer.route != route_.version()) return;  // spoke of a URL that is no longer asked
  if (for_good && route_.is_redirected() && resolves_in_a_row_ < kMostResolves) {
    // A signed URL has expired: a fresh one from the first URL, once for all ranges.
    ++resolves_in_a_row_;
    route_.back_to_first();
    alone_ = true;
    return;
  }
  if (error.fault == Fault::busy && route_.is_redirected()) route_.back_to_first();
  failed(transfer, Failure{.error = std::move(error), .asked = refused.asked}, now);
}

void Fetch::settle_redirect(const Transfer& transfer, const Redirected& redirected) {
  if (transfer.route != route_.version()) return;  // a sibling has followed already
  if (auto followed = route_.follow(redirected.location); !followed) give_up(followed.error());
}

void Fetch::settle_changed(const ObjectChanged& changed, Instant now) {
  cancel_all();
  alone_ = true;
  if (++changes_in_a_row_ < kOddAnswersToBelieve)
    return hold_until(now + before_asking_again(changes_in_a_row_),
                      {Fault::changed, "the remote object seems to have changed: " + changed.how}, now);
  changes_in_a_row_ = 0;
  if (auto begun = holdings_.next_generation(changed.how); !begun) return give_up(begun.error());
  platform_.status.notice(shown_target(), "changed",
                          "the remote object changed (" + changed.how + "): beginning again");
  plan_ = RangePlan(std::nullopt, job_.shape.range_size);
  whole_ = false;
  conditional_ = true;
  streamed_before_ = false;
}

void Fetch::go_whole(const std::string& why, Instant now) {
  if (whole_) return;  // a sibling has decided already
  cancel_all();
  alone_ = true;
  if (holdings_.held_bytes() > 0 && ++wholes_in_a_row_ < kOddAnswersToBelieve)
    return hold_until(now + before_asking_again(wholes_in_a_row_), {Fault::untrusted, why}, now);
  whole_ = true;
  platform_.status.notice(shown_target(), "no_ranges", why + ": one stream, which can only begin at zero");
}

void Fetch::failed(Transfer& transfer, Failure failure, Instant now) {
  // A stream's place is its start: it can only begin there.
  const auto place = transfer.question.range ? transfer.position : 0;
  const auto fault = failure.error.fault;
  // A fault after new bytes speaks of one connection; one without speaks of the server or the way to it, and would meet
  // every other range as well. Siblings that hear the same while everything waits already add nothing and cost nothing.
  const bool waits_together = !failure.brought_new_bytes;
  if (waits_together && hold_) return;
  failure.in_a_row = fault == Fault::busy      ? ++busy_in_a_row_
                     : fault == Fault::weather ? ++weather_in_a_row_
                                               : plan_.failures_at(place) + 1;
  auto decision = after_failure(failure, budget_, now, platform_.rng);
  if (auto* given_up = std::get_if<GiveUp>(&decision)) return give_up(std::move(given_up->error));
  const auto earliest = std::get<StartAgainAt>(decision).earliest;
  if (fault != Fault::busy && fault != Fault::weather) plan_.failed_at(place, earliest);
  if (waits_together || transfers_.empty()) hold_until(earliest, failure.error, now);
}

void Fetch::hold_until(Instant until, const Error& why, Instant now) {
  alone_ = true;
  if (hold_) {
    // Nothing that happens meanwhile makes a wait shorter that somebody asked for.
    hold_->until = std::max(hold_->until, until);
    return;
  }
  hold_ = Hold{now, until};
  const auto reason = why.fault == Fault::busy      ? WaitReason::busy
                      : why.fault == Fault::weather ? WaitReason::network
                                                    : WaitReason::fault;
  platform_.status.waiting(shown_target(), WaitStatus{.reason = reason,
                                                      .until = platform_.clock.wall_now() + (until - now),
                                                      .position = {},
                                                      .starts_at = {},
                                                      .download_class = job_.shape.download_class,
                                                      .why = why.text()});
}

void Fetch::give_up(Error error) {
  if (!failure_) failure_ = std::move(error);
}

}  // namespace arkvory
