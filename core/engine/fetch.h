// SPDX-License-Identifier: Apache-2.0
// Brings the missing bytes of one object: which requests run, what their answers mean, when to ask again.
//
// At most `connections` requests run at once. After a wait, and at the beginning, one asks alone; the others follow
// once it is served. A fault after new bytes holds back its own range only; one that brought nothing makes everything
// wait together, so that an outage costs one fault a round however many connections and ranges there are. So does a
// busy answer: running ranges end, one request asks again when its time has come, and then all go on.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "core/engine/batch.h"
#include "core/engine/connection_count.h"
#include "core/engine/holdings.h"
#include "core/engine/pause.h"
#include "core/engine/range_plan.h"
#include "core/engine/recheck.h"
#include "core/engine/route.h"
#include "core/engine/transfer.h"
#include "core/wait/retry_budget.h"
#include "core/wait/wait_bounds.h"
#include "core/wait/wait_policy.h"

namespace arkvory {

// What a fetch is for.
enum class FetchGoal {
  missing,  // the bytes that are not held
  repair,   // all of them once more: those that came wrong are written over
  decoded,  // the whole object anew, with its content coding taken off
};

class Fetch final : private TransferOwner {
 public:
  // `holdings` is open, or opens itself when the first answer names the target; for a repair it is complete.
  Fetch(const Platform& platform, const Job& job, Holdings& holdings, FetchGoal goal = FetchGoal::missing);
  ~Fetch() override;
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  // Settles what ended and starts what may start.
  void advance(Instant now);
  Instant next_deadline(Instant now) const;

  bool is_complete() const { return complete_; }
  const std::optional<Error>& failure() const { return failure_; }
  // The answer named a target at which something stands already: the download must look at it before going on.
  const std::optional<std::string>& found_name() const { return found_name_; }
  // Ends all requests; nothing more is written.
  void stop();
  // The client itself could not look for so long: that is no silence of the server's.
  void excuse_silence(Duration lost, Instant now);
  // Of a repair: all came once more, and exactly as before.
  bool came_as_before() const { return complete_ && recheck_ && recheck_->repaired() == 0; }
  // The bytes were kept in a content coding that nobody asked for, because a digest was given that may be theirs.
  bool kept_coding() const { return kept_coding_; }

  Duration time_paused(Instant now) const { return pause_.in_all(now); }  // for whatever reason
  Duration time_for_a_seat(Instant now) const { return pause_.for_a_seat(now); }
  // An answer of this download did not come to its end, so that a server may still hold a seat for it.
  bool was_cut() const { return was_cut_ || holdings_.was_taken_up(); }

 private:
  // In fetch_answers.cpp: while an answer comes.
  Flow on_head(Transfer& transfer, const ResponseHead& head) override;
  Flow on_body(Transfer& transfer, std::span<const std::byte> bytes) override;
  Flow accept(Transfer& transfer, const TakeRange& taken);
  Flow accept(Transfer& transfer, const TakeWhole& taken);
  Flow accept(Transfer& transfer, const TakeEmpty& taken);
  template <typename Refusal>
  Flow accept(Transfer&, const Refusal&);
  void note_server(const ResponseHead& head);
  void note_served(const Transfer& transfer);
  bool settle_target(const ResponseHead& head);
  bool is_taken(const std::filesystem::path& target) const;
  Result<void> take_object(const RemoteObject& object);

  // In fetch.cpp: what is asked, and when.
  void start_requests(Instant now);
  bool may_start() const;
  bool is_too_early(Instant now);
  Result<void> start(const Question& question, Instant now);
  std::optional<Question> next_question(Instant now) const;
  IntervalSet on_the_way() const;
  std::uint64_t share_of_rate() const;
  void share_rate();
  // A download that has begun is finished, whatever its deadline says.
  bool has_begun() const { return served_before_ || holdings_.held_bytes() > 0; }
  const Shape& shape() const { return holdings_.facts().shape; }
  std::optional<WallTime> deadline() const;

  void notice_sleep(Instant now);
  Duration patience_with(const Transfer& transfer) const;
  std::optional<double> bytes_beside(const Transfer& transfer, Instant now) const;
  bool watches_ranges(Instant now) const;
  void drop_stalled(Instant now);
  void drop_far_slower(Instant now);
  void drop_ranges_beside_stream();
  void give_up(Error error);
  void cancel_all();
  std::filesystem::path shown_target() const;

  // In fetch_doubts.cpp: whether it is the same object, and whether ranges can be had.
  std::optional<RemoteObject> known() const;
  Result<bool> keep(const Transfer& transfer, std::span<const std::byte> bytes, Instant now);
  void settle_changed(const Transfer& transfer, const ObjectChanged& changed, Instant now);
  void compare();
  void believe_stream(const Transfer& transfer);
  void end_recheck();
  void decode(const std::string& coding);
  void go_whole(const std::string& why, Instant now);

  // In fetch_ends.cpp: what ends mean.
  void settle(Transfer& transfer, Instant now);
  void settle_served(Transfer& transfer, Instant now);
  void came_whole(const Transfer& transfer, Instant now);
  void settle_end_without_head(Transfer& transfer, Instant now);
  void settle_refused(Transfer& transfer, const NotServed& refused, Instant now);
  void settle_redirect(const Transfer& transfer, const Redirected& redirected, Instant now);
  void failed(Transfer& transfer, Failure failure, const QueueNotice& notice, Instant now);
  bool a_sibling_is_served() const;
  bool takes_fewer_connections(const Transfer& transfer, const Failure& failure, const QueueNotice& notice,
                               Instant now);
  bool bears_fewer(const Transfer& transfer, Instant now);
  void pause_until(Instant until, const Error& why, const QueueNotice& notice, Instant now);
  std::optional<Error> beyond_bounds(const PlannedWait& wait, Instant now) const;
  Duration spent(Instant now) const { return waited_before_ + pause_.for_a_seat(now); }
  Result<void> record_place(Instant now);
  Result<void> record_waiting(Instant now);
  Instant within_bounds(Instant until, Instant asked, Instant now) const;

  const Platform& platform_;
  const Job& job_;
  Holdings& holdings_;
  Route route_;
  RangePlan plan_;
  RetryBudget budget_;
  std::list<Transfer> transfers_;  // addresses stay: the transport holds them
  Pause pause_;
  const Duration waited_before_;  // for a seat, by earlier runs
  Instant recorded_waiting_{};
  Instant last_look_;
  Instant watched_;  // when the paces of ranges were compared last
  ConnectionCount connections_;
  std::uint64_t counted_url_ = 0;  // Route::version of which `served_by_url_` counts
  unsigned served_by_url_ = 0;
  Instant lowered_{};  // because of a fault, the last time
  std::optional<Recheck> recheck_;
  std::optional<FinishedRange> finished_;  // the newest
  const std::string own_coding_;           // that the target's name tells
  std::size_t sharing_ = 0;                // so many share the rate
  bool alone_ = true;                      // one request asks alone until it is served
  bool window_open_ = false;               // --not-before has come
  bool whole_ = false;                     // one plain stream instead of ranges
  bool stream_decides_ = false;            // whether it is the same object: by its bytes, whatever its names
  bool conditional_ = true;                // If-Range is understood, as far as we know
  bool decoded_ = false;                   // the transport takes the content coding off
  bool kept_coding_ = false;
  bool asked_before_ = false;
  bool served_before_ = false;
  bool was_cut_ = false;
  unsigned busy_in_a_row_ = 0;  // without anything served in between, as the next one
  unsigned weather_in_a_row_ = 0;
  unsigned changes_in_a_row_ = 0;
  unsigned refusals_in_a_row_ = 0;
  unsigned comparisons_ = 0;
  unsigned wholes_in_a_row_ = 0;    // answers that speak against ranges
  unsigned resolves_in_a_row_ = 0;  // back to the first URL without new bytes
  bool streamed_before_ = false;    // a plain stream has been begun
  bool complete_ = false;
  std::optional<std::string> found_name_;
  std::optional<Error> failure_;
};

}  // namespace arkvory
