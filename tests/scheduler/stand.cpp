// SPDX-License-Identifier: Apache-2.0
#include "tests/scheduler/stand.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/ensure.h"

namespace arkvory::server {

SessionKey key_of(const std::string& client) {
  SessionKey key;
  ensure(client.size() <= key.bytes.size(), "names of clients are short");
  std::transform(client.begin(), client.end(), key.bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return key;
}

namespace {

Arrival arrival_of(const std::string& client, const Wish& wish, std::int64_t stamp) {
  Arrival arrival;
  arrival.key = key_of(client);
  arrival.principal = wish.principal;
  arrival.has_download_id = wish.has_download_id;
  arrival.download_class = wish.download_class;
  arrival.size = wish.size;
  arrival.wanted = wish.wanted.value_or(ByteRange(0, wish.size));
  arrival.is_tail_read = wish.is_tail_read;
  arrival.stamp = stamp;
  arrival.ticket = wish.ticket;
  return arrival;
}

}  // namespace

Stand::~Stand() {
  seats.clear();
  for (const auto& [client, wish] : held_)
    if (scheduler.is_live(ids.at(client))) scheduler.vanish(ids.at(client), now);
  held_.clear();
  for (int minute = 0; minute < 60; ++minute) {
    now += std::chrono::minutes(1);
    scheduler.tick(now, changes);
    settle();
  }
  scheduler.check_invariants();
  CHECK(scheduler.active() == 0);
  CHECK(scheduler.waiting() == 0);
}

bool Stand::ask(const std::string& client, const Wish& wish) {
  refused.reset();
  const auto arrival = arrival_of(client, wish, next_stamp++);
  const auto came = scheduler.arrive(arrival, now);
  if (const auto* no = std::get_if<Refused>(&came)) {
    refused = *no;
    return false;
  }
  const auto id = std::get<SessionId>(came);
  ids[client] = id;
  settle(client);
  auto seat = scheduler.take(id, arrival.wanted);
  if (seat) {
    lengths_[client] = arrival.wanted.length();
    seats.emplace(client, std::move(*seat));
  } else if (scheduler.state(id) == SessionState::waiting) {
    notices[client] = scheduler.tell(id, now);
  } else {
    scheduler.dismiss(id, now);
  }
  scheduler.check_invariants();
  return seats.count(client) != 0;
}

SessionId Stand::hold(const std::string& client, const Wish& wish) {
  const auto came = scheduler.arrive(arrival_of(client, wish, next_stamp++), now);
  const auto id = std::get<SessionId>(came);
  ids[client] = id;
  held_[client] = wish;
  settle();
  return id;
}

// `asking`: a client that takes its seat itself.
void Stand::settle(const std::string& asking) {
  const auto begin = changes.size();
  scheduler.settle(now, changes);
  for (auto i = begin; i < changes.size(); ++i) {
    if (changes[i].kind != Change::Kind::granted) continue;
    const auto id = changes[i].session;
    if (!asking.empty() && ids.at(asking) == id) {
      granted_.push_back(asking);
      continue;
    }
    for (const auto& [client, wish] : held_) {
      if (ids.at(client) != id) continue;
      granted_.push_back(client);
      const auto range = wish.wanted.value_or(ByteRange(0, wish.size));
      auto seat = scheduler.take(id, range);
      ensure(seat.has_value(), "who was granted a seat can take it");
      lengths_[client] = range.length();
      seats.emplace(client, std::move(*seat));
      held_.erase(client);
      break;
    }
  }
}

void Stand::send(const std::string& client, std::uint64_t bytes) {
  seats.at(client).sent(bytes);
  lengths_.at(client) -= bytes;
}

void Stand::end(const std::string& client) {
  auto& seat = seats.at(client);
  seat.sent(lengths_.at(client));
  std::move(seat).complete();
  seats.erase(client);
  settle();
  scheduler.check_invariants();
}

void Stand::cut(const std::string& client, std::uint64_t sent) {
  seats.at(client).sent(sent);
  seats.erase(client);
  settle();
  scheduler.check_invariants();
}

bool Stand::cancel(const std::string& client) {
  const bool was_there = scheduler.cancel(key_of(client), now);
  settle();
  scheduler.check_invariants();
  return was_there;
}

void Stand::run(Duration time) {
  for (const auto end = now + time; now < end;) {
    now = std::min(now + kTick, end);
    scheduler.tick(now, changes);
    settle();
  }
  scheduler.check_invariants();
}

}  // namespace arkvory::server
