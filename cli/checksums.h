// SPDX-License-Identifier: Apache-2.0
// What --checksums says: a SHA256SUMS file, here or behind a URL, that knows a download's digest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/target_choice.h"
#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/engine/job.h"

namespace arkvory::cli {

// No larger one is read.
inline constexpr std::size_t kLargestChecksums = 16 << 20;

// The URL where the option names one; nothing where it names a file.
std::optional<Result<Url>> checksums_url(const std::string& option);

// The job that fetches it into a place of its own, always anew, for the download `first`. That one's credentials go
// along only where it is the same origin; elsewhere there are those in the URL, or none.
Result<Job> checksums_job(Url url, const Job& first, bool insecure, const TargetChoice& place);

// The digest that `text` has for the job's target, or else for the last component of its URL, `shown` being the file's
// name for the user. A name in a folder counts where no other is called so. Fault::usage where there is none.
Result<Sha256Digest> checksum_for(std::string_view text, const Job& job, std::string_view shown);

}  // namespace arkvory::cli
