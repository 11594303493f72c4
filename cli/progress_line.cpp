// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/local_time.h"
#include "cli/safe_text.h"
#include "core/base/size.h"
#include "core/base/wide.h"

namespace arkvory::cli {

namespace {

constexpr std::size_t kNarrowestName = 8;
constexpr std::size_t kWidestBar = 30;
constexpr std::size_t kNarrowestBar = 10;

// 100 only when every byte is there.
std::optional<unsigned> percent(const ProgressStatus& progress) {
  if (!progress.total || *progress.total == 0) return std::nullopt;
  const auto bytes = std::min(progress.bytes, *progress.total);
  return static_cast<unsigned>(static_cast<Wide>(bytes) * 100 / *progress.total);
}

std::string percent_text(const ProgressStatus& progress) {
  const auto part = percent(progress);
  return part ? fmt::format("{:>3} %", *part) : std::string();
}

std::string time_left(const ProgressStatus& progress) {
  if (!progress.total || progress.rate < 1 || progress.bytes >= *progress.total) return {};
  const auto seconds = static_cast<double>(*progress.total - progress.bytes) / progress.rate;
  constexpr double longest = 99.0 * 24 * 3600;
  if (seconds > longest) return {};
  return format_duration(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))) + " left";
}

std::string rate_text(const ProgressStatus& progress) {
  return progress.rate >= 1 ? format_rate(progress.rate) : std::string();
}

std::string bar(std::size_t inside, unsigned part) {
  const auto filled = inside * part / 100;
  return "[" + std::string(filled, '#') + std::string(inside - filled, '.') + "]";
}

void append(std::string& line, std::string_view part, std::string_view between = "  ") {
  if (part.empty()) return;
  if (!line.empty()) line += between;
  line += part;
}

std::string named(std::size_t width, const std::string& name, const std::string& rest) {
  const auto taken = display_width(rest) + 2;
  if (taken >= width) return shortened(rest, width);
  return shortened(name, width - taken) + "  " + rest;
}

std::string transferring_line(std::size_t width, const LineState& state) {
  const auto& progress = state.progress;
  const auto held = format_size(progress.bytes);
  const auto amount = progress.total ? held + " of " + format_size(*progress.total) : held;
  const auto name_width = std::min(display_width(state.name), std::max(kNarrowestName, width / 3));

  // From everything to little: the first that leaves room for the name.
  const std::vector<std::vector<std::string>> tries{
      {percent_text(progress), amount, rate_text(progress), time_left(progress)},
      {percent_text(progress), amount, rate_text(progress)},
      {percent_text(progress), amount},
      {percent_text(progress), held}};
  for (const auto& parts : tries) {
    std::string rest;
    for (const auto& part : parts) append(rest, part);
    if (name_width + 2 + display_width(rest) > width) continue;
    const auto room = width - name_width - 2 - display_width(rest);
    if (const auto part = percent(progress); part && &parts == &tries.front() && room >= kNarrowestBar + 4)
      rest.insert(5, "  " + bar(std::min(kWidestBar, room - 4), *part));
    return named(width, state.name, rest);
  }
  return named(width, state.name, progress.total ? percent_text(progress) : held);
}

}  // namespace

std::string progress_line(std::size_t width, const LineState& state) {
  switch (state.phase) {
    case Phase::starting: return named(width, state.name, "starting");
    case Phase::verifying: return named(width, state.name, "verifying");
    case Phase::transferring: return transferring_line(width, state);
    case Phase::waiting: break;
  }
  // The words matter more than the name: they are cut last.
  const auto name_width = std::min(display_width(state.name), std::max(kNarrowestName, width / 3));
  if (width <= name_width + 2) return shortened(state.waiting_text, width);
  return named(width, state.name, shortened(state.waiting_text, width - name_width - 2));
}

std::string progress_text(const LineState& state) {
  switch (state.phase) {
    case Phase::starting: return "starting";
    case Phase::verifying: return "verifying";
    case Phase::waiting: return state.waiting_text;
    case Phase::transferring: break;
  }
  const auto& progress = state.progress;
  const auto part = percent(progress);
  std::string text =
      part ? fmt::format("{} % of {}", *part, format_size(*progress.total)) : format_size(progress.bytes);
  append(text, rate_text(progress), ", ");
  append(text, time_left(progress), ", ");
  return text;
}

std::string waiting_text(const WaitStatus& wait, WallTime now) {
  const auto again = fmt::format("in {}", format_duration(wait.until - now));
  const auto why = printable_line(wait.why);
  switch (wait.reason) {
    case WaitReason::queue: {
      std::string text = "in queue";
      if (wait.position) text += fmt::format(", place {}", *wait.position);
      if (wait.starts_at && *wait.starts_at <= now) text += ", starts at any moment";
      if (wait.starts_at && *wait.starts_at > now)
        text += fmt::format(", starts about {} (in {})", local_time(*wait.starts_at, now),
                            format_duration(*wait.starts_at - now));
      return text;
    }
    case WaitReason::busy: return "server busy, asks again " + again;
    case WaitReason::fault: return (why.empty() ? "a fault" : why) + "; tries again " + again;
    case WaitReason::window: return fmt::format("waits until {} ({})", local_time(wait.until, now), again);
    case WaitReason::network: return (why.empty() ? "no network" : why) + "; tries again " + again;
    case WaitReason::lock: return (why.empty() ? "another process works on this target" : why) + "; waits for it";
  }
  return "waits";
}

}  // namespace arkvory::cli
