// SPDX-License-Identifier: Apache-2.0
// The line of those who may take a seat (Exactly 4), for the files of the scheduler that walk it.
#pragma once

#include <array>
#include <vector>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

template <typename Visit>
void Scheduler::visit_line(Instant now, const Visit& visit) const {
  // Whole classes that can't take one are not even looked at: a night's crowd costs nothing by day.
  std::array<bool, kClasses> classes{};
  const bool are_others_out = seats_of_others_ >= static_cast<std::int64_t>(reserved_for_others());
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto name = static_cast<DownloadClass>(i);
    classes[i] = name == DownloadClass::interactive || !are_others_out;
    if (gates_.is_barred(name) && !order_.may_have_aged(name)) classes[i] = false;
  }
  // First those whose principal is below its share.
  auto below = shares_.waiting_below();
  std::vector<SessionIndex> others;
  auto walk = order_.walk(classes);
  for (; !walk.has_ended() && below > 0; walk.next()) {
    const auto index = walk.session();
    const bool is_below = shares_.is_below(sessions_[index].counted_as);
    if (is_below) --below;
    if (!may_take_seat(index, now)) continue;
    if (!is_below)
      others.push_back(index);
    else if (!visit(index))
      return;
  }
  for (const auto index : others)
    if (!visit(index)) return;
  for (; !walk.has_ended(); walk.next())
    if (may_take_seat(walk.session(), now) && !visit(walk.session())) return;
}

}  // namespace arkvory::server
