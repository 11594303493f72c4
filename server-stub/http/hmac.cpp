// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/hmac.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "core/base/ensure.h"

namespace arkvory::server {

struct HmacSha256::Keyed {
  EVP_MAC_CTX* context = nullptr;

  explicit Keyed(std::span<const std::byte> key) {
    EVP_MAC* const mac = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
    context = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);
    char digest[] = "SHA2-256";
    const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                OSSL_PARAM_construct_end()};
    ensure(context != nullptr && EVP_MAC_init(context, reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                                              parameters.data()) == 1,
           "OpenSSL has HMAC-SHA-256");
  }
  ~Keyed() { EVP_MAC_CTX_free(context); }
  Keyed(const Keyed&) = delete;
  Keyed& operator=(const Keyed&) = delete;
};

HmacSha256::HmacSha256(std::span<const std::byte> key) : keyed_(std::make_unique<Keyed>(key)) {}
HmacSha256::~HmacSha256() = default;
HmacSha256::HmacSha256(HmacSha256&&) noexcept = default;
HmacSha256& HmacSha256::operator=(HmacSha256&&) noexcept = default;

std::array<std::byte, 32> HmacSha256::of(std::string_view text) const {
  std::array<std::byte, 32> mac{};
  std::size_t length = 0;
  const bool is_made =
      EVP_MAC_init(keyed_->context, nullptr, 0, nullptr) == 1 &&
      EVP_MAC_update(keyed_->context, reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1 &&
      EVP_MAC_final(keyed_->context, reinterpret_cast<unsigned char*>(mac.data()), &length, mac.size()) == 1;
  ensure(is_made && length == mac.size(), "OpenSSL makes an HMAC");
  return mac;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace arkvory::server
