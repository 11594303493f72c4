// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/page_keeper.h"

#include <algorithm>
#include <utility>

#include "server-stub/http/unacknowledged.h"

namespace arkvory::server {
namespace {

// How long who wants to change a file waits for clients that are slow to take what is on its way.
constexpr Duration kGiveWay = std::chrono::seconds(1);
constexpr Duration kLookWhileGivingWay = std::chrono::milliseconds(5);
constexpr Duration kLook = std::chrono::milliseconds(100);

}  // namespace

PageKeeper::PageKeeper(Wire& wire, const Clock& clock, const Limits& limits, std::function<void()> reset)
    : wire_(wire), clock_(clock), limits_(limits), reset_(std::move(reset)), timer_(wire.socket().get_executor()) {}

bool PageKeeper::begin(std::shared_ptr<ObjectFile> file, const std::shared_ptr<void>& owner) {
  if (!file->hold_still()) return false;
  current_ = std::move(file);
  owner_ = owner;
  pages_.handed_over(current_, written_);
  look();
  return true;
}

void PageKeeper::wrote_from_pages(std::uint64_t bytes) {
  written_ += bytes;
  pages_.handed_over(current_, written_);
}

void PageKeeper::give_way() {
  if (!pages_.is_any_wanted()) return;
  current_.reset();
  if (!gives_way_until_) gives_way_until_ = clock_.now() + kGiveWay;
  look();
}

bool PageKeeper::has_settled() {
  if (pages_.is_empty()) return true;
  pages_.arrived(acknowledged(), current_.get());
  return pages_.is_empty();
}

void PageKeeper::when_settled(std::function<void()> then, std::shared_ptr<void> owner) {
  on_settled_ = [then = std::move(then), owner = std::move(owner)] { then(); };
  look();
}

void PageKeeper::stop() {
  const auto dropped = std::exchange(on_settled_, nullptr);  // it keeps the owner, which keeps this
  current_.reset();
  pages_.forget();
  timer_.cancel();
}

std::uint64_t PageKeeper::acknowledged() {
  const auto waiting = static_cast<std::uint64_t>(unacknowledged(wire_.socket()));
  return written_ - std::min(written_, waiting);
}

// Again and again while something is on its way: nobody tells when a client has acknowledged it.
void PageKeeper::look() {
  if (has_settled()) {
    gives_way_until_.reset();
    last_progress_.reset();
    if (const auto then = std::exchange(on_settled_, nullptr)) then();
    return;
  }
  const auto now = clock_.now();
  const auto arrived = acknowledged();
  if (std::exchange(last_acknowledged_, arrived) != arrived || !last_progress_) last_progress_ = now;
  // A file that is sent from may be waiting for its share of the rate.
  const bool is_given_up = !current_ && now - *last_progress_ > limits_.send_stall;
  if (is_given_up || (gives_way_until_ && now >= *gives_way_until_)) {
    const auto then = std::exchange(on_settled_, nullptr);
    reset_();
    if (then) then();
    return;
  }
  timer_.expires_after(gives_way_until_ ? kLookWhileGivingWay : kLook);
  timer_.async_wait([this, owner = owner_.lock()](const boost::system::error_code& cancelled) {
    if (!cancelled && wire_.socket().is_open()) look();
  });
}

}  // namespace arkvory::server
