// SPDX-License-Identifier: Apache-2.0
// An open file of this machine as an object to send.
#pragma once

#include <memory>

#include "core/base/descriptor.h"
#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

// Requires a regular file, and what it was like when it was opened.
std::shared_ptr<ObjectFile> open_object(Descriptor descriptor, const FileIdentity& identity);

}  // namespace arkvory::server
