// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/sender.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <limits>
#include <span>
#include <utility>

#include "core/base/ensure.h"
#include "core/base/size.h"
#include "server-stub/http/unacknowledged.h"

namespace arkvory::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Less is copied: a lease and a wait for acknowledgements would cost more.
constexpr std::uint64_t kLeastUncopied = 256 * kKiB;
// Handed over at once, so that no connection keeps the others waiting.
constexpr std::size_t kMostAtOnce = 2 * kMiB;
// Before anything is sent the queue is not worth the asking.
constexpr int kNotAsked = -1;

}  // namespace

Sender::Sender(Wire& wire, WorkerPool& workers, const Limits& limits, const Clock& clock, Pacer* pacer,
               ServerCounts& counts)
    : wire_(wire),
      workers_(workers),
      limits_(limits),
      pacer_(pacer),
      counts_(counts),
      patience_(wire.socket().get_executor(), clock, [this] { look_for_stall(); }),
      pages_(wire, clock, limits, [this] { close(); }) {}

void Sender::send(std::string head, Answer answer, std::optional<Permit> permit, std::shared_ptr<void> owner, Done done,
                  std::shared_ptr<Gate> gate) {
  ensure(owner_ == nullptr, "one answer is sent at a time");
  if (permit) permit_.emplace(std::move(*permit));
  gate_ = std::move(gate);
  owner_ = std::move(owner);
  done_ = std::move(done);
  text_ = std::move(head);
  head_length_ = text_.size();
  sent_text_ = 0;
  sent_ = 0;
  next_ = end_ = 0;
  drop_pieces();
  is_cold_ = has_failed_ = false;
  if (answer.is_body_sent && answer.file) {
    file_ = std::move(answer.file->file);
    next_ = answer.file->begin;
    end_ = answer.file->end;
    if (may_go_uncopied()) pages_.begin(file_, owner_);
  } else if (answer.is_body_sent) {
    text_ += answer.text;
  }
  if (pacer_ != nullptr) pacer_->charge(text_.size());
  if (pacer_ != nullptr && has_unread())
    stream_ = pacer_->open(permit_ ? permit_->order() : 0, permit_ ? permit_->outside_class() : std::nullopt,
                           [this](std::uint64_t bytes) { on_allowed(bytes); });
  if (has_unread() && !pages_.may_send()) read_from_memory();  // to go out with the head
  watch_for_stall(kNotAsked);
  pump();
}

void Sender::close() {
  // The kernel would go on sending what is in pages that may change from now on.
  if (!pages_.has_settled()) wire_.set_reset();
  wire_.close();
  pages_.stop();
  abandon();
  patience_.release();
}

void Sender::abandon() {
  if (owner_ == nullptr) return;
  has_failed_ = true;
  finish();
}

// Starts whatever may start; called after everything that ended.
void Sender::pump() {
  if (!is_writing_ && (has_lost_permit() || is_cut_by_gate())) return abandon();
  if (!is_writing_ && !has_unsent() && back_.has_unsent()) std::swap(front_, back_);
  if (!is_writing_ && !has_unsent() && !is_reading_ && has_unread()) send_from_memory();
  if (!is_writing_ && has_unsent()) write_or_ask();
  if (!is_writing_ && !has_unsent() && !is_reading_ && !has_unread()) return finish();
  if (!is_reading_ && has_unread() && !back_.has_unsent() && (is_cold_ || !(is_writing_ || has_unsent() || has_asked_)))
    start_reading();
}

bool Sender::may_go_uncopied() const {
  if (gate_ || wire_.is_secure() || end_ - next_ < kLeastUncopied) return false;
  return !limits_.copies_for_local || !wire_.is_local();
}

// Requires that nothing is being sent.
void Sender::send_from_memory() {
  if (pages_.may_send()) return send_uncopied();
  read_from_memory();
}

void Sender::send_uncopied() {
  is_cold_ = false;
  auto most = std::min<std::uint64_t>(kMostAtOnce, end_ - next_);
  if (stream_) most = std::min(most, allowance_);
  if (most == 0) return ask_for_allowance();
  const auto count = file_->send_cached(wire_.socket().native_handle(), next_, static_cast<std::size_t>(most));
  is_cold_ = !count;
  if (!count) return;
  has_failed_ = !*count;
  if (has_failed_) return;
  next_ += **count;
  counts_.sent_bytes += **count;
  pages_.wrote_from_pages(**count);
  charge_file(**count);
  if (has_unread()) wait_until_writable();
}

void Sender::wait_until_writable() {
  is_writing_ = true;
  if (permit_) permit_->offer(true);
  wire_.socket().async_wait(asio::ip::tcp::socket::wait_write, [this, owner = owner_](const error_code& error) {
    is_writing_ = false;
    if (owner_ == nullptr) return;  // abandoned meanwhile
    if (permit_) permit_->offer(false);
    if (error) return abandon();
    pump();
  });
}

// Requires that nothing is being sent from the front.
void Sender::read_from_memory() {
  if (!front_.bytes) front_.bytes = std::make_unique_for_overwrite<std::byte[]>(kPiece);
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, end_ - next_));
  const auto count = file_->read_cached(next_, std::span(front_.bytes.get(), length));
  is_cold_ = !count;
  if (!count) return;
  has_failed_ = !*count;
  if (has_failed_) return;
  front_.filled = **count;
  front_.sent = 0;
  next_ += **count;
}

void Sender::start_reading() {
  is_reading_ = true;
  if (!back_.bytes) back_.bytes = std::make_unique_for_overwrite<std::byte[]>(kPiece);
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, end_ - next_));
  // The owner goes back with the outcome, so that it never ends on the worker.
  workers_.run([this, owner = owner_, file = file_, into = std::span(back_.bytes.get(), length), at = next_]() mutable {
    auto outcome = file->read(at, into);
    asio::post(wire_.socket().get_executor(), [this, held = std::move(owner), outcome = std::move(outcome),
                                               size = into.size()] { on_read(outcome, size); });
  });
}

void Sender::on_read(const Result<void>& outcome, std::size_t length) {
  is_reading_ = false;
  if (owner_ == nullptr) return;  // abandoned meanwhile
  if (!outcome) has_failed_ = true;
  if (outcome) {
    back_.filled = length;
    back_.sent = 0;
    next_ += length;
  }
  pump();
}

void Sender::write_or_ask() {
  const auto most = gate_ ? ask_gate() : std::numeric_limits<std::uint64_t>::max();
  if (most == 0) return;
  if (!stream_ || sent_text_ < text_.size() || allowance_ > 0) return start_writing(most);
  ask_for_allowance();
}

// Its call may come when its answer has ended, and another one runs.
std::uint64_t Sender::ask_gate() {
  return gate_->allowance(sent_, [this, owner = owner_, gate = gate_.get()] {
    if (gate_.get() == gate) pump();
  });
}

void Sender::ask_for_allowance() {
  if (has_asked_) return;
  has_asked_ = true;
  pacer_->want(*stream_,
               front_.has_unsent() ? front_.filled - front_.sent : std::min<std::uint64_t>(kPiece, end_ - next_));
}

void Sender::on_allowed(std::uint64_t bytes) {
  has_asked_ = false;
  allowance_ += bytes;
  pump();
}

void Sender::start_writing(std::uint64_t most) {
  is_writing_ = true;
  if (permit_) permit_->offer(true);
  const auto of_text = std::min<std::uint64_t>(text_.size() - sent_text_, most);
  const auto unsent = std::min<std::uint64_t>(front_.filled - front_.sent, most - of_text);
  const std::array<asio::const_buffer, 2> rest{
      asio::buffer(text_.data() + sent_text_, of_text),
      asio::buffer(front_.bytes.get() + front_.sent, stream_ ? std::min<std::uint64_t>(unsent, allowance_) : unsent)};
  wire_.write_some(rest,
                   [this, owner = owner_](const error_code& error, std::size_t count) { on_written(error, count); });
}

void Sender::on_written(const error_code& error, std::size_t count) {
  is_writing_ = false;
  pages_.wrote(count);
  counts_.sent_bytes += count;
  if (owner_ == nullptr) return;  // abandoned meanwhile
  const auto of_text = std::min(count, text_.size() - sent_text_);
  sent_text_ += of_text;
  sent_ += of_text;
  front_.sent += count - of_text;
  if (permit_) permit_->offer(false);
  charge_file(count - of_text);
  if (error) return abandon();
  pump();
}

void Sender::charge_file(std::uint64_t bytes) {
  sent_ += bytes;
  if (stream_) allowance_ -= bytes;
  if (permit_) permit_->sent(bytes);
}

void Sender::watch_for_stall(int queued) {
  sent_before_ = sent_;
  queued_before_ = queued;
  patience_.set(limits_.send_stall, owner_);
}

void Sender::look_for_stall() {
  if (owner_ == nullptr || !wire_.socket().is_open()) return;
  const auto queued = unacknowledged(wire_.socket());
  if (!is_writing_ || sent_ != sent_before_ || queued != queued_before_) return watch_for_stall(queued);
  close();
}

// The back one stays while a worker still reads into it.
void Sender::drop_pieces() {
  front_ = Piece{};
  if (!is_reading_) back_ = Piece{};
}

void Sender::finish() {
  patience_.clear();
  pages_.end();
  const Outcome outcome{!has_failed_ && !has_unsent() && next_ == end_,
                        sent_ - std::min<std::uint64_t>(sent_, head_length_)};
  file_.reset();
  if (gate_) gate_->stop();
  gate_.reset();
  drop_pieces();
  if (stream_) pacer_->close(*stream_, allowance_);
  stream_.reset();
  allowance_ = 0;
  has_asked_ = false;
  if (permit_ && outcome.is_complete) std::move(*permit_).complete();
  permit_.reset();
  const auto owner = std::exchange(owner_, nullptr);
  const auto done = std::exchange(done_, nullptr);
  done(outcome);
}

}  // namespace arkvory::server
