// SPDX-License-Identifier: Apache-2.0
// Where a request's header block ends, and what is refused before a parser sees it (RFC 9112 §2.2, §5.2).
#pragma once

#include <cstddef>
#include <string_view>

namespace arkvory::server {

inline constexpr std::size_t kLongestHeaderBlock = 8 * 1024;  // with the request line and the empty line
inline constexpr std::size_t kLongestTarget = 4 * 1024;

enum class BlockState {
  incomplete,  // nothing wrong so far
  complete,
  malformed,        // 400: a bare LF, a NUL, or a folded line
  target_too_long,  // 414
  block_too_long,   // 431
};

struct HeaderBlock {
  BlockState state = BlockState::incomplete;
  std::size_t begin = 0;  // of the request line: empty lines before it are skipped
  std::size_t end = 0;    // where complete: behind the empty line
};

// Looks at the bytes received so far.
HeaderBlock inspect(std::string_view received);

}  // namespace arkvory::server
