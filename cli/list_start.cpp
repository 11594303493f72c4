// SPDX-License-Identifier: Apache-2.0
#include "cli/list_start.h"

#include <fmt/format.h>

namespace arkvory::cli {

namespace {

// The list is not the one that the record speaks of.
Result<bool> was_changed(const ListFile& file, const BatchRecord& record) {
  auto same = file.begins_with(record.length, record.digest);
  if (!same) return pass_on(same.error());
  return !*same;
}

Result<std::optional<BatchRecord>> taken_up(BatchLog& log, OpenedList& opened) {
  auto found = log.restore();
  if (!found && found.error().fault == Fault::state) {
    // Damaged ones have been set aside and a second call finds nothing; newer ones stay, and fail again.
    auto again = log.restore();
    if (!again) return again;
    opened.notes.push_back(found.error().text() + "; what earlier runs have done is not known");
    found = std::move(again);
  }
  return found;
}

}  // namespace

Result<OpenedList> open_list(const DownloadCommand& command, const std::filesystem::path& folder,
                             const ListWorld& world) {
  auto file = ListFile::open(*command.list, world.current);
  if (!file) return pass_on(file.error());
  OpenedList opened{.file = std::move(*file)};
  if (!opened.file.is_lasting() || !world.state_folder) return opened;
  BatchName name{opened.file.path(), folder, command.base_url ? command.base_url->text() : std::string()};
  std::optional<BatchLog> log;
  std::optional<BatchRecord> earlier;
  if (command.dry_run) {
    earlier = BatchLog::look(world.files, *world.state_folder, name);
  } else {
    auto claimed = BatchLog::claim(world.files, world.processes, *world.state_folder, std::move(name));
    if (!claimed) return pass_on(claimed.error());
    log = std::move(*claimed);
    auto found = taken_up(*log, opened);
    if (!found) return pass_on(found.error());
    earlier = std::move(*found);
  }
  if (!command.resume) earlier.reset();
  if (earlier) {
    auto changed = was_changed(opened.file, *earlier);
    if (!changed) return pass_on(changed.error());
    if (*changed) {
      opened.notes.push_back(
          fmt::format("the list {} was changed since an earlier run: what that has done is not known by it; digests in "
                      "the list tell",
                      *command.list));
      earlier.reset();
    }
  }
  opened.progress.emplace(std::move(log), world.clock, std::move(earlier));
  return opened;
}

}  // namespace arkvory::cli
