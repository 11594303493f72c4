// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/text_output.h"
#include "core/base/file_system.h"
#include "core/engine/interrupt.h"

namespace arkvory::cli {

// Writes a whole file to `out`, until that fails or the user interrupts. Fault::local where the file can't be read.
Result<void> copy_to(DescriptorOutput& out, FileSystem& files, const std::filesystem::path& path, Interrupt& interrupt);

}  // namespace arkvory::cli
