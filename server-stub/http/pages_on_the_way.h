// SPDX-License-Identifier: Apache-2.0
// Files whose pages the kernel may still send from, because the client has not acknowledged all that was handed over:
// until then they are kept still (ObjectFile::hold_still), or what arrives could be of another content.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

// A mark is a number of bytes since the connection began.
class PagesOnTheWay {
 public:
  PagesOnTheWay() = default;
  ~PagesOnTheWay() { forget(); }
  PagesOnTheWay(const PagesOnTheWay&) = delete;
  PagesOnTheWay& operator=(const PagesOnTheWay&) = delete;

  // The bytes before `mark` are the last of this file so far.
  void handed_over(const std::shared_ptr<ObjectFile>& file, std::uint64_t mark);
  // The client has all before `mark`. Lets the files go that are done with; `current` may send more.
  void arrived(std::uint64_t mark, const ObjectFile* current);
  // Whether someone waits to change one of them.
  bool is_any_wanted() const;
  // Lets all go. Requires that nothing of them is sent any more.
  void forget();

  bool is_empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::shared_ptr<ObjectFile> file;
    std::uint64_t mark;
  };
  std::vector<Entry> entries_;  // oldest first; few, for each has much in the socket's buffer
};

}  // namespace arkvory::server
