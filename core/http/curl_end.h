// SPDX-License-Identifier: Apache-2.0
// What libcurl's verdict on a transfer means to the one who asked.
#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "core/http/transport.h"

namespace arkvory {

// All that a verdict is judged by.
struct CurlVerdict {
  CURLcode code = CURLE_OK;
  std::string words;        // libcurl's own, may be empty
  long system_error = 0;    // CURLINFO_OS_ERRNO
  long connect_status = 0;  // the proxy's answer to CONNECT, 0 without one
  bool head_complete = false;
  bool answer_began = false;  // a first line of an answer came
  std::string_view host;
};

TransferEnd end_of(const CurlVerdict& verdict);

}  // namespace arkvory
