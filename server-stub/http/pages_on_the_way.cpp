// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/pages_on_the_way.h"

#include <algorithm>

namespace arkvory::server {

void PagesOnTheWay::handed_over(const std::shared_ptr<ObjectFile>& file, std::uint64_t mark) {
  if (entries_.empty() || entries_.back().file != file) entries_.push_back({file, mark});
  entries_.back().mark = mark;
}

void PagesOnTheWay::arrived(std::uint64_t mark, const ObjectFile* current) {
  while (!entries_.empty() && entries_.front().mark <= mark && entries_.front().file.get() != current) {
    entries_.front().file->let_go();
    entries_.erase(entries_.begin());
  }
}

bool PagesOnTheWay::is_any_wanted() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.file->is_wanted(); });
}

void PagesOnTheWay::forget() {
  for (const auto& entry : entries_) entry.file->let_go();
  entries_.clear();
}

}  // namespace arkvory::server
