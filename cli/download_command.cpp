// SPDX-License-Identifier: Apache-2.0
#include "cli/download_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/credentials.h"

namespace arkvory::cli {

Result<TargetChoice> download_target(const DownloadCommand& command, FileSystem& files,
                                     const std::filesystem::path& current) {
  return choose_target(files, current, command.output, command.folder);
}

Result<std::vector<Job>> download_jobs(const DownloadCommand& command, const TargetChoice& target,
                                       const std::filesystem::path& current, const Environment& environment) {
  std::vector<Job> jobs;
  for (const auto& url : command.urls) {
    auto headers = request_headers(command.run.credentials, command.run.network.insecure, url, environment);
    if (!headers) return pass_on(headers.error());
    auto shape = command.shape;
    shape.force = command.force || command.to_standard_output();
    note_sources(shape, command.run.credentials, url, current);
    jobs.push_back({.url = url,
                    .folder = target.folder,
                    .name = target.name,
                    .shape = std::move(shape),
                    .headers = std::move(*headers),
                    .resume = command.resume,
                    .wait_lock = command.wait_lock});
  }
  return jobs;
}

Result<void> resolve_moments(DownloadCommand& command, WallTime now, const LocalClock& zone) {
  const auto meant = [&](const char* option, const std::string& text,
                         WallTime from) -> Result<std::optional<GivenTime>> {
    if (text.empty()) return std::optional<GivenTime>();
    const auto moment = parse_time_argument(text, now, from, zone);
    if (!moment) return fail(Fault::usage, fmt::format("{}: '{}' is too far away", option, text));
    return std::optional(GivenTime{text, *moment});
  };
  auto before = meant("--not-before", command.not_before, now);
  if (!before) return pass_on(before.error());
  const auto begins = *before ? std::max(now, (*before)->time) : now;
  // HH:MM is the first one after that: where a day's clock skips both, the deadline is the next day's (A11).
  auto after = meant("--not-after", command.not_after, begins + std::chrono::milliseconds(1));
  if (!after) return pass_on(after.error());
  if (*before && *after && (*after)->time <= (*before)->time)
    return fail(Fault::usage, "--not-after is not after --not-before");
  command.shape.not_before = std::move(*before);
  command.shape.not_after = std::move(*after);
  return {};
}

bool token_is_not_kept(const DownloadCommand& command, const Environment& environment) {
  const auto& credentials = command.run.credentials;
  const bool other = !credentials.token_file.empty() || credentials.headers.has("Authorization");
  const bool needed = command.list.has_value() || std::any_of(command.urls.begin(), command.urls.end(),
                                                              [](const Url& url) { return url.userinfo().empty(); });
  return !other && needed && variable(environment, "ARKVORY_TOKEN").has_value();
}

}  // namespace arkvory::cli
