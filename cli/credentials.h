// SPDX-License-Identifier: Apache-2.0
// The request headers a download takes along, secrets among them, and where they come from (client.md, Secrets).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/options.h"
#include "core/base/result.h"
#include "core/engine/job.h"

namespace arkvory::cli {

// For one URL: the headers of `options`, and at most one Authorization, from the first of these that there is: a
// `-H Authorization`, the URL's userinfo (Basic), the token file, ARKVORY_TOKEN (both Bearer). Fault::auth where a file
// can't be read, is empty, or lets others read a token; Fault::usage where a credential would go over plain HTTP to
// another machine without --insecure.
Result<Headers> request_headers(const CredentialOptions& options, bool insecure, const Url& url,
                                const Environment& environment);

// Notes in `shape` where the secrets of this download come from, and never what they are: paths from `current`, names
// of plain headers, `Authorization` for a URL's userinfo.
void note_sources(Shape& shape, const CredentialOptions& options, const Url& url, const std::filesystem::path& current);

// What a resumed download takes along: its own files read again, with those of `options` in their place where given.
// Fault::auth where a header is missing whose value was not kept.
Result<CredentialOptions> credentials_for_resume(const Shape& shape, const CredentialOptions& options,
                                                 const Environment& environment);

}  // namespace arkvory::cli
