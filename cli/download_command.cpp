// SPDX-License-Identifier: Apache-2.0
#include "cli/download_command.h"

#include <algorithm>

#include "cli/credentials.h"
#include "cli/target_choice.h"

namespace arkvory::cli {

Result<std::vector<Job>> download_jobs(const DownloadCommand& command, FileSystem& files,
                                       const std::filesystem::path& current, const Environment& environment) {
  const auto target = choose_target(files, current, command.output, command.folder);
  if (!target) return pass_on(target.error());
  std::vector<Job> jobs;
  for (const auto& url : command.urls) {
    auto headers = request_headers(command.run.credentials, command.run.network.insecure, url, environment);
    if (!headers) return pass_on(headers.error());
    auto shape = command.shape;
    note_sources(shape, command.run.credentials, url, current);
    jobs.push_back({.url = url,
                    .folder = target->folder,
                    .name = target->name,
                    .shape = std::move(shape),
                    .headers = std::move(*headers),
                    .resume = command.resume,
                    .force = command.force});
  }
  return jobs;
}

bool token_is_not_kept(const DownloadCommand& command, const Environment& environment) {
  const auto& credentials = command.run.credentials;
  const bool other = !credentials.token_file.empty() || credentials.headers.has("Authorization");
  const bool needed =
      std::any_of(command.urls.begin(), command.urls.end(), [](const Url& url) { return url.userinfo().empty(); });
  return !other && needed && variable(environment, "ARKVORY_TOKEN").has_value();
}

}  // namespace arkvory::cli
