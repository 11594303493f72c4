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
  std::filesystem::path target() const;  // the folder while the name is not known

 private:
  // How far a whole object whose digest is wrong has been mended (client.md, Trust in ranges). Each is tried once.
  enum class Mending {
    not_begun,
    blocks,   // those that the disk has changed are fetched again
    earlier,  // compared with what an earlier run set aside: if it came so before, it will come so again
    all,      // all is fetched again, and what came wrong is written over
  };

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
  // Another process works on the target (--wait-lock).
  struct AwaitingLock {
    Instant look_again;
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
  void go_on(AwaitingLock& waiting);
  void go_on(Fetching& fetching);
  void go_on(Verifying&);
  void go_on(Leaving& leaving);
  void go_on(Done&) {}

  void look_at_target();
  void look_at(const FileStatus& standing);
  void begin_fetching();
  void await_lock(const Error& locked);
  void fetch(FetchGoal goal);
  void verify();
  void mend(const Error& mismatch);
  void look_at_earlier();
  bool came_so_before();
  void set_aside(Error mismatch);
  void take_leave();
  bool keep_state(Fetch& fetch, Instant now);  // false: that failed, and ended it
  void report_progress(Instant now);
  void succeed(std::optional<Sha256Digest> sha256, std::uint64_t bytes);
  void end(Error error, int signal = 0);
  void tell_start();
  void tell_notes();
  Outcome ending() const;

  const Platform& platform_;
  Job job_;
  DownloadId id_;
  std::unique_ptr<Holdings> holdings_;
  std::variant<Opening, ComparingTarget, AwaitingLock, Fetching, Verifying, Leaving, Done> stage_;
  std::optional<Farewell> farewell_;
  RateMeter meter_;
  Instant begun_;
  Instant last_progress_;
  std::uint64_t reported_bytes_ = 0;
  Duration paused_{0};
  Duration in_queue_{0};
  Duration paused_before_{0};  // by the fetches before this one
  Duration in_queue_before_{0};
  Mending mending_ = Mending::not_begun;
  std::optional<Error> mismatch_;
  std::unique_ptr<PrefixDigest> earlier_;  // of what an earlier run set aside
  bool kept_coding_ = false;
  bool was_cut_ = false;
  bool is_likely_name_ = false;  // it is the URL's, and an earlier run has used it
  bool told_start_ = false;
};

}  // namespace arkvory
