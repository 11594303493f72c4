// SPDX-License-Identifier: Apache-2.0
// The port through which a run tells what happens. Views of the command line fulfil it; in tests a list does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/http/url.h"
#include "core/protocol/download_id.h"
#include "core/protocol/queue_notice.h"

namespace arkvory {

// How one download ended.
struct Outcome {
  std::optional<Error> error{};          // absent: complete, verified and under the target's name
  std::uint64_t bytes = 0;               // held: all of the object on success
  std::optional<Sha256Digest> sha256{};  // of the finished file, where it was computed
  int signal = 0;                        // with Fault::interrupted: which one
  Duration in_transfer{0};               // neither waiting nor paused after a fault
  Duration in_queue{0};                  // waiting for a seat or the network
  bool is_of_earlier_run = false;        // nothing was done: an earlier run of the same batch has done it
};

enum class WaitReason { queue, busy, fault, window, network, lock };
std::string_view to_string(WaitReason reason);

struct WaitStatus {
  WaitReason reason = WaitReason::fault;
  WallTime until{};                         // when it asks again (`checkAt`)
  std::optional<std::uint64_t> position{};  // 1 is next
  std::optional<WallTime> starts_at{};
  std::optional<QueueNotice::Span> starts_between{};
  std::string download_class{};
  std::string why{};  // what happened, for people; may be empty
};

struct ProgressStatus {
  std::uint64_t bytes = 0;  // held
  std::optional<std::uint64_t> total{};
  double rate = 0;  // bytes a second over the last few seconds
};

struct StartStatus {
  const Url& url;
  std::uint64_t bytes = 0;  // already held: resumed
  std::optional<std::uint64_t> total{};
  const DownloadId& id;
  std::string likely_name{};  // what the URL calls it, while the answer has yet to name it
};

// `target` is the absolute path; before it is known (named by the answer) the folder's.
class Status {
 public:
  virtual ~Status() = default;
  virtual void started(const std::filesystem::path& target, const StartStatus& start) = 0;
  virtual void waiting(const std::filesystem::path& target, const WaitStatus& wait) = 0;
  virtual void progress(const std::filesystem::path& target, const ProgressStatus& progress) = 0;
  virtual void verifying(const std::filesystem::path& target) = 0;
  // `code` is a stable word for programs, `message` a sentence for people.
  virtual void notice(const std::filesystem::path& target, std::string_view code, std::string_view message) = 0;
  // Exactly once for each download, last.
  virtual void finished(const std::filesystem::path& target, const Outcome& outcome) = 0;
  // The least time between two `progress` calls for one target that this view can use.
  virtual Duration progress_interval() const = 0;
  // Time went by, and perhaps nothing else. Asked for again after `tick_interval` at the latest.
  virtual void tick() {}
  virtual Duration tick_interval() const { return std::chrono::minutes(1); }
};

}  // namespace arkvory
