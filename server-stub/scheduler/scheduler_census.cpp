// SPDX-License-Identifier: Apache-2.0
// Who is here (protocol.md §5): counted when it is asked for, from the sessions themselves (L5).
#include <algorithm>
#include <tuple>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

Census Scheduler::census(Instant now) const {
  Census census;
  for (SessionIndex index = 0; index < sessions_.size(); ++index) {
    const auto& session = sessions_[index];
    if (!session.is_live) continue;
    auto& count = census[static_cast<std::size_t>(session.download_class)];
    switch (session.state) {
      case SessionState::active: count.active += 1; break;
      case SessionState::parked: count.parked += 1; break;
      case SessionState::waiting:
        count.waiting += 1;
        count.waiting_bytes += wanted(session);
        count.oldest_wait = std::max(count.oldest_wait, now - order_.arrival(index));
    }
  }
  return census;
}

std::vector<PrincipalCount> Scheduler::waiting_principals() const {
  std::vector<PrincipalCount> counts;
  for (const auto& [name, index] : principal_by_name_)
    if (const auto in_line = shares_.waiting(index); in_line > 0)
      counts.push_back({name, static_cast<std::size_t>(in_line), static_cast<std::size_t>(shares_.seats(index))});
  std::sort(counts.begin(), counts.end(), [](const auto& left, const auto& right) {
    return std::tie(right.waiting, left.name) < std::tie(left.waiting, right.name);
  });
  return counts;
}

}  // namespace arkvory::server
