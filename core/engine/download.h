// SPDX-License-Identifier: Apache-2.0
// One download from the first look at the target to its last event: a machine of stages that never waits itself.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/engine/batch.h"
#include "core/engine/farewell.h"
#include "core/engine/fetch.h"
#include "core/engine/holdings.h"
#include "core/engine/rate_meter.h"

namespace arkvory {

class Download {
 public:
  Download(const Platform& platform, Job job);
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  // Does what can be done now.
  void advance();
  // When `advance` must be called again, if nothing happens before. Not after it is done.
  Instant next_deadline() const;
  // Stops, with everything that is held on disk.
  void interrupt(int signal);

  bool is_done() const { return std::holds_alternative<Done>(stage_); }
  const Outcome& outcome() const { return std::get<Done>(stage_).outcome; }

 private:
  // Looks at what stands under the target's name, if that is known.
  struct Opening {};
  // Something stands there: is it what is wanted already?
  struct ComparingTarget {
    std::shared_ptr<File> file;
    std::unique_ptr<PrefixDigest> digest;
  };
  struct Fetching {
    std::unique_ptr<Fetch> fetch;
  };
  // All bytes are held; the digest is on its way.
  struct Verifying {};
  // All is well and told; only the server has still to hear that its seat is free.
  struct Leaving {
    Outcome outcome;
  };
  struct Done {
    Outcome outcome;
  };

  void go_on(Opening&);
  void go_on(ComparingTarget& comparing);
  void go_on(Fetching& fetching);
  void go_on(Verifying&);
  void go_on(Leaving& leaving);
  void go_on(Done&) {}

  void look_at(const FileStatus& standing);
  void begin_fetching();
  void verify();
  void take_leave();
  bool keep_state(Instant now);  // false: that failed, and ended it
  void report_progress(Instant now);
  void succeed(std::optional<Sha256Digest> sha256, std::uint64_t bytes);
  void end(Error error, int signal = 0);
  void tell_start();
  void tell_notes();
  std::filesystem::path target() const;  // the folder while the name is not known
  Outcome ending() const;

  const Platform& platform_;
  Job job_;
  DownloadId id_;
  std::unique_ptr<Holdings> holdings_;
  std::variant<Opening, ComparingTarget, Fetching, Verifying, Leaving, Done> stage_;
  std::optional<Farewell> farewell_;
  RateMeter meter_;
  Instant begun_;
  Instant last_progress_;
  std::uint64_t reported_bytes_ = 0;
  Duration paused_{0};
  Duration in_queue_{0};
  bool told_start_ = false;
};

}  // namespace arkvory
