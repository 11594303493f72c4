// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/options.h"
#include "cli/text_output.h"
#include "core/base/result.h"
#include "core/http/curl_transport.h"

namespace arkvory::cli {

// What the options say about every request of a run. Fault::local where --cacert can't be read, Fault::auth where a
// client certificate or its key can't. `trace` is where -v writes; it must outlive the transport.
Result<TransportOptions> transport_options(const RunOptions& run, const std::filesystem::path& current,
                                           TextOutput& trace);

}  // namespace arkvory::cli
