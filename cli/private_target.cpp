// SPDX-License-Identifier: Apache-2.0
#include "cli/private_target.h"

#include <span>

#include "core/base/digest.h"

namespace arkvory::cli {

Result<TargetChoice> private_target(FileSystem& files, const std::optional<std::filesystem::path>& state_folder,
                                    std::string_view kind, const Url& url, bool may_make) {
  if (!state_folder) return fail(Fault::local, "neither HOME nor --state-dir tells where to keep what comes");
  auto folder = *state_folder / kind;
  if (may_make)
    if (auto made = files.make_folders(folder); !made) return pass_on(made.error());
  Sha256 digest;
  const auto text = url.text();
  digest.update(std::as_bytes(std::span(text)));
  return TargetChoice{std::move(folder), digest.finish().to_hex()};
}

}  // namespace arkvory::cli
