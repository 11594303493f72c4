// SPDX-License-Identifier: Apache-2.0
// A download's state as the text of `NAME.arkvory`. The format is described in FORMAT.md; a change touches that page,
// `kCheckpointFormat` and a test that still reads the old form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "checkpoint/owner.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/engine/progress_log.h"

namespace arkvory {

inline constexpr unsigned kCheckpointFormat = 3;
inline constexpr std::size_t kLargestCheckpoint = 16 << 20;  // bytes of text

struct Checkpoint {
  SavedProgress progress;
  Owner writer{};
  WallTime written{};

  // It says that its writer was at work: the last run did not come to an end of its own.
  bool says_running() const { return progress.facts.last_error.empty(); }
};

// The text, below kLargestCheckpoint whatever is held. Times and durations are kept to the millisecond; userinfo is
// never written.
// Claims beyond the object's size, blocks that do not lie whole within the claims, and what is more than the format
// has room for (50,000 ranges, 500,000 blocks) are left out: a checkpoint may claim less than is held, never more.
std::string encode_checkpoint(const Checkpoint& checkpoint);

// Fault::state where the text is of a newer version (`is_newer_checkpoint` then holds) or damaged in any way. `name` is
// for the message. Never throws.
Result<Checkpoint> decode_checkpoint(std::string_view text, std::string_view name);

// The text was written by a newer version of this program: not to be touched.
bool is_newer_checkpoint(std::string_view text);

// Appends the last line with the checksum over `body`, all lines before it. For the encoder, and for tests that need
// wrong fields under a right checksum.
std::string seal_checkpoint(std::string body);

}  // namespace arkvory
