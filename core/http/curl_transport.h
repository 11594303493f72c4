// SPDX-License-Identifier: Apache-2.0
// Transport on one libcurl multi handle. The only user of libcurl.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/secret.h"
#include "core/http/transport.h"

namespace arkvory {

// What holds for every request of a run.
struct TransportOptions {
  std::string user_agent = "arkvoryctl";
  std::string proxy{};                      // empty: as the environment says (http_proxy, https_proxy, no_proxy)
  std::filesystem::path ca_file{};          // empty: SSL_CERT_FILE, then the system's
  std::filesystem::path client_certificate{};
  std::filesystem::path client_key{};
  bool verify_peer = true;                  // false only for --insecure
  bool use_netrc = false;
  // A descriptor that ends `wait_until` when it becomes readable (signals); -1 for none. It is not read here.
  int watched_descriptor = -1;
  // Told what goes over the wire, redacted, for `-vv`; empty for none.
  std::function<void(std::string_view line)> trace{};
};

// libcurl's and its TLS library's version, for `--version`.
std::string transport_version();

std::unique_ptr<Transport> make_curl_transport(const Clock& clock, TransportOptions options);

}  // namespace arkvory
