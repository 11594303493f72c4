// SPDX-License-Identifier: Apache-2.0
// Hashing part files beside the thread that writes them: as they grow, or block by block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/result.h"
#include "core/engine/block_check.h"

namespace arkvory {

// The SHA-256 of a growing prefix of one file. Bytes below what was given to `extend` must not change any more.
// Destruction gives up; it may wait for one piece (64 KiB) to be read.
class PrefixDigest {
 public:
  virtual ~PrefixDigest() = default;
  // Bytes [0, end) are in the file. Never smaller than before.
  virtual void extend(std::uint64_t end) = 0;
  // No more will come. After it `result` will become available, and the waker given to the worker is called.
  virtual void finish() = 0;
  // The digest of everything given to `extend`, once `finish` was called and the work is done; a read error as Error.
  virtual std::optional<Result<Sha256Digest>> result() = 0;
};

// A check whether blocks still are as they were written. Destruction gives up, as above.
class PendingCheck {
 public:
  virtual ~PendingCheck() = default;
  // The numbers of the damaged blocks, once the work is done; a read error as Error. The waker is called then.
  virtual std::optional<Result<std::vector<std::uint64_t>>> result() = 0;
};

class DigestWorker {
 public:
  virtual ~DigestWorker() = default;
  virtual std::unique_ptr<PrefixDigest> follow(std::shared_ptr<File> file) = 0;
  // The same for a small file that is whole: no thread is begun for it.
  virtual std::unique_ptr<PrefixDigest> follow_small(std::shared_ptr<File> file) { return follow(std::move(file)); }
  // Several downloads run at once: small files are worth a thread, too.
  virtual void expect_many() {}
  virtual std::unique_ptr<PendingCheck> check(std::shared_ptr<File> file, BlockCheck check) = 0;
};

// One thread for all files of a process, begun at the first `follow` or by `expect_many`. `wake` is called from that
// thread whenever a result becomes available.
std::unique_ptr<DigestWorker> make_threaded_digest_worker(std::function<void()> wake);

// Does all work within `extend` and `finish`, without a thread or a waker: `result` is there after `finish`. For runs
// in virtual time.
std::unique_ptr<DigestWorker> make_inline_digest_worker();

}  // namespace arkvory
