// SPDX-License-Identifier: Apache-2.0
// What is done with an answer while it comes: its head is judged before a byte of it is written.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/engine/fetch.h"
#include "core/engine/file_names.h"
#include "core/http/file_name.h"
#include "core/protocol/header_names.h"
#include "core/protocol/problem.h"

namespace arkvory {

namespace {

bool is_ours(const Headers::Field& field) {
  return equal_ignoring_case(std::string_view(field.name).substr(0, header::kPrefix.size()), header::kPrefix);
}

}  // namespace

Flow Fetch::on_head(Transfer& transfer, const ResponseHead& head) {
  transfer.last_activity = platform_.clock.now();
  if (transfer.at_first_origin) note_server(head);
  transfer.verdict = check_response(transfer.question, known(), head, platform_.clock.wall_now());
  const bool served = std::holds_alternative<TakeRange>(*transfer.verdict) ||
                      std::holds_alternative<TakeWhole>(*transfer.verdict) ||
                      std::holds_alternative<TakeEmpty>(*transfer.verdict);
  if (served) {
    if (!settle_target(head)) return Flow::stop;
    note_served(transfer);
    if (std::holds_alternative<TakeRange>(*transfer.verdict)) wholes_in_a_row_ = changes_in_a_row_ = 0;
  }
  return std::visit([&](const auto& verdict) { return accept(transfer, verdict); }, *transfer.verdict);
}

// What the first URL's own server tells of itself; what others say of tickets is none of ours.
// Whether it is an Arkvory server is for the newest answer that is no refusal to tell: a gate may refuse in front of
// another server, and another server may have taken the place of ours.
void Fetch::note_server(const ResponseHead& head) {
  const auto& headers = head.headers;
  const bool ours = std::any_of(headers.fields().begin(), headers.fields().end(), is_ours);
  if (ours || (head.status >= 200 && head.status < 400)) holdings_.remember_arkvory(ours);
  const auto text = headers.first(header::kQueueTicket);
  const auto ticket = text ? Ticket::parse(*text) : std::nullopt;
  if (ticket) holdings_.remember_ticket({*ticket, platform_.clock.wall_now()});
}

void Fetch::note_served(const Transfer& transfer) {
  // One that asked a URL that has been given up since tells nothing of the new one: else several would ask for it (D1).
  if (transfer.route == route_.version()) {
    if (std::exchange(counted_url_, transfer.route) != transfer.route) served_by_url_ = 0;
    ++served_by_url_;
    // Nor while everything waits: then one asks when the time has come.
    if (!pause_.is_on()) alone_ = false;
    route_.arrived();
  }
  served_before_ = true;
  busy_in_a_row_ = 0;
  weather_in_a_row_ = 0;
  refusals_in_a_row_ = 0;
  holdings_.remember_place(std::nullopt);
}

// The first answer may name the target. Where something stands at that name already, the download looks first.
bool Fetch::settle_target(const ResponseHead& head) {
  if (holdings_.is_open() && !holdings_.is_provisional()) return true;
  const auto name = file_name_for(head.headers, job_.url);
  const auto target = job_.folder / name;
  const bool stays = holdings_.is_open() && holdings_.target() == target;
  if (!stays && is_taken(target)) {
    if (auto left = holdings_.abandon(); !left) give_up(left.error());
    found_name_ = name;
    return false;
  }
  auto opened = holdings_.is_open() ? holdings_.settle_at(target) : holdings_.open(target);
  if (opened) return true;
  // The download itself waits until it is free.
  if (opened.error().fault == Fault::locked && job_.wait_lock)
    found_name_ = name;
  else
    give_up(opened.error());
  return false;
}

// Something stands there that has to be looked at first.
bool Fetch::is_taken(const std::filesystem::path& target) const {
  for (const auto& path : {target, checkpoint_path(target)}) {
    auto there = platform_.files.status(path);
    if (!there || *there) return true;
  }
  return false;
}

Result<void> Fetch::take_object(const RemoteObject& object) {
  if (recheck_) return {};  // nothing is learned of an object that is only compared
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
  // Nobody asked for the coding. A digest may be that of the encoded bytes, as of a `.gz` that a server labels so: they
  // are kept then, and decoded only where it does not fit.
  if (!taken.coding.empty() && !shape().sha256) {
    transfer.verdict = AskDecoded{taken.coding};
    return Flow::stop;
  }
  kept_coding_ = !taken.coding.empty();
  // To a question for a range, with nothing held: the first such answer becomes the single stream, the others end.
  if (!whole_ && holdings_.held_bytes() > 0) {
    transfer.verdict = AskWhole{"ranges are ignored"};
    return Flow::stop;
  }
  whole_ = true;
  if (recheck_) recheck_->begin_again();
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
    const auto room = kLongestProblem - std::min(kLongestProblem, transfer.words.size());
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
  const auto held_before = holdings_.held_bytes();
  const auto kept = keep(transfer, bytes, now);
  if (!kept) {
    transfer.failure = kept.error();
    return Flow::stop;
  }
  if (!*kept) {
    transfer.verdict = ObjectChanged{.how = "its bytes are others than those that are held", .is_proven = true};
    return Flow::stop;
  }
  if (transfer.granted && transfer.new_bytes == 0) plan_.came_at(transfer.position);
  transfer.position += bytes.size();
  transfer.pace.came(bytes.size());
  if (!transfer.granted && holdings_.held_bytes() > held_before) believe_stream(transfer);
  // A stream that begins again at zero brings nothing new.
  if (transfer.granted || !streamed_before_) transfer.new_bytes += bytes.size();
  if (transfer.new_bytes > 0) resolves_in_a_row_ = 0;
  // What comes beyond the stated end is not written; its connection is not used again.
  return bytes.size() < before ? Flow::stop : Flow::go_on;
}

}  // namespace arkvory
