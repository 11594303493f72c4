// SPDX-License-Identifier: Apache-2.0
#include "cli/plain_view.h"

#include <fmt/format.h>

#include "cli/messages.h"
#include "core/base/size.h"

namespace arkvory::cli {

// A download that the answer names has its folder for a target until then.
PlainView::Told& PlainView::told_of(const std::filesystem::path& target) {
  auto folder = told_.find(target.parent_path());
  if (!told_.contains(target) && folder != told_.end()) {
    auto node = told_.extract(folder);
    node.key() = target;
    told_.insert(std::move(node));
  }
  return told_[target];
}

void PlainView::say(const std::filesystem::path& target, Told& told, std::string_view text) {
  out_.write(program_line(fmt::format("{}: {}", lines_.name(target), text)));
  told.next = clock_.now() + progress_interval();
}

void PlainView::started(const std::filesystem::path& target, const StartStatus& start) {
  auto& told = told_[target];
  told = Told{};
  if (start.bytes == 0) return say(target, told, fmt::format("from {}", start.url.shown()));
  say(target, told, fmt::format("from {}, {} held already", start.url.shown(), format_size(start.bytes)));
}

void PlainView::waiting(const std::filesystem::path& target, const WaitStatus& wait) {
  auto& told = told_of(target);
  const auto now = clock_.now();
  const bool same = told.phase == Phase::waiting && told.reason == wait.reason;
  told.phase = Phase::waiting;
  told.reason = wait.reason;
  // A place that moves is no news; that there is one now is.
  const bool is_placed = wait.position && !(same && told.knows_place);
  told.knows_place = wait.position.has_value();
  if (same && !is_placed) return;
  if (wait.reason == WaitReason::fault) {
    if (now < told.fault) return;
    told.fault = now + progress_interval();
  }
  say(target, told, waiting_text(wait, clock_.wall_now()));
}

void PlainView::progress(const std::filesystem::path& target, const ProgressStatus& progress) {
  auto& told = told_of(target);
  // The end of a wait is worth a line of its own; that of a fault's short pause is not.
  const bool waited = told.phase == Phase::waiting && told.reason != WaitReason::fault;
  told.phase = Phase::transferring;
  told.reason.reset();
  if (!waited && clock_.now() < told.next) return;
  say(target, told, progress_text({.name = {}, .phase = Phase::transferring, .progress = progress}));
}

void PlainView::verifying(const std::filesystem::path& target) {
  auto& told = told_of(target);
  if (told.phase == Phase::verifying) return;
  told.phase = Phase::verifying;
  // Hashing keeps up with the transfer, so most of the time this state is over at once: not worth a line so soon.
  if (clock_.now() >= told.next) say(target, told, "verifying");
}

void PlainView::notice(const std::filesystem::path& target, std::string_view, std::string_view message) {
  out_.write(lines_.notice(target, message));
}

void PlainView::finished(const std::filesystem::path& target, const Outcome& outcome) {
  told_.erase(target);
  out_.write(lines_.ending(target, outcome));
}

}  // namespace arkvory::cli
