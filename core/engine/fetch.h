// SPDX-License-Identifier: Apache-2.0
// Brings the missing bytes of one object: which requests run, what their answers mean, when to ask again.
//
// At most `connections` requests run at once. After a wait, and at the beginning, one asks alone; the others follow
// once it is served. A fault after new bytes holds back its own range only; one that brought nothing makes everything
// wait together, so that an outage costs one fault a round however many connections and ranges there are.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "core/engine/batch.h"
#include "core/engine/holdings.h"
#include "core/engine/range_plan.h"
#include "core/engine/route.h"
#include "core/engine/transfer.h"
#include "core/wait/retry_budget.h"
#include "core/wait/wait_policy.h"

namespace arkvory {

class Fetch final : private TransferOwner {
 public:
  // `holdings` is open, or opens itself when the first answer names the target.
  Fetch(const Platform& platform, const Job& job, Holdings& holdings);
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

  Duration time_waited(Instant now) const;  // in holds, in all

 private:
  struct Hold {
    Instant since;
    Instant until;
  };

  Flow on_head(Transfer& transfer, const ResponseHead& head) override;
  Flow on_body(Transfer& transfer, std::span<const std::byte> bytes) override;
  Flow accept(Transfer& transfer, const TakeRange& taken);
  Flow accept(Transfer& transfer, const TakeWhole& taken);
  Flow accept(Transfer& transfer, const TakeEmpty& taken);
  template <typename Refusal>
  Flow accept(Transfer&, const Refusal&);
  bool settle_target(const ResponseHead& head);
  Result<void> take_object(const RemoteObject& object);

  void start_requests(Instant now);
  Result<void> start(const Question& question, Instant now);
  std::optional<Question> next_question(Instant now) const;
  IntervalSet on_the_way() const;

  void drop_stalled(Instant now);
  void drop_ranges_beside_stream();
  void settle(Transfer& transfer, Instant now);
  void settle_served(Transfer& transfer, Instant now);
  void settle_end_without_head(Transfer& transfer, Instant now);
  void settle_refused(Transfer& transfer, const NotServed& refused, Instant now);
  void settle_redirect(const Transfer& transfer, const Redirected& redirected);
  void settle_changed(const ObjectChanged& changed, Instant now);
  void go_whole(const std::string& why, Instant now);
  void failed(Transfer& transfer, Failure failure, Instant now);
  void hold_until(Instant until, const Error& why, Instant now);
  void give_up(Error error);
  void cancel_all();
  std::filesystem::path shown_target() const;

  const Platform& platform_;
  const Job& job_;
  Holdings& holdings_;
  Route route_;
  RangePlan plan_;
  RetryBudget budget_;
  std::list<Transfer> transfers_;  // addresses stay: the transport holds them
  std::optional<Hold> hold_;
  Duration waited_{0};
  bool alone_ = true;        // one request asks alone until it is served
  bool whole_ = false;       // one plain stream instead of ranges
  bool conditional_ = true;  // If-Range is understood, as far as we know
  bool asked_before_ = false;
  unsigned busy_in_a_row_ = 0;  // without anything served in between, as the next one
  unsigned weather_in_a_row_ = 0;
  unsigned changes_in_a_row_ = 0;
  unsigned wholes_in_a_row_ = 0;    // answers that speak against ranges
  unsigned resolves_in_a_row_ = 0;  // back to the first URL without new bytes
  bool streamed_before_ = false;    // a plain stream has been begun
  bool complete_ = false;
  std::optional<std::string> found_name_;
  std::optional<Error> failure_;
};

}  // namespace arkvory
