// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/http/transport.h"
#include "core/http/url.h"
#include "core/wait/wait_policy.h"

namespace arkvory {

// What the end of a request that brought too little means, by what one can do about it. The words name the host.
// `now` helps to read what a proxy says of when to come back.
Failure failure_of_end(const TransferEnd& end, const Url& url, WallTime now);

}  // namespace arkvory
