// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "core/base/ensure.h"

namespace arkvory::server {

std::array<std::byte, 32> hmac_sha256(std::span<const std::byte> key, std::string_view text) {
  std::array<std::byte, 32> mac{};
  unsigned length = 0;
  const auto* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
           text.size(), reinterpret_cast<unsigned char*>(mac.data()), &length);
  ensure(made != nullptr && length == mac.size(), "OpenSSL has HMAC-SHA-256");
  return mac;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace arkvory::server
