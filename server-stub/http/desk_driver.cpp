// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/desk_driver.h"

#include <array>
#include <boost/asio/post.hpp>
#include <utility>

namespace arkvory::server {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Around the 50 ms from which on a tick is a long one (L2).
constexpr std::array<Duration, 9> kTickTimes{microseconds(100), microseconds(500), milliseconds(1),
                                             milliseconds(5),   milliseconds(10),  milliseconds(50),
                                             milliseconds(100), milliseconds(500), seconds(1)};

}  // namespace

std::optional<Instant> end_of_grace(KeyStore& keys, const Clock& clock, Duration grace) {
  const auto issued = keys.last_issued();
  // Where that can't be known, those who may be in line are waited for.
  if (!issued) return clock.now() + grace;
  if (!*issued) return std::nullopt;
  // The note may be older than the last ticket by the time between notes.
  const auto age = clock.wall_now() - **issued;
  if (age > kTicketLife + TicketOffice::kNoteEvery) return std::nullopt;
  return clock.now() + grace;
}

DeskDriver::DeskDriver(boost::asio::io_context& io, WorkerPool& workers, QueueDesk& desk, KeyStore& keys,
                       const Clock& clock, Log& log)
    : io_(io), workers_(workers), desk_(desk), keys_(keys), clock_(clock), log_(log), timer_(io), ticks_(kTickTimes) {}

void DeskDriver::start(std::function<void()> after_tick) {
  after_tick_ = std::move(after_tick);
  key_looked_for_ = clock_.now();
  on_key(keys_.ticket_key());
  wait(kTick);
}

void DeskDriver::wait(Duration pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void DeskDriver::tick() {
  const auto begun = clock_.now();
  desk_.tick();
  after_tick_();
  last_tick_ = clock_.now() - begun;
  ticks_.add(last_tick_);
  if (!desk_.tickets().has_key() && begun - key_looked_for_ >= kLookForKeyEvery) look_for_key();
  if (!is_store_busy_ && desk_.tickets().is_note_due(begun)) note_issued();
  wait(last_tick_ > kLongTick ? 10 * last_tick_ : kTick);
}

void DeskDriver::look_for_key() {
  if (is_store_busy_) return;
  is_store_busy_ = true;
  key_looked_for_ = clock_.now();
  workers_.run([this] { boost::asio::post(io_, [this, key = keys_.ticket_key()] { on_key(key); }); });
}

void DeskDriver::note_issued() {
  is_store_busy_ = true;
  workers_.run([this, now = clock_.wall_now()] {
    boost::asio::post(io_, [this, noted = keys_.note_issued(now)] { on_noted(noted); });
  });
}

void DeskDriver::on_key(const Result<TicketKey>& key) {
  is_store_busy_ = false;
  if (!key) return tell_problem(key.error());
  problem_.clear();
  desk_.tickets().use(*key);
}

void DeskDriver::on_noted(const Result<void>& noted) {
  is_store_busy_ = false;
  if (!noted) desk_.tickets().note_failed();
  if (!noted) return tell_problem(noted.error());
  problem_.clear();
  if (!has_noted_) log_.info("queue_noted");  // from now on a restart knows that there were tickets
  has_noted_ = true;
}

void DeskDriver::tell_problem(const Error& error) {
  if (problem_ != error.words) log_.warn("store_failing", {{"problem", error.text()}});
  problem_ = error.words;
}

}  // namespace arkvory::server
