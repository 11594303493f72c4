// SPDX-License-Identifier: Apache-2.0
#include "core/engine/digest_worker.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/ensure.h"
#include "core/base/size.h"

namespace arkvory {

namespace {

// What is read and hashed at once: so long may the destruction of a PrefixDigest wait, and so long does one file keep
// the thread from the next.
constexpr std::uint64_t kPiece = 64 * kKiB;

// Work on one file that is done a piece at a time. Used by one thread at a time.
class FileWork {
 public:
  virtual ~FileWork() = default;
  // How far it has come, in pieces' bytes.
  virtual std::uint64_t position() const = 0;
  // Does one piece, at most to `end`.
  virtual Result<void> advance(std::uint64_t end, std::span<std::byte> buffer) = 0;
  // All of it is done.
  virtual void complete() = 0;
};

// The digest of a file's bytes up to where it has come.
class PrefixWork final : public FileWork {
 public:
  explicit PrefixWork(std::shared_ptr<File> file) : file_(std::move(file)) {}

  std::uint64_t position() const override { return position_; }
  Result<void> advance(std::uint64_t end, std::span<std::byte> buffer) override {
    const auto piece = buffer.first(std::min<std::uint64_t>(buffer.size(), end - position_));
    auto count = file_->read_at(position_, piece);
    if (!count) return pass_on(count.error());
    if (*count < piece.size())
      return fail(Fault::local, "cannot compute the file's digest",
                  "it is shorter than what was written to it: somebody else changes it");
    digest_.update(piece);
    position_ += piece.size();
    return {};
  }
  void complete() override { found_ = digest_.finish(); }
  Sha256Digest found() const { return *found_; }

 private:
  std::shared_ptr<File> file_;
  Sha256 digest_;
  std::optional<Sha256Digest> found_;
  std::uint64_t position_ = 0;
};

// The check of a file's blocks: one step a piece.
class CheckWork final : public FileWork {
 public:
  CheckWork(std::shared_ptr<File> file, BlockCheck check) : file_(std::move(file)), check_(std::move(check)) {}

  // Its end is where it finds one.
  static constexpr std::uint64_t kEnd = 1;
  std::uint64_t position() const override { return check_.is_over() ? kEnd : 0; }
  Result<void> advance(std::uint64_t, std::span<std::byte> buffer) override { return check_.advance(*file_, buffer); }
  void complete() override {}
  const std::vector<std::uint64_t>& found() const { return check_.damaged(); }

 private:
  std::shared_ptr<File> file_;
  BlockCheck check_;
};

class InlinePrefixDigest final : public PrefixDigest {
 public:
  InlinePrefixDigest(std::shared_ptr<File> file, std::function<void()> wake)
      : work_(std::move(file)), wake_(std::move(wake)), buffer_(std::make_unique_for_overwrite<std::byte[]>(kPiece)) {}

  void extend(std::uint64_t end) override {
    ensure(end >= end_, "a prefix only grows");
    end_ = end;
    while (done_ && work_.position() < end_) done_ = work_.advance(end_, std::span(buffer_.get(), kPiece));
  }

  void finish() override {
    is_finished_ = true;
    work_.complete();
    if (wake_) wake_();
  }

  std::optional<Result<Sha256Digest>> result() override {
    if (!is_finished_) return std::nullopt;
    if (!done_) return Result<Sha256Digest>(pass_on(done_.error()));
    return Result<Sha256Digest>(work_.found());
  }

 private:
  PrefixWork work_;
  std::function<void()> wake_;
  std::unique_ptr<std::byte[]> buffer_;
  std::uint64_t end_ = 0;
  bool is_finished_ = false;
  Result<void> done_;
};

// Checks at once, when it is made.
class InlineCheck final : public PendingCheck {
 public:
  InlineCheck(std::shared_ptr<File> file, BlockCheck check, const std::function<void()>& wake)
      : work_(std::move(file), std::move(check)) {
    std::vector<std::byte> buffer(kPiece);
    while (done_ && work_.position() < CheckWork::kEnd) done_ = work_.advance(CheckWork::kEnd, buffer);
    if (wake) wake();
  }

  std::optional<Result<std::vector<std::uint64_t>>> result() override {
    if (!done_) return Result<std::vector<std::uint64_t>>(pass_on(done_.error()));
    return Result<std::vector<std::uint64_t>>(work_.found());
  }

 private:
  CheckWork work_;
  Result<void> done_;
};

class InlineDigestWorker final : public DigestWorker {
 public:
  std::unique_ptr<PrefixDigest> follow(std::shared_ptr<File> file) override {
    return std::make_unique<InlinePrefixDigest>(std::move(file), nullptr);
  }
  std::unique_ptr<PendingCheck> check(std::shared_ptr<File> file, BlockCheck check) override {
    return std::make_unique<InlineCheck>(std::move(file), std::move(check), nullptr);
  }
};

// One file's work. Everything but `work` is guarded by the workshop's mutex; `work` belongs to the thread while
// `is_at_work`, and to its owner once there is a result.
struct Task {
  explicit Task(std::unique_ptr<FileWork> given) : work(std::move(given)) {}

  std::unique_ptr<FileWork> work;
  std::uint64_t position = 0;  // the work's
  std::uint64_t end = 0;
  bool is_finished = false;
  bool is_queued = false;
  bool is_at_work = false;
  bool is_abandoned = false;
  std::optional<Result<void>> result{};

  // Small additions wait until they fill a piece, so that the thread isn't woken for each write.
  bool has_work() const {
    if (result || is_abandoned) return false;
    return is_finished || end - position >= kPiece;
  }
};

using TaskPtr = std::shared_ptr<Task>;

// What the thread and the followers share; it lives as long as the last of them.
class Workshop {
 public:
  explicit Workshop(std::function<void()> wake) : wake_(std::move(wake)) {}

  void extend(const TaskPtr& task, std::uint64_t end) {
    const std::lock_guard guard(mutex_);
    ensure(end >= task->end, "a prefix only grows");
    task->end = end;
    queue_if_due(task);
  }

  void finish(const TaskPtr& task) {
    const std::lock_guard guard(mutex_);
    task->is_finished = true;
    queue_if_due(task);
    // A read error may have come before; the one who waits for the result is told now.
    if (task->result) told_late_ = true;
    if (told_late_) work_came_.notify_one();
  }

  std::optional<Result<void>> result(const TaskPtr& task) {
    const std::lock_guard guard(mutex_);
    return task->is_finished ? task->result : std::nullopt;
  }

  void abandon(const TaskPtr& task) {
    std::unique_lock guard(mutex_);
    task->is_abandoned = true;
    piece_done_.wait(guard, [&] { return !task->is_at_work; });
    std::erase(queue_, task);
  }

  void stop() {
    const std::lock_guard guard(mutex_);
    is_stopped_ = true;
    work_came_.notify_one();
  }

  void run() {
    std::vector<std::byte> buffer(kPiece);
    std::unique_lock guard(mutex_);
    while (true) {
      work_came_.wait(guard, [&] { return is_stopped_ || told_late_ || !queue_.empty(); });
      if (is_stopped_) return;
      bool has_result = std::exchange(told_late_, false);
      if (!queue_.empty()) has_result = do_piece(guard, buffer) || has_result;
      if (!has_result) continue;
      guard.unlock();
      wake_();
      guard.lock();
    }
  }

 private:
  void queue_if_due(const TaskPtr& task) {
    if (task->is_queued || task->is_at_work || !task->has_work()) return;
    task->is_queued = true;
    queue_.push_back(task);
    work_came_.notify_one();
  }

  // One piece of the file at the front, which then goes to the back. True where its result became available.
  bool do_piece(std::unique_lock<std::mutex>& guard, std::span<std::byte> buffer) {
    const auto task = std::move(queue_.front());
    queue_.pop_front();
    task->is_queued = false;
    task->is_at_work = true;
    const auto end = task->end;
    guard.unlock();
    Result<void> done;
    if (task->work->position() < end) done = task->work->advance(end, buffer);
    guard.lock();
    task->is_at_work = false;
    task->position = task->work->position();
    if (done && task->is_finished && task->position == task->end) {
      task->work->complete();
      task->result = done;
    }
    if (!done) task->result = done;
    queue_if_due(task);
    piece_done_.notify_all();
    return task->is_finished && task->result && !task->is_abandoned;
  }

  std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable piece_done_;
  std::deque<TaskPtr> queue_;  // each task at most once
  bool is_stopped_ = false;
  bool told_late_ = false;  // a result became available by `finish` alone
  std::function<void()> wake_;
};

// Gives its task up when it goes.
class TaskOwner {
 public:
  TaskOwner(std::shared_ptr<Workshop> workshop, std::unique_ptr<FileWork> work)
      : workshop_(std::move(workshop)), task_(std::make_shared<Task>(std::move(work))) {}
  ~TaskOwner() { workshop_->abandon(task_); }
  TaskOwner(const TaskOwner&) = delete;
  TaskOwner& operator=(const TaskOwner&) = delete;

  void extend(std::uint64_t end) { workshop_->extend(task_, end); }
  void finish() { workshop_->finish(task_); }
  // What `found` tells of the work once it is done.
  template <typename Value, typename Found>
  std::optional<Result<Value>> result(Found found) {
    const auto done = workshop_->result(task_);
    if (!done) return std::nullopt;
    if (!*done) return Result<Value>(pass_on(done->error()));
    return Result<Value>(found());
  }

 private:
  std::shared_ptr<Workshop> workshop_;
  TaskPtr task_;
};

class ThreadedPrefixDigest final : public PrefixDigest {
 public:
  ThreadedPrefixDigest(std::shared_ptr<Workshop> workshop, std::unique_ptr<PrefixWork> work)
      : work_(*work), owner_(std::move(workshop), std::move(work)) {}

  void extend(std::uint64_t end) override { owner_.extend(end); }
  void finish() override { owner_.finish(); }
  std::optional<Result<Sha256Digest>> result() override {
    return owner_.result<Sha256Digest>([this] { return work_.found(); });
  }

 private:
  const PrefixWork& work_;
  TaskOwner owner_;
};

class ThreadedCheck final : public PendingCheck {
 public:
  ThreadedCheck(std::shared_ptr<Workshop> workshop, std::unique_ptr<CheckWork> work)
      : work_(*work), owner_(std::move(workshop), std::move(work)) {
    owner_.extend(CheckWork::kEnd);
    owner_.finish();
  }

  std::optional<Result<std::vector<std::uint64_t>>> result() override {
    return owner_.result<std::vector<std::uint64_t>>([this] { return work_.found(); });
  }

 private:
  const CheckWork& work_;
  TaskOwner owner_;
};

// Signals are the main thread's: a handler that ran here would not interrupt its wait.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

class ThreadedDigestWorker final : public DigestWorker {
 public:
  explicit ThreadedDigestWorker(std::function<void()> wake)
      : wake_(std::move(wake)), workshop_(std::make_shared<Workshop>(wake_)) {}

  ~ThreadedDigestWorker() override {
    workshop_->stop();
    if (thread_.joinable()) thread_.join();
  }
  ThreadedDigestWorker(const ThreadedDigestWorker&) = delete;
  ThreadedDigestWorker& operator=(const ThreadedDigestWorker&) = delete;

  std::unique_ptr<PrefixDigest> follow(std::shared_ptr<File> file) override {
    // Where the system gives no thread, the work is done all the same, only later.
    if (!thread_.joinable() && !begin_thread()) return std::make_unique<InlinePrefixDigest>(std::move(file), wake_);
    return std::make_unique<ThreadedPrefixDigest>(workshop_, std::make_unique<PrefixWork>(std::move(file)));
  }

  std::unique_ptr<PrefixDigest> follow_small(std::shared_ptr<File> file) override {
    if (thread_.joinable()) return follow(std::move(file));
    return std::make_unique<InlinePrefixDigest>(std::move(file), wake_);
  }

  void expect_many() override {
    if (!thread_.joinable()) begin_thread();
  }

  std::unique_ptr<PendingCheck> check(std::shared_ptr<File> file, BlockCheck check) override {
    if (!thread_.joinable() && !begin_thread())
      return std::make_unique<InlineCheck>(std::move(file), std::move(check), wake_);
    return std::make_unique<ThreadedCheck>(workshop_, std::make_unique<CheckWork>(std::move(file), std::move(check)));
  }

 private:
  bool begin_thread() {
    const AllSignalsBlocked blocked;
    try {
      thread_ = std::thread([workshop = workshop_] { workshop->run(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  std::function<void()> wake_;
  std::shared_ptr<Workshop> workshop_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<DigestWorker> make_threaded_digest_worker(std::function<void()> wake) {
  return std::make_unique<ThreadedDigestWorker>(std::move(wake));
}

std::unique_ptr<DigestWorker> make_inline_digest_worker() { return std::make_unique<InlineDigestWorker>(); }

}  // namespace arkvory
