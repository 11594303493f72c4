// SPDX-License-Identifier: Apache-2.0
#include "core/engine/holdings.h"

#include <fmt/format.h>

#include "core/base/ensure.h"
#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "core/engine/file_names.h"
#include "core/http/http_date.h"

namespace arkvory {

namespace {

constexpr unsigned kMostGenerations = 3;
// The digest is told of new bytes in steps, so that the worker is not woken for every call-back of the network.
constexpr std::uint64_t kFollowStep = kMiB;
constexpr std::uint64_t kRoomStep = 16 * kMiB;

}  // namespace

Holdings::Holdings(FileSystem& files, Workspace& workspace, DigestWorker& digests, const Job& job, DownloadId fresh_id)
    : files_(files),
      workspace_(workspace),
      digests_(digests),
      job_(job),
      facts_{.id = std::move(fresh_id), .url = job.url, .shape = job.shape} {}

std::vector<std::string> Holdings::take_notes() {
  return place_ ? std::exchange(place_->notes, {}) : std::vector<std::string>();
}

const IntervalSet& Holdings::held() const {
  static const IntervalSet nothing;
  return part_ ? part_->held() : nothing;
}

std::optional<Sha256Digest> Holdings::expected_digest() const {
  if (facts_.shape.sha256) return facts_.shape.sha256;
  return facts_.object ? facts_.object->digest : std::nullopt;
}

void Holdings::spend_deadline() {
  for (auto* moment : {&facts_.shape.not_before, &facts_.shape.not_after})
    if (*moment) (*moment)->given = format_rfc3339((*moment)->time);
}

Result<void> Holdings::describe(const RemoteObject& object) {
  ensure(is_open(), "an object is described where its place is claimed");
  const bool first = !facts_.object;
  const bool was_expected = expected_digest().has_value();
  if (object.size && (!is_room_checked_ || size() != object.size)) {
    if (auto room = check_room(*object.size); !room) return room;
    is_room_checked_ = true;
    part_->set_object_size(*object.size);
  }
  if (first) {
    facts_.object = object;
  } else {
    // Later answers may add what the first did not tell; they never take away (B15: no tag on a 206 is no change).
    if (!facts_.object->tag) facts_.object->tag = object.tag;
    if (!facts_.object->digest) facts_.object->digest = object.digest;
    if (!facts_.object->size) facts_.object->size = object.size;
  }
  if ((first || !was_expected) && expected_digest()) follow();
  return {};
}

Result<void> Holdings::end_at(std::uint64_t size) {
  facts_.object->size = size;
  part_->set_object_size(size);
  return {};
}

Result<void> Holdings::check_room(std::uint64_t size) {
  if (job_.shape.max_size && size > *job_.shape.max_size)
    return fail(Fault::local, fmt::format("the object has {}, more than --max-size {}", format_size(size),
                                          format_size(*job_.shape.max_size)));
  const auto missing = size - std::min(size, held_bytes());
  auto room = files_.free_space(place_->target.parent_path());
  if (!room) return pass_on(room.error());
  if (missing + kDiskReserve > *room)
    return fail(Fault::local, fmt::format("{} more are needed in {} and {} must stay free, but only {} are free",
                                          format_size(missing), place_->target.parent_path().string(),
                                          format_size(kDiskReserve), format_size(*room)));
  return {};
}

Result<void> Holdings::write(std::uint64_t offset, std::span<const std::byte> bytes, Instant now) {
  if (!unsaved_since_) unsaved_since_ = now;
  // Of a body that does not tell its length, room is looked for on the way.
  if (!size() && offset >= room_checked_at_ + kRoomStep) {
    if (auto room = check_room(offset); !room) return room;
    room_checked_at_ = offset;
  }
  if (auto written = part_->write(offset, bytes); !written) return written;
  const auto prefix = held().prefix_end();
  if (digest_ && prefix >= followed_ + kFollowStep) {
    followed_ = prefix;
    digest_->extend(prefix);
  }
  return {};
}

Result<bool> Holdings::take_stream(std::uint64_t offset, std::span<const std::byte> bytes, Instant now) {
  const auto prefix = held().prefix_end();
  if (offset < prefix) {
    const auto known = bytes.first(std::min<std::uint64_t>(bytes.size(), prefix - offset));
    auto same = part_->equals(offset, known);
    if (!same || !*same) return same;
    offset += known.size();
    bytes = bytes.subspan(known.size());
  }
  if (bytes.empty()) return true;
  // What lies further on was compared with nothing: it comes again, so that no two objects are ever mixed.
  if (held().ranges().size() > 1 || (prefix == 0 && held_bytes() > 0))
    part_->drop(ByteRange(offset, held().ranges().back().end()));
  if (auto written = write(offset, bytes, now); !written) return pass_on(written.error());
  return true;
}

Result<std::uint64_t> Holdings::repair(std::uint64_t offset, std::span<const std::byte> bytes, Instant now) {
  const auto same = part_->equals(offset, bytes);
  if (!same) return pass_on(same.error());
  if (*same) return 0;
  if (!unsaved_since_) unsaved_since_ = now;
  if (auto written = part_->overwrite(offset, bytes); !written) return pass_on(written.error());
  return bytes.size();
}

Result<void> Holdings::shorten_to(std::uint64_t size) {
  forget_checks();
  if (const auto beyond = ByteRange::make(size, *this->size())) part_->drop(*beyond);
  if (auto cut = part_->file()->truncate(size); !cut) return cut;
  return end_at(size);
}

void Holdings::call_it(const RemoteObject& object) {
  auto& known = *facts_.object;
  known.tag = object.tag;
  known.other_tags.clear();
  known.last_modified = object.last_modified;
  known.date_is_strong = object.date_is_strong;
}

void Holdings::accept_as_same(const RemoteObject& object) {
  is_unverifiable_ = false;
  auto& known = *facts_.object;
  if (object.tag && known.tag && !known.is_named_by(*object.tag)) known.other_tags.push_back(*object.tag);
  if (!known.tag) known.tag = object.tag;
  if (object.last_modified.empty()) return;
  known.last_modified = object.last_modified;
  known.date_is_strong = object.date_is_strong;
}

void Holdings::follow() {
  forget_digest();
  followed_ = 0;
  if (!expected_digest() || is_small()) return;
  digest_ = digests_.follow(part_->file());
  followed_ = held().prefix_end();
  digest_->extend(followed_);
}

Result<void> Holdings::restart() {
  forget_checks();
  room_checked_at_ = 0;
  if (auto done = part_->restart(); !done) return done;
  unsaved_since_.reset();
  if (facts_.object) follow();
  // A record that claims bytes must not outlive them.
  if (!recorded_) return {};
  return place_->log->record(facts_, part_->synced());
}

Result<void> Holdings::forget_object() {
  facts_.object.reset();
  return restart();
}

Result<void> Holdings::next_generation(std::string_view how) {
  if (facts_.generation >= kMostGenerations)
    return fail(Fault::changed, fmt::format("the object changes faster than it can be fetched ({})", how));
  auto next = facts_;
  ++next.generation;
  next.object.reset();
  next.ticket.reset();
  next.place.reset();
  // The record first, which claims nothing: a file that it does not name would be left for good.
  if (auto recorded = place_->log->record(next, SyncedRanges()); !recorded) return recorded;
  recorded_ = true;
  facts_ = std::move(next);
  forget_checks();
  room_checked_at_ = 0;
  is_room_checked_ = false;
  unsaved_since_.reset();
  part_.reset();
  if (auto opened = set_part(facts_.generation); !opened) return opened;
  return part_->restart();
}

// What was computed or begun of bytes that are others now.
void Holdings::forget_digest() {
  digest_.reset();
  digest_result_.reset();
}

void Holdings::forget_checks() {
  forget_digest();
  check_.reset();
  is_unverifiable_ = false;
}

Result<void> Holdings::save() {
  if (!part_) return {};
  unsaved_since_.reset();
  if (auto synced = part_->sync(); !synced) return synced;
  if (auto recorded = place_->log->record(facts_, part_->synced()); !recorded) return recorded;
  recorded_ = true;
  return {};
}

Result<void> Holdings::save_facts() {
  if (!part_) return {};
  if (part_->unsynced_bytes() > 0) return save();
  if (auto recorded = place_->log->record(facts_, part_->synced()); !recorded) return recorded;
  recorded_ = true;
  return {};
}

std::optional<Instant> Holdings::save_due(Instant now) const {
  if (!part_ || part_->unsynced_bytes() == 0) return std::nullopt;
  if (part_->unsynced_bytes() >= kRecordBytes) return now;
  return *unsaved_since_ + kRecordTime;
}

void Holdings::finish_digest() {
  if (!expected_digest()) return;
  if (!digest_) follow();
  if (!digest_) digest_ = digests_.follow_small(part_->file());
  digest_->extend(*size());
  digest_->finish();
}

bool Holdings::is_ready_to_verify() {
  if (digest_ && !digest_result_) digest_result_ = digest_->result();
  const bool is_digested = !digest_ || digest_result_;
  return is_digested && (!check_ || check_->result().has_value());
}

void Holdings::check_blocks() {
  if (part_->digested().empty()) return;
  check_ = digests_.check(part_->file(), BlockCheck(held(), part_->digested(), *size()));
}

Result<std::size_t> Holdings::drop_damaged() {
  if (!check_) return 0;
  const auto damaged = *check_->result();
  check_.reset();
  if (!damaged) return pass_on(damaged.error());
  if (damaged->empty()) return 0;
  forget_digest();
  for (const auto block : *damaged) part_->drop(block_range(block, *size()));
  return damaged->size();
}

std::optional<Sha256Digest> Holdings::computed_digest() const {
  return digest_result_ && *digest_result_ ? std::optional(**digest_result_) : std::nullopt;
}

Result<std::optional<Sha256Digest>> Holdings::publish() {
  if (digest_result_ && !*digest_result_) return pass_on(digest_result_->error());
  const auto computed = computed_digest();
  digest_.reset();  // what it may be mended to is digested anew
  // A part file may have been longer than the object before this run.
  auto length = part_->file()->size();
  if (!length) return pass_on(length.error());
  if (*length > *size())
    if (auto cut = part_->file()->truncate(*size()); !cut) return pass_on(cut.error());
  // A download with a record says in it that all is there before the part file takes another name, so that a run after
  // a crash in between knows the target for its own.
  if (auto saved = recorded_ ? save() : part_->sync_bytes(); !saved) return pass_on(saved.error());
  auto verified = VerifiedFile::check(
      part_->file(), part_->path(),
      {.size = *size(), .on_disk = part_->synced(), .expected = expected_digest(), .computed = computed});
  if (!verified) return pass_on(verified.error());
  Publishing how{.replace = job_.shape.force};
  if (job_.shape.remote_time && !facts_.object->last_modified.empty())
    how.modified = parse_http_date(facts_.object->last_modified, WallTime());
  if (auto done = std::move(*verified).publish_as(files_, place_->target, how); !done) return pass_on(done.error());
  // From here on the target is whole under its name: what remains is only tidying up.
  // Older generations first: while the record is there, the next run finds them.
  if (auto removed = remove_generations(1, facts_.generation - 1); !removed) return pass_on(removed.error());
  if (recorded_)
    if (auto forgotten = place_->log->forget(); !forgotten) return pass_on(forgotten.error());
  return computed;
}

Result<std::filesystem::path> Holdings::set_aside() {
  auto aside = bad_part_path(place_->target);
  if (auto moved = files_.rename(part_->path(), aside); !moved) return pass_on(moved.error());
  if (auto removed = remove_generations(1, facts_.generation - 1); !removed) return pass_on(removed.error());
  if (auto forgotten = place_->log->forget(); !forgotten) return pass_on(forgotten.error());
  return aside;
}

// Only generations that this download has had: another target may be called like one of them.
Result<void> Holdings::remove_generations(unsigned first, unsigned last) {
  for (unsigned generation = first; generation <= last; ++generation)
    if (auto removed = files_.remove(part_path(place_->target, generation)); !removed) return removed;
  return {};
}

}  // namespace arkvory
