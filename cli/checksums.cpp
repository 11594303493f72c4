// SPDX-License-Identifier: Apache-2.0
#include "cli/checksums.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/credentials.h"
#include "cli/list_entry.h"
#include "core/http/percent.h"

namespace arkvory::cli {

namespace {

// All that a text has for one name.
struct Found {
  std::optional<Sha256Digest> whole{};   // the entry is called so
  std::optional<Sha256Digest> inside{};  // an entry in a folder is
  bool is_doubtful = false;              // several, with different digests
};

void note(std::optional<Sha256Digest>& known, const Sha256Digest& digest, bool& is_doubtful) {
  if (known && *known != digest) is_doubtful = true;
  known = digest;
}

Found find(std::string_view text, std::string_view name) {
  Found found;
  bool inside_is_doubtful = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto checksum = checksum_from(line);
    if (!checksum) continue;
    std::string_view entry = checksum->name;
    while (entry.starts_with("./")) entry.remove_prefix(2);
    if (entry == name) note(found.whole, checksum->sha256, found.is_doubtful);
    if (entry.ends_with(name) && entry.size() > name.size() && entry[entry.size() - name.size() - 1] == '/')
      note(found.inside, checksum->sha256, inside_is_doubtful);
  }
  if (!found.whole) found.is_doubtful = inside_is_doubtful;
  return found;
}

}  // namespace

std::optional<Result<Url>> checksums_url(const std::string& option) {
  const auto scheme = option.substr(0, option.find("://"));
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https")) return std::nullopt;
  return Url::parse(option);
}

Result<Job> checksums_job(Url url, const Job& first, bool insecure, const TargetChoice& place) {
  auto own = request_headers({}, insecure, url, {});
  if (!own) return pass_on(own.error());
  const bool is_same_origin = url.origin() == first.url.origin();
  Job job{.url = std::move(url),
          .folder = place.folder,
          .name = place.name,
          .shape = first.shape,
          .headers = is_same_origin ? first.headers : std::move(*own),
          .resume = false,
          .wait_lock = first.wait_lock};
  job.shape.sha256.reset();
  job.shape.max_size = kLargestChecksums;
  job.shape.download_class.clear();
  job.shape.force = true;
  job.shape.raw = false;
  job.shape.remote_time = false;
  return job;
}

Result<Sha256Digest> checksum_for(std::string_view text, const Job& job, std::string_view shown) {
  const auto in_url = percent_decoded_where_valid(job.url.last_component());
  for (const auto& name : {job.name, in_url}) {
    if (name.empty()) continue;
    const auto found = find(text, name);
    if (found.is_doubtful)
      return fail(Fault::usage, fmt::format("{} has several entries for {} with different digests", shown, name));
    if (found.whole) return *found.whole;
    if (found.inside) return *found.inside;
  }
  const auto name = job.name.empty() || job.name == in_url ? in_url : job.name + " or " + in_url;
  return fail(Fault::usage, fmt::format("{} has no entry for {}", shown, name));
}

}  // namespace arkvory::cli
