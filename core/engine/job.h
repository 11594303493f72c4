// SPDX-License-Identifier: Apache-2.0
// What a user asked for: one object, one target, and how to go about it. A value; nothing here changes in a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/size.h"
#include "core/http/headers.h"
#include "core/http/url.h"
#include "core/wait/time_argument.h"

namespace arkvory {

// The options that shape a download. They are kept in the checkpoint, so that `resume` goes on as it began.
struct Shape {
  std::optional<Sha256Digest> sha256{};  // the digest the user expects
  unsigned connections = 4;              // ranges at once, 1 to 16
  std::uint64_t range_size = 8 * kMiB;   // at least 64 KiB
  unsigned max_retries = 20;             // faults in all
  unsigned max_attempts = 10;            // faults in a row on one range
  Duration connect_timeout = std::chrono::seconds(30);
  Duration stall_timeout = std::chrono::seconds(60);
  std::optional<std::uint64_t> max_size{};
  std::string download_class{};           // Arkvory-Download-Class; empty: none
  bool remote_time = false;               // the file's time from Last-Modified
  bool raw = false;                       // bytes that come encoded are kept as they are
  bool force = false;                     // replace an existing target once the new file is whole
  std::uint64_t limit_rate = 0;           // bytes a second, of all connections together; 0: none
  std::optional<GivenTime> not_before{};  // no request before it
  std::optional<GivenTime> not_after{};   // a download that has not begun by then ends
  std::optional<Duration> wait_limit{};   // the longest wait for a seat, over all runs

  // Where secrets come from; never the secrets themselves (client.md, Secrets).
  std::filesystem::path token_file{};
  std::vector<std::filesystem::path> header_files{};
  std::vector<std::string> header_names{};  // names of plain `-H` headers, whose values are not kept

  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Job {
  Url url;                       // the first URL, userinfo included until it is sent
  std::filesystem::path folder;  // absolute; where the target stands
  std::string name{};            // the target's name; empty: named by the answer
  Shape shape{};
  Headers headers{};       // extra request headers, Authorization among them; for the first URL's origin only
  bool resume = true;      // go on from a checkpoint; false: set it aside and begin again
  bool resumed = false;    // named by what an earlier run recorded, which may have been a guess
  bool wait_lock = false;  // where another process works on the target, wait for it to end
};

}  // namespace arkvory
