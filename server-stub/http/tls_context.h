// SPDX-License-Identifier: Apache-2.0
// What the server shows of itself over TLS: a certificate chain and its key, and which versions and ciphers it speaks.
//
// TLS 1.2 and 1.3 only (RFC 8996), in 1.2 only ephemeral keys and authenticated ciphers (RFC 9325 section 4.2), no
// renegotiation, no compression; sessions are resumed by tickets alone, so that no memory grows with the clients.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "core/base/result.h"

struct ssl_ctx_st;

namespace arkvory::server {

// Cheap to copy: a copy is the same one. A connection keeps the one that it began with.
class TlsContext {
 public:
  // Reads both from PEM files, the server's own certificate first. Fault::local with words that name the file where
  // one can't be read or used, or where the key belongs to another certificate. Waits for the disk.
  static Result<TlsContext> load(const std::filesystem::path& certificates, const std::filesystem::path& key);

  ssl_ctx_st* native() const { return context_.get(); }

 private:
  explicit TlsContext(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}

  std::shared_ptr<ssl_ctx_st> context_;
};

// Whether a handshake failed with this value of OpenSSL's errors because the client spoke HTTP without TLS.
bool means_plain_http(unsigned long error);

}  // namespace arkvory::server
