// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/session_table.h"

#include <utility>

#include "core/base/ensure.h"

namespace arkvory::server {

std::optional<SessionIndex> SessionTable::find(const SessionKey& key) const {
  for (auto cell = home(key); cells_[cell] != kEmpty; cell = after(cell))
    if (sessions_[cells_[cell]].key == key) return cells_[cell];
  return std::nullopt;
}

void SessionTable::grow() {
  const auto old = std::exchange(cells_, std::vector<SessionIndex>(2 * cells_.size(), kEmpty));
  size_ = 0;
  for (const auto session : old)
    if (session != kEmpty) add(session);
}

void SessionTable::add(SessionIndex session) {
  if (4 * (size_ + 1) > 3 * cells_.size()) grow();
  auto cell = home(sessions_[session].key);
  while (cells_[cell] != kEmpty) cell = after(cell);
  cells_[cell] = session;
  size_ += 1;
}

void SessionTable::remove(SessionIndex session) {
  auto hole = home(sessions_[session].key);
  while (cells_[hole] != session) {
    ensure(cells_[hole] != kEmpty, "who is removed is in the table");
    hole = after(hole);
  }
  cells_[hole] = kEmpty;
  size_ -= 1;
  // Those behind the hole move up, as far as they would be looked for there.
  for (auto cell = after(hole); cells_[cell] != kEmpty; cell = after(cell)) {
    const auto distance = [&](std::size_t from) { return (cell - from) & (cells_.size() - 1); };
    if (distance(home(sessions_[cells_[cell]].key)) < distance(hole)) continue;
    cells_[hole] = std::exchange(cells_[cell], kEmpty);
    hole = cell;
  }
}

}  // namespace arkvory::server
