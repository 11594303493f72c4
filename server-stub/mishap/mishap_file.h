// SPDX-License-Identifier: Apache-2.0
// The file of `arkvory-stub serve --mishap` (arkvory-mishap(5)).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/file_system.h"
#include "core/base/result.h"
#include "server-stub/mishap/mishap_script.h"

namespace arkvory::server {

// Fault::usage with one line: the JSON Pointer of the fault and what it should be, as in
// `/0/cut/after: takes a size such as "40MB"`.
Result<std::vector<MishapRule>> parse_mishaps(std::string_view text);

// As `parse_mishaps`, with the file's name in the words; also where there is no such file. Fault::local where it can't
// be read.
Result<MishapScript> load_mishaps(FileSystem& files, const std::filesystem::path& path);

}  // namespace arkvory::server
