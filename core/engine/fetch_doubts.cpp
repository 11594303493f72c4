// SPDX-License-Identifier: Apache-2.0
// What is done where an answer makes one doubt that what is held and what comes are of the same object, or that ranges
// can be had at all (client.md, Trust in ranges): compare, begin anew beside the old, or take one stream.
#include <fmt/format.h>

#include <utility>

#include "core/engine/fetch.h"
#include "core/engine/odd_answers.h"

namespace arkvory {

namespace {

// Each costs up to a block. A server that never agrees with itself is taken at its word in the end.
constexpr unsigned kMostComparisons = 16;

Result<bool> written(const Result<void>& done) {
  if (!done) return pass_on(done.error());
  return true;
}

}  // namespace

std::optional<RemoteObject> Fetch::known() const {
  if (recheck_) return recheck_->expected();
  // Its bytes will tell, as they pass what is held.
  if (whole_ && stream_decides_ && holdings_.size()) return RemoteObject{.size = holdings_.size()};
  return holdings_.facts().object;
}

// Writes what is new and compares what is held. False where the bytes are others.
Result<bool> Fetch::keep(const Transfer& transfer, std::span<const std::byte> bytes, Instant now) {
  if (!recheck_ && transfer.granted) return written(holdings_.write(transfer.position, bytes, now));
  if (!recheck_) return holdings_.take_stream(transfer.position, bytes, now);
  if (recheck_->purpose() == Recheck::Purpose::identity) {
    auto same = holdings_.equals(transfer.position, bytes);
    if (!same || !*same) return same;
  } else {
    const auto repaired = holdings_.repair(transfer.position, bytes, now);
    if (!repaired) return pass_on(repaired.error());
    recheck_->repaired(*repaired);
  }
  const auto end = transfer.position + bytes.size();
  if (const auto came = ByteRange::make(transfer.position, end)) recheck_->came(*came);
  const auto* range = std::get_if<TakeRange>(&*transfer.verdict);
  if (range != nullptr && end >= range->range.end()) recheck_->agreed(range->object);
  return true;
}

// A stream is of the same object once it is beyond what is held: all that could be compared was equal, and the rest is
// dropped.
void Fetch::believe_stream(const Transfer& transfer) {
  changes_in_a_row_ = 0;
  const auto* whole = std::get_if<TakeWhole>(&*transfer.verdict);
  if (!std::exchange(stream_decides_, false) || whole == nullptr) return;
  holdings_.call_it(whole->object);
}

// What calls itself another object may have the same bytes: edge servers have tags of their own. So it is compared
// before what is held is given up; only where its size is another, or it can't be compared, its word counts, once it
// has been heard a few times.
void Fetch::settle_changed(const Transfer& transfer, const ObjectChanged& changed, Instant now) {
  // With nothing to compare yet, the one who is served goes on, and the other asks again in a moment.
  if (transfer.question.range && holdings_.held_bytes() == 0 && a_sibling_is_served())
    return plan_.not_before(transfer.position, now + before_asking_again(1));
  cancel_all();
  alone_ = true;
  const bool was_compared = recheck_ && changed.is_proven;
  if (!was_compared) {
    const bool same_size = changed.object.size && changed.object.size == holdings_.size();
    const bool may_compare = !changed.is_proven && same_size && holdings_.held_bytes() > 0;
    if (may_compare && comparisons_ < kMostComparisons) return compare();
    const auto to_believe = changed.by_range && !changed.contradicts ? kChangesToBelieve : kOddAnswersToBelieve;
    if (++changes_in_a_row_ < to_believe)
      return pause_until(now + before_asking_again(changes_in_a_row_),
                         {Fault::changed, "the remote object seems to have changed: " + changed.how}, {}, now);
    if (changed.contradicts && *changed.object.size > *holdings_.size())
      return give_up(
          {Fault::untrusted, "the server contradicts itself about one version of the object: " + changed.how});
    // What is held may be longer than it should be (B10): where a digest will tell, its surplus is dropped.
    if (changed.contradicts && holdings_.expected_digest() && holdings_.held().contains_all_to(*changed.object.size)) {
      changes_in_a_row_ = 0;
      if (auto shorter = holdings_.shorten_to(*changed.object.size); !shorter) give_up(shorter.error());
      return;
    }
  }
  recheck_.reset();
  changes_in_a_row_ = 0;
  if (auto begun = holdings_.next_generation(changed.how); !begun) return give_up(begun.error());
  platform_.status.notice(shown_target(), "changed",
                          "the remote object changed (" + changed.how + "): beginning again");
  plan_ = RangePlan(std::nullopt, job_.shape.range_size);
  whole_ = false;
  conditional_ = true;
  streamed_before_ = false;
  kept_coding_ = false;
  stream_decides_ = false;
}

void Fetch::compare() {
  ++comparisons_;
  recheck_.emplace(Recheck::Purpose::identity, holdings_.sample(platform_.rng), *holdings_.size());
}

void Fetch::decode(const std::string& coding) {
  if (decoded_) return;  // a sibling has decided already
  cancel_all();
  alone_ = true;
  whole_ = true;
  decoded_ = true;
  // What is held came without a coding: the stream compares it as it passes. Where nothing is, even the size that was
  // told may be that of encoded bytes.
  stream_decides_ = holdings_.held_bytes() > 0;
  if (!stream_decides_ && holdings_.is_open())
    if (auto emptied = holdings_.forget_object(); !emptied) return give_up(emptied.error());
  platform_.status.notice(
      shown_target(), "decoded",
      fmt::format("the server sends the bytes encoded ({}) although that was not asked for: they are "
                  "decoded, in one stream; --raw keeps them as they are",
                  coding));
}

void Fetch::go_whole(const std::string& why, Instant now) {
  if (whole_) return;  // a sibling has decided already
  cancel_all();
  alone_ = true;
  if (holdings_.held_bytes() > 0 && ++wholes_in_a_row_ < kOddAnswersToBelieve)
    return pause_until(now + before_asking_again(wholes_in_a_row_), {Fault::untrusted, why}, {}, now);
  whole_ = true;
  // The stream compares what is held as it passes.
  if (recheck_ && recheck_->purpose() == Recheck::Purpose::identity) {
    recheck_.reset();
    stream_decides_ = true;
  }
  platform_.status.notice(shown_target(), "no_ranges", why + ": one stream, which can only begin at zero");
}

void Fetch::end_recheck() {
  if (recheck_->purpose() == Recheck::Purpose::repair) {
    cancel_all();
    complete_ = true;
    return;
  }
  for (const auto& object : recheck_->agreed()) holdings_.accept_as_same(object);
  recheck_.reset();
  platform_.status.notice(shown_target(), "same_bytes",
                          "what is held was compared with what the server has now, and is the same: going on");
}

}  // namespace arkvory
