// SPDX-License-Identifier: Apache-2.0
// Where a download is kept: claiming its target, taking up what an earlier run left there, and a name that is only a
// guess.
#include <fmt/format.h>

#include "core/base/ensure.h"
#include "core/engine/block_check.h"
#include "core/engine/file_names.h"
#include "core/engine/holdings.h"

namespace arkvory {

namespace {

// The same object as far as URLs tell: a signed URL's query changes from one to the next.
bool same_resource(const Url& first, const Url& second) {
  return first.origin() == second.origin() && first.path() == second.path();
}

}  // namespace

Result<void> Holdings::claim(const std::filesystem::path& target) {
  ensure(!place_, "a place is claimed once");
  auto place = workspace_.claim(target);
  if (!place) return pass_on(place.error());
  place_ = std::move(*place);
  return {};
}

Result<void> Holdings::discard(const std::filesystem::path& target) {
  if (auto claimed = claim(target); !claimed) return claimed;
  auto saved = place_->log->restore();
  if (saved && *saved) facts_.generation = (*saved)->facts.generation;
  return discard_saved();
}

Result<void> Holdings::open(const std::filesystem::path& target, Naming naming) {
  if (auto claimed = claim(target); !claimed) return claimed;
  auto saved = place_->log->restore();
  if (!saved && saved.error().fault == Fault::state) {
    // Damaged ones have been set aside and a second call finds nothing; newer ones stay, and fail again.
    auto again = place_->log->restore();
    if (!again) return pass_on(again.error());
    place_->notes.push_back(saved.error().text() + "; the download begins again");
    saved = std::move(again);
  }
  if (!saved) return pass_on(saved.error());
  if (*saved && !job_.resume) {
    facts_.generation = (*saved)->facts.generation;
    if (auto discarded = discard_saved(); !discarded) return discarded;
    *saved = std::nullopt;
  }
  if (*saved) {
    auto published = is_published(**saved);
    if (!published) return pass_on(published.error());
    was_published_ = *published;
    if (naming == Naming::final) (*saved)->facts.guess.reset();
    if ((*saved)->facts.guess && !(*saved)->facts.guess->empty()) return finish_move(std::move(**saved));
    if (!was_published_) return adopt(**saved);
    facts_.generation = (*saved)->facts.generation;
    return discard_saved();
  }
  if (auto opened = set_part(1); !opened) return opened;
  // A part file without a checkpoint is never believed.
  return part_->restart();
}

Result<void> Holdings::open_provisionally(const std::filesystem::path& target) {
  facts_.guess = "";
  return open(target, Naming::as_recorded);
}

Result<void> Holdings::settle_at(const std::filesystem::path& target) {
  ensure(is_provisional() && held_bytes() == 0, "only a guess is moved");
  if (place_->target == target) {
    facts_.guess.reset();
    return recorded_ ? save_facts() : Result<void>();
  }
  // First it says where it goes: a run that ends on the way leaves nothing behind that the next would not find.
  facts_.guess = target.filename();
  if (auto saved = save_facts(); !saved) return saved;
  const bool was_taken_up = taken_up_;
  auto moved = finish_move({.facts = facts_});
  taken_up_ = was_taken_up;  // by moving it, no answer was cut
  return moved;
}

// Goes on under the name that an answer gave; what an earlier run had moved there already counts.
Result<void> Holdings::finish_move(SavedProgress saved) {
  const auto target = place_->target.parent_path() / *saved.facts.guess;
  auto guessed = std::exchange(place_, std::nullopt);
  part_.reset();
  if (auto claimed = claim(target); !claimed) return claimed;
  auto moved = place_->log->restore();
  if (!moved) return pass_on(moved.error());
  if (*moved) saved = std::move(**moved);
  if (auto adopted = adopt(saved); !adopted) return adopted;
  facts_.guess.reset();
  if (auto recorded = save(); !recorded) return recorded;
  return guessed->log->forget();
}

Result<void> Holdings::abandon() {
  if (!is_provisional()) return {};
  recorded_ = false;
  return place_->log->forget();
}

// The record claims the whole object, its part file is gone, and the target is block for block what was recorded.
Result<bool> Holdings::is_published(const SavedProgress& saved) {
  const auto size = saved.facts.object ? saved.facts.object->size : std::nullopt;
  if (!size || !saved.claimed.contains_all_to(*size)) return false;
  const auto path = part_path(place_->target, saved.facts.generation);
  auto part = files_.status(path);
  if (!part) return pass_on(part.error());
  if (*part && (*part)->size != 0) {
    auto renamed = finish_rename(files_, path, **part, place_->target);
    if (!renamed) return pass_on(renamed.error());
    if (!*renamed) return false;
  }
  auto target = files_.status(place_->target);
  if (!target) return pass_on(target.error());
  if (!*target || (*target)->kind != FileKind::regular || (*target)->size != *size) return false;
  const auto blocks = (*size + kBlockSize - 1) / kBlockSize;
  if (saved.blocks.size() != blocks) return false;
  auto file = files_.open_to_read(place_->target);
  if (!file) return pass_on(file.error());
  auto damaged = damaged_blocks(**file, saved.claimed, saved.blocks, *size);
  if (!damaged) return pass_on(damaged.error());
  return damaged->empty();
}

Result<void> Holdings::discard_saved() {
  // While the record is there, the next run finds what is left of this. The first part file carries the lock: emptied,
  // it goes with the place.
  if (auto removed = remove_generations(2, facts_.generation); !removed) return removed;
  if (auto emptied = place_->part->truncate(0); !emptied) return emptied;
  return place_->log->forget();
}

Result<void> Holdings::adopt(const SavedProgress& saved) {
  if (!same_resource(saved.facts.url, job_.url))
    return fail(Fault::local,
                fmt::format("{} holds an unfinished download of {}: finish it with resume, drop it with cancel, or "
                            "begin again with --no-resume",
                            checkpoint_path(place_->target).string(), saved.facts.url.shown()));
  facts_ = saved.facts;
  facts_.url = job_.url;
  facts_.last_error.clear();
  // What the command says now counts; a digest that an earlier run was given is not forgotten.
  facts_.shape = job_.shape;
  if (!facts_.shape.sha256) facts_.shape.sha256 = saved.facts.shape.sha256;
  facts_.shape.not_before = kept_time(job_.shape.not_before, saved.facts.shape.not_before);
  facts_.shape.not_after = kept_time(job_.shape.not_after, saved.facts.shape.not_after);
  recorded_ = true;
  taken_up_ = true;
  if (auto opened = set_part(facts_.generation); !opened) return opened;
  if (!size()) return restart();
  part_->set_object_size(*size());
  if (auto adopted = part_->adopt(saved.claimed, saved.blocks); !adopted) return adopted;
  follow();
  if (expected_digest()) return {};
  // Nothing tells at the end what somebody may have done to the file meanwhile (E2).
  check_blocks();
  is_unverifiable_ = !facts_.object->validator() && held_bytes() > 0;
  return {};
}

Result<void> Holdings::set_part(unsigned generation) {
  const auto path = part_path(place_->target, generation);
  auto file =
      generation == 1 ? Result<std::shared_ptr<File>>(place_->part) : files_.open_or_create(path, Access::owner_only);
  if (!file) return pass_on(file.error());
  part_.emplace(std::move(*file), path);
  facts_.generation = generation;
  return {};
}

}  // namespace arkvory
