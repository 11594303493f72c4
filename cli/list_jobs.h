// SPDX-License-Identifier: Apache-2.0
// The jobs of a list (-i): read as places fall free, in bounded memory, with what earlier runs have done left out.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/environment.h"
#include "cli/line_reader.h"
#include "cli/list_entry.h"
#include "cli/list_file.h"
#include "cli/list_progress.h"
#include "cli/options.h"
#include "cli/sub_folders.h"
#include "core/base/file_system.h"
#include "core/engine/batch.h"

namespace arkvory::cli {

// Told whether a list has to be waited for: then its descriptor is to end the transport's wait.
using Watch = std::function<void(bool is_wanted)>;

class ListJobs final : public JobSource {
 public:
  struct World {
    const DownloadCommand& command;  // its moments resolved
    FileSystem& files;
    const std::filesystem::path& current;
    const Environment& environment;
  };

  // All of `world` outlives the source. `folder` is absolute; without `progress` nothing is known of earlier runs.
  ListJobs(const World& world, std::filesystem::path folder, ListFile list, std::optional<ListProgress> progress,
           Watch watch);

  Supply next() override;
  void ended(std::uint64_t number, const std::filesystem::path& target, const Outcome& outcome) override;

  // The run is over. Returns what the user should know of the record, if anything.
  std::optional<Error> finish(bool all_ended_well);
  // Entries that were not begun; nothing where that can't be told without waiting.
  std::optional<std::uint64_t> unbegun();
  // Of the entries given, how many an earlier run had done.
  std::uint64_t done_earlier() const { return done_earlier_; }

 private:
  // An entry that was read and not given yet.
  struct Ahead {
    std::uint64_t line = 0;
    std::optional<ListEntry> entry{};
    std::optional<Outcome> settled{};  // it needs no job
    std::filesystem::path target{};    // as the line leads to expect it
  };

  void look_ahead();
  void take(const LineReader::Line& line);
  Ahead judged(std::uint64_t line, ListEntry entry);
  std::optional<Outcome> done_by_earlier_run(const Ahead& ahead, const std::optional<FileStatus>& standing);
  bool is_expected_already(const std::filesystem::path& target) const;
  Ahead faulty(std::uint64_t line, Error error) const;
  Result<Job> job_for(const Ahead& ahead);
  void keep(Result<void> kept);

  const World world_;
  const std::filesystem::path folder_;
  const ListFile list_;
  const std::string shown_;  // the list as the user named it
  LineReader reader_;
  SubFolders sub_folders_;
  std::optional<ListProgress> progress_;
  std::optional<Error> record_failure_;
  Watch watch_;
  std::deque<Ahead> ahead_;
  std::map<std::uint64_t, std::filesystem::path> running_;  // by line: the expected targets
  std::uint64_t done_earlier_ = 0;
  bool is_read_ = false;  // to its end
};

}  // namespace arkvory::cli
