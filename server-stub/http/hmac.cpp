// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/hmac.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <memory>

#include "core/base/ensure.h"

namespace arkvory::server {
namespace {

struct Freer {
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MAC_CTX, Freer>;

// One without a key, to be copied: finding algorithms by name costs more than using them.
const EVP_MAC_CTX* hmac_sha256_context() {
  static const Context context = [] {
    EVP_MAC* mac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
    Context made(EVP_MAC_CTX_new(mac));
    EVP_MAC_free(mac);
    char digest[] = "SHA2-256";
    const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                OSSL_PARAM_construct_end()};
    ensure(made != nullptr && EVP_MAC_CTX_set_params(made.get(), parameters.data()) == 1, "OpenSSL has HMAC-SHA-256");
    return made;
  }();
  return context.get();
}

}  // namespace

std::array<std::byte, 32> hmac_sha256(std::span<const std::byte> key, std::string_view text) {
  std::array<std::byte, 32> mac{};
  std::size_t length = 0;
  const Context context(EVP_MAC_CTX_dup(hmac_sha256_context()));
  const bool is_made =
      context != nullptr &&
      EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(key.data()), key.size(), nullptr) == 1 &&
      EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1 &&
      EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(mac.data()), &length, mac.size()) == 1;
  ensure(is_made && length == mac.size(), "OpenSSL makes an HMAC");
  return mac;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace arkvory::server
