// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/class_gates.h"

#include <algorithm>
#include <utility>

namespace arkvory::server {

ClassGates::ClassGates(std::shared_ptr<const ClassWindows> windows, Instant now, WallTime wall)
    : windows_(std::move(windows)), offset_(wall.time_since_epoch() - now.time_since_epoch()) {
  look(now);
}

void ClassGates::change(std::shared_ptr<const ClassWindows> windows, Instant now) {
  windows_ = std::move(windows);
  look(now);
}

void ClassGates::set_wall(Instant now, WallTime wall) {
  const auto offset = wall.time_since_epoch() - now.time_since_epoch();
  // The two clocks drift apart by less than this between two looks, unless one was set.
  constexpr Duration kSame = std::chrono::milliseconds(100);
  if (offset - offset_ < kSame && offset_ - offset < kSame) return;
  offset_ = offset;
  look(now);
}

void ClassGates::look(Instant now) {
  next_change_.reset();
  for (std::size_t i = 0; i < kClasses; ++i) {
    auto& gate = gates_[i];
    const auto name = static_cast<DownloadClass>(i);
    const bool was_barred = is_barred(name);
    gate.is_inside = windows_ == nullptr || windows_->is_open(name, wall(now));
    gate.share_ppm = windows_ == nullptr ? 0 : windows_->outside_share_ppm(name);
    gate.next.reset();
    if (windows_ != nullptr && windows_->has_any(name))
      if (const auto next = windows_->next_change(name, wall(now))) gate.next = instant(*next);
    if (gate.next && (!next_change_ || *gate.next < *next_change_)) next_change_ = gate.next;
    if (was_barred && !is_barred(name)) gate.barred += now - gate.barred_since;
    if (!was_barred && is_barred(name)) gate.barred_since = now;
  }
}

void ClassGates::follow(Instant now, std::vector<DownloadClass>& changed) {
  if (!next_change_ || now < *next_change_) return;
  std::array<bool, kClasses> before{};
  for (std::size_t i = 0; i < kClasses; ++i) before[i] = gates_[i].is_inside;
  look(now);
  for (std::size_t i = 0; i < kClasses; ++i)
    if (gates_[i].is_inside != before[i]) changed.push_back(static_cast<DownloadClass>(i));
}

std::optional<Duration> ClassGates::until_open(DownloadClass name, Instant now) const {
  if (!is_barred(name)) return Duration(0);
  const auto& next = gate(name).next;
  if (!next) return std::nullopt;
  return std::max(*next - now, Duration(0));
}

Duration ClassGates::barred_between(DownloadClass name, Instant from, Instant to) const {
  Duration barred{0};
  if (windows_ == nullptr || gate(name).share_ppm > 0) return barred;
  while (from < to) {
    const auto change = windows_->next_change(name, wall(from));
    const auto until = change ? std::min(instant(*change), to) : to;
    if (!windows_->is_open(name, wall(from))) barred += until - from;
    from = until;
  }
  return barred;
}

Duration ClassGates::barred(DownloadClass name, Instant now) const {
  return gate(name).barred + (is_barred(name) ? now - gate(name).barred_since : Duration(0));
}

}  // namespace arkvory::server
