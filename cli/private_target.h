// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "cli/target_choice.h"
#include "core/http/url.h"

namespace arkvory::cli {

// Where what is no file of the user's is kept until it is whole: below the state folder, in a folder called `kind`,
// under a name made from the URL, so that the same command after a kill finds what it holds. The folder is made where
// it `may_make` one. Fault::local where there is no state folder or the folder can't be made.
Result<TargetChoice> private_target(FileSystem& files, const std::optional<std::filesystem::path>& state_folder,
                                    std::string_view kind, const Url& url, bool may_make);

}  // namespace arkvory::cli
