// SPDX-License-Identifier: Apache-2.0
#include "tests/simulate/reference_order.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace arkvory::server::reference {
namespace {

auto is(std::size_t session) {
  return [session](const auto& one) { return one.session == session; };
}

}  // namespace

Order::Order(const SchedulerSettings& settings) : strategy_(settings.strategy) {
  Tag product = 2;  // so that half a byte is whole as well
  for (const auto weight : settings.weights) product *= static_cast<Tag>(weight);
  for (std::size_t i = 0; i < classes_.size(); ++i) classes_[i].byte = product / static_cast<Tag>(settings.weights[i]);
}

void Order::join(const Waiting& waiting) {
  auto& in = classes_[static_cast<std::size_t>(waiting.in)];
  if (in.waiting.empty()) in.given = std::max(in.given, granted_);
  if (fifo(in, waiting.principal).empty()) {
    auto& principal = in.principals[waiting.principal];
    principal.base = principal.last_granted ? std::max(in.round, *principal.last_granted + 1) : in.round;
    principal.ring = waiting.key;
  }
  in.waiting.push_back(waiting);
}

void Order::leave(std::size_t session) {
  auto& in = class_of(session);
  in.waiting.erase(std::find_if(in.waiting.begin(), in.waiting.end(), is(session)));
}

void Order::grant(std::size_t session) {
  auto& in = class_of(session);
  const auto one = *std::find_if(in.waiting.begin(), in.waiting.end(), is(session));
  const auto all = places();
  granted_ = std::max(granted_, std::find_if(all.begin(), all.end(), is(session))->tag);
  in.given += static_cast<Tag>(one.bytes) * in.byte;
  if (strategy_ != Strategy::smallest_first) {
    // Whichever of its sessions it is, the principal's first slot goes.
    auto& principal = in.principals[one.principal];
    principal.last_granted = principal.base;
    in.round = std::max(in.round, *principal.last_granted);
    ++principal.base;
  }
  leave(session);
}

void Order::give_back(DownloadClass in, std::uint64_t bytes) {
  auto& from = classes_[static_cast<std::size_t>(in)];
  from.given -= static_cast<Tag>(bytes) * from.byte;
}

void Order::age(std::size_t session, bool is_aged) {
  auto& all = class_of(session).waiting;
  std::find_if(all.begin(), all.end(), is(session))->is_aged = is_aged;
}

void Order::reopen(DownloadClass in) {
  auto& given = classes_[static_cast<std::size_t>(in)].given;
  given = std::max(given, granted_);
}

std::vector<std::size_t> Order::line() const {
  std::vector<std::size_t> sessions;
  for (const auto& place : places()) sessions.push_back(place.session);
  return sessions;
}

std::vector<Waiting> Order::fifo(const Class& in, const std::string& principal) {
  std::vector<Waiting> own;
  for (const auto& one : in.waiting)
    if (one.principal == principal) own.push_back(one);
  std::sort(own.begin(), own.end(), [](const auto& left, const auto& right) { return left.key < right.key; });
  return own;
}

std::vector<Waiting> Order::ordered(const Class& in) const {
  auto all = in.waiting;
  if (strategy_ == Strategy::smallest_first) {
    std::sort(all.begin(), all.end(), [](const Waiting& left, const Waiting& right) {
      if (left.is_aged != right.is_aged) return left.is_aged;
      if (left.is_aged || left.object_size == right.object_size) return left.key < right.key;
      return left.object_size < right.object_size;
    });
    return all;
  }
  const auto slot = [&in](const Waiting& one) {
    const auto own = fifo(in, one.principal);
    const auto& principal = in.principals.at(one.principal);
    const auto index = std::find_if(own.begin(), own.end(), is(one.session)) - own.begin();
    return std::tuple(principal.base + index, principal.ring);
  };
  std::sort(all.begin(), all.end(),
            [&](const Waiting& left, const Waiting& right) { return slot(left) < slot(right); });
  return all;
}

std::vector<Order::Place> Order::places() const {
  std::vector<Place> served;
  std::array<std::vector<Waiting>, kDownloadClassNames.size()> rest;
  std::array<Tag, kDownloadClassNames.size()> given{};
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    rest[i] = ordered(classes_[i]);
    given[i] = classes_[i].given;
  }
  while (true) {
    std::optional<std::size_t> next;
    Tag least = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i].empty()) continue;
      const auto tag = given[i] + static_cast<Tag>(rest[i].front().bytes) * classes_[i].byte / 2;
      if (next && tag >= least) continue;  // equal tags: the higher class
      next = i;
      least = tag;
    }
    if (!next) return served;
    const auto& one = rest[*next].front();
    served.push_back({one.session, least});
    given[*next] += static_cast<Tag>(one.bytes) * classes_[*next].byte;
    rest[*next].erase(rest[*next].begin());
  }
}

Order::Class& Order::class_of(std::size_t session) {
  for (auto& in : classes_)
    if (std::any_of(in.waiting.begin(), in.waiting.end(), is(session))) return in;
  throw std::logic_error("the session does not wait");
}

}  // namespace arkvory::server::reference
