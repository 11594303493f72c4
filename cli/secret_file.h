// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/base/secret.h"

namespace arkvory::cli {

enum class OthersMayRead { no, yes };

// The content of a file of at most 64 KiB that holds secrets. Fault::auth where it can't be read, and with
// OthersMayRead::no where its mode lets the group or everybody read it.
Result<Secret> read_secret_file(const std::filesystem::path& path, OthersMayRead others);

}  // namespace arkvory::cli
