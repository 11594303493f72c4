// SPDX-License-Identifier: Apache-2.0
// What a download holds and how it is kept: the place on disk, the part file, the facts that outlive the process, and
// the digest that follows the growing file. It acts on the disk; it knows nothing of the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/base/result.h"
#include "core/base/rng.h"
#include "core/engine/digest_worker.h"
#include "core/engine/job.h"
#include "core/engine/part_file.h"
#include "core/engine/progress_log.h"
#include "core/engine/recheck.h"
#include "core/engine/verified_file.h"

namespace arkvory {

// Bytes that always stay free on the disk (client.md, --max-size).
inline constexpr std::uint64_t kDiskReserve = 64 * kMiB;
// State is recorded after so many bytes or so much time of transfer, whichever is first (client.md, State on disk).
inline constexpr std::uint64_t kRecordBytes = 64 * kMiB;
inline constexpr Duration kRecordTime = std::chrono::seconds(5);

class Holdings {
 public:
  Holdings(FileSystem& files, Workspace& workspace, DigestWorker& digests, const Job& job, DownloadId fresh_id);

  // Claims the target and takes up what an earlier run left for the same object. Fault::local where the unfinished
  // download there is of another URL. Notes for the user are in `notes` afterwards. Where the user has not named the
  // target, what an earlier run recorded there may say that the name is a guess, or has been found: then `target`
  // tells.
  enum class Naming { final, as_recorded };
  Result<void> open(const std::filesystem::path& target, Naming naming = Naming::final);
  // Claims a target whose name is only a guess, so that a place in a queue is kept on disk; until `settle_at` tells the
  // right name, and moves what is kept there, or `abandon` gives the guess up.
  Result<void> open_provisionally(const std::filesystem::path& target);
  bool is_provisional() const { return facts_.guess.has_value(); }
  Result<void> settle_at(const std::filesystem::path& target);
  Result<void> abandon();
  // Removes whatever an earlier run left for a target that needs no download any more.
  Result<void> discard(const std::filesystem::path& target);
  bool is_open() const { return place_.has_value(); }
  // The target stands complete under its name: an earlier run was ended between the rename and its tidying up, which
  // `open` has made good.
  bool was_published() const { return was_published_; }
  std::vector<std::string> take_notes();

  const std::filesystem::path& target() const { return place_->target; }  // requires is_open()
  const DownloadFacts& facts() const { return facts_; }
  std::optional<std::uint64_t> size() const { return facts_.object ? facts_.object->size : std::nullopt; }
  const IntervalSet& held() const;
  std::uint64_t held_bytes() const { return held().total(); }
  bool is_complete() const { return size() && held().contains_all_to(*size()); }
  // What the finished file is compared with: the user's digest, else the server's.
  std::optional<Sha256Digest> expected_digest() const;

  void remember_ticket(HeldTicket ticket) { facts_.ticket = std::move(ticket); }
  // The place in the queue as an answer told it; nothing once it is served.
  void remember_place(std::optional<QueuePlace> place) { facts_.place = place; }
  void remember_waited(Duration in_all) { facts_.waited = in_all; }
  void remember_arkvory(bool is_arkvory) { facts_.is_arkvory = is_arkvory; }
  // A run has ended on the deadline: a relative one is counted anew by the next command.
  void spend_deadline();
  void remember_error(std::string words) { facts_.last_error = std::move(words); }

  // An answer told what the object is. Fault::local where it is larger than allowed or than the disk has room for.
  Result<void> describe(const RemoteObject& object);
  // The object's end was seen: its size is known now.
  Result<void> end_at(std::uint64_t size);
  Result<void> write(std::uint64_t offset, std::span<const std::byte> bytes, Instant now);
  // Bytes of a stream that began at zero: as far as all before them is held they are compared, beyond it they are
  // written. False where they differ, and then nothing is written.
  Result<bool> take_stream(std::uint64_t offset, std::span<const std::byte> bytes, Instant now);
  // The bytes that are held at `offset` are these.
  Result<bool> equals(std::uint64_t offset, std::span<const std::byte> bytes) { return part_->equals(offset, bytes); }
  // Writes over bytes that are held, where they differ. How many were not as they are now, in whole pieces.
  Result<std::uint64_t> repair(std::uint64_t offset, std::span<const std::byte> bytes, Instant now);
  // The object is shorter than was thought, and what is held beyond is no part of it. All up to `size` is held.
  Result<void> shorten_to(std::uint64_t size);
  // Gives up what is held: the object comes whole again, from zero.
  Result<void> restart();
  // The same, with all that is known of the object: it is to come in another form.
  Result<void> forget_object();
  // Another object answers: begins anew beside the old part file. Fault::changed after the third.
  Result<void> next_generation(std::string_view how);

  // Nothing proves that what an earlier run left is of the object that is there now: it is to be compared.
  bool is_unverifiable() const { return is_unverifiable_; }
  // Some of what is held, to compare it (client.md, Trust in ranges).
  IntervalSet sample(Rng& chance) const { return sample_of(held(), part_->digested(), *size(), chance); }
  // Comparing has shown that `object` is what is held, whatever its validators say.
  void accept_as_same(const RemoteObject& object);
  // What is held has come from this one, or agrees with it: these are its names now.
  void call_it(const RemoteObject& object);

  // Data on disk, then the record that speaks of it.
  Result<void> save();
  // The same where only facts are new, such as a place in a queue: no data is to be waited for then.
  Result<void> save_facts();
  // When the next record is due; nothing while all is recorded.
  std::optional<Instant> save_due(Instant now) const;
  bool is_recorded() const { return recorded_; }
  // An earlier run worked on it: whatever it was sent was cut.
  bool was_taken_up() const { return taken_up_; }

  // The object is complete: nothing is written any more. The digest, where one is expected, becomes ready.
  void finish_digest();
  // Ready to verify: the digest is there or none is needed, and so is the check of blocks, where one runs.
  bool is_ready_to_verify();
  // Has the digested blocks checked against what they were when they were written, beside the loop.
  void check_blocks();
  // What that check found damaged is held no longer: how many blocks.
  Result<std::size_t> drop_damaged();
  // Checks and publishes, and removes the record. After Fault::integrity all is still there, to be mended or set aside.
  Result<std::optional<Sha256Digest>> publish();
  // The digest of the whole object as it is held, where it was computed.
  std::optional<Sha256Digest> computed_digest() const;
  // Keeps what came for the user to look at; a second run begins again. Where it is kept.
  Result<std::filesystem::path> set_aside();

 private:
  Result<void> adopt(const SavedProgress& saved);
  Result<void> finish_move(SavedProgress saved);
  Result<bool> is_published(const SavedProgress& saved);
  Result<void> discard_saved();
  Result<void> claim(const std::filesystem::path& target);
  Result<void> set_part(unsigned generation);
  void follow();
  void forget_digest();
  void forget_checks();
  // Digested at the end by the loop itself: to wake the worker and to be woken by it would take longer.
  bool is_small() const { return size() && *size() <= kMiB; }
  Result<void> check_room(std::uint64_t size);
  Result<void> remove_generations(unsigned first, unsigned last);

  FileSystem& files_;
  Workspace& workspace_;
  DigestWorker& digests_;
  const Job& job_;

  DownloadFacts facts_;
  std::optional<Place> place_;
  std::optional<PartFile> part_;
  std::unique_ptr<PrefixDigest> digest_;
  std::unique_ptr<PendingCheck> check_;
  std::optional<Result<Sha256Digest>> digest_result_;
  std::uint64_t room_checked_at_ = 0;  // of a body whose length is unknown
  std::uint64_t followed_ = 0;         // what the digest was told of
  bool was_published_ = false;
  bool recorded_ = false;  // this place has a record on disk
  bool taken_up_ = false;
  bool is_unverifiable_ = false;
  bool is_room_checked_ = false;  // by this run, for the size that is known
  std::optional<Instant> unsaved_since_;
};

}  // namespace arkvory
