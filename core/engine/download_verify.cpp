// SPDX-License-Identifier: Apache-2.0
// Whether a whole object is right, and what is done where it is not: find what came wrong, mend it once, or set it
// aside (client.md, Trust in ranges).
#include <fmt/format.h>

#include "core/engine/download.h"
#include "core/engine/file_names.h"

namespace arkvory {

void Download::go_on(Verifying&) {
  if (!holdings_->is_ready_to_verify()) return;
  if (earlier_ && !earlier_->result()) return;
  const auto damaged = holdings_->drop_damaged();
  if (!damaged) return end(damaged.error());
  if (*damaged > 0) {
    platform_.status.notice(target(), "mending",
                            fmt::format("{} of what is held changed on the disk: fetched again",
                                        *damaged == 1 ? "one block" : fmt::format("{} blocks", *damaged)));
    return fetch(FetchGoal::missing);
  }
  const auto bytes = *holdings_->size();
  auto published = holdings_->publish();
  if (published) return succeed(*published, bytes);
  if (published.error().fault != Fault::integrity) return end(published.error());
  mend(published.error());
}

void Download::mend(const Error& mismatch) {
  mismatch_ = mismatch;
  switch (mending_) {
    case Mending::not_begun:
      platform_.status.notice(target(), "mending", mismatch.text() + ": looking for what came wrong");
      mending_ = Mending::blocks;
      holdings_->check_blocks();
      return go_on(std::get<Verifying>(stage_));
    case Mending::blocks:
      mending_ = Mending::earlier;
      look_at_earlier();
      return go_on(std::get<Verifying>(stage_));
    case Mending::earlier:
      if (came_so_before()) return set_aside(mismatch);
      mending_ = Mending::all;
      if (!kept_coding_) return fetch(FetchGoal::repair);
      if (auto forgotten = holdings_->forget_object(); !forgotten) return end(forgotten.error());
      return fetch(FetchGoal::decoded);
    case Mending::all: return set_aside(mismatch);
  }
}

// What an earlier run set aside is digested, where it may be the same.
void Download::look_at_earlier() {
  const auto path = bad_part_path(target());
  const auto there = platform_.files.status(path);
  if (!there || !*there || (*there)->kind != FileKind::regular || (*there)->size != holdings_->size()) return;
  auto file = platform_.files.open_to_read(path);
  if (!file || !*file) return;
  earlier_ = platform_.digests.follow(*file);
  earlier_->extend((*there)->size);
  earlier_->finish();
}

bool Download::came_so_before() {
  if (!earlier_) return false;
  const auto digest = earlier_->result();
  earlier_.reset();
  return digest && *digest && **digest == holdings_->computed_digest();
}

void Download::set_aside(Error mismatch) {
  const auto aside = holdings_->set_aside();
  if (!aside) return end(aside.error());
  mismatch.words += fmt::format("; what came is kept in {}", aside->string());
  end(std::move(mismatch));
}

}  // namespace arkvory
