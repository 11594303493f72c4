// SPDX-License-Identifier: Apache-2.0
#include "cli/list_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "checkpoint/read_checkpoint.h"
#include "cli/local_time.h"
#include "cli/safe_text.h"
#include "core/base/rfc3339.h"
#include "core/base/size.h"

namespace arkvory::cli {

namespace {

std::string_view to_string(UnfinishedState state) {
  switch (state) {
    case UnfinishedState::running: return "running";
    case UnfinishedState::paused: return "paused";
    case UnfinishedState::damaged: return "damaged";
  }
  return "unknown";
}

Result<std::optional<Unfinished>> look_at(const StateAccess& state, const std::filesystem::path& target) {
  const auto owner = running_owner(state.files, state.processes, target);
  const auto checkpoint = read_checkpoint(state.files, target);
  const bool running = owner && owner->has_value();
  if (checkpoint && !checkpoint->has_value() && !running) return std::optional<Unfinished>();

  Unfinished unfinished{.target = target};
  unfinished.state = running ? UnfinishedState::running : UnfinishedState::paused;
  if (!checkpoint) {
    if (checkpoint.error().fault != Fault::state) return pass_on(checkpoint.error());
    unfinished.state = UnfinishedState::damaged;
    unfinished.last_error = checkpoint.error().text();
  } else if (checkpoint->has_value()) {
    const auto& progress = (*checkpoint)->progress;
    unfinished.bytes = progress.claimed.total();
    if (progress.facts.object) unfinished.total = progress.facts.object->size;
    if (const auto& place = progress.facts.place) {
      unfinished.position = place->position;
      unfinished.starts_at = place->starts_at;
    }
    unfinished.url = progress.facts.url.shown();
    unfinished.last_error = progress.facts.last_error;
  }
  return std::optional(std::move(unfinished));
}

}  // namespace

Result<UnfinishedList> unfinished_downloads(const StateAccess& state) {
  UnfinishedList list;
  if (state.registry == nullptr) return list;
  auto listing = state.registry->targets();
  if (!listing) return pass_on(listing.error());
  list.notes = std::move(listing->notes);
  for (const auto& entry : listing->entries) {
    auto unfinished = look_at(state, entry.target);
    // One that can't be read hides none of the others.
    if (!unfinished) {
      list.notes.push_back(unfinished.error().text());
      continue;
    }
    if (unfinished->has_value()) list.downloads.push_back(std::move(**unfinished));
  }
  return list;
}

std::string list_line(const Unfinished& unfinished) {
  using Json = nlohmann::ordered_json;
  Json json{{"v", 1},
            {"target", unfinished.target.native()},
            {"state", to_string(unfinished.state)},
            {"bytes", unfinished.bytes}};
  if (unfinished.total) json["total"] = *unfinished.total;
  if (unfinished.position) json["position"] = *unfinished.position;
  if (unfinished.starts_at) json["startsAt"] = format_rfc3339(*unfinished.starts_at);
  if (!unfinished.url.empty()) json["url"] = unfinished.url;
  if (!unfinished.last_error.empty()) json["lastError"] = unfinished.last_error;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string list_table(const std::vector<Unfinished>& list, WallTime now) {
  if (list.empty()) return {};
  using Row = std::array<std::string, 7>;
  std::vector<Row> rows{{"STATE", "HELD", "OF", "PLACE", "STARTS", "TARGET", "LAST ERROR"}};
  for (const auto& unfinished : list)
    rows.push_back({std::string(to_string(unfinished.state)), format_size(unfinished.bytes),
                    unfinished.total ? format_size(*unfinished.total) : "?",
                    unfinished.position ? fmt::format("{}", *unfinished.position) : "-",
                    unfinished.starts_at ? local_time(*unfinished.starts_at, now) : "-",
                    printable_line(unfinished.target.native()), printable_line(unfinished.last_error)});
  std::array<std::size_t, 7> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - display_width(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace arkvory::cli
