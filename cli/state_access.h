// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "checkpoint/owner.h"
#include "checkpoint/registry.h"
#include "core/base/file_system.h"

namespace arkvory::cli {

// What the commands about unfinished downloads look at and change.
struct StateAccess {
  FileSystem& files;
  ProcessTable& processes;
  Registry* registry;             // null where there is no state folder
  std::filesystem::path current;  // the folder from which relative targets are meant
};

}  // namespace arkvory::cli
