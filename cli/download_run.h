// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"
#include "cli/session.h"

namespace arkvory::cli {

// `download` from its first look at the options to its last word; the status. Does not come back where a signal ended
// it.
int run_download(Session& session, const DownloadCommand& command);

}  // namespace arkvory::cli
