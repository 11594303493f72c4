// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>
#include <sys/random.h>

#include <cerrno>
#include <utility>

#include "core/base/digest.h"
#include "core/base/ensure.h"

namespace arkvory {

namespace {

// Fetched once: EVP_MD_fetch per digest is slow.
const EVP_MD* sha256_algorithm() {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA2-256", nullptr);
  ensure(algorithm != nullptr, "OpenSSL has SHA-256");
  return algorithm;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<Sha256Digest> Sha256Digest::from_hex(std::string_view text) {
  Bytes bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return Sha256Digest(bytes);
}

std::string Sha256Digest::to_hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes_.size());
  for (const auto byte : bytes_) {
    const auto value = std::to_integer<unsigned>(byte);
    text.push_back(digits[value >> 4U]);
    text.push_back(digits[value & 15U]);
  }
  return text;
}

struct Sha256::Context {
  EVP_MD_CTX* raw = EVP_MD_CTX_new();
  Context() = default;
  ~Context() { EVP_MD_CTX_free(raw); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The last one that the thread gave up: to make one costs several times what a short text costs to digest.
  static std::unique_ptr<Context>& spare() {
    thread_local std::unique_ptr<Context> kept;
    return kept;
  }
};

Sha256::Sha256() : context_(std::move(Context::spare())) {
  if (context_ == nullptr) context_ = std::make_unique<Context>();
  ensure(context_->raw != nullptr && EVP_DigestInit_ex2(context_->raw, sha256_algorithm(), nullptr) == 1,
         "SHA-256 can begin");
}
Sha256::~Sha256() {
  if (context_ != nullptr) Context::spare() = std::move(context_);
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  ensure(EVP_DigestUpdate(context_->raw, bytes.data(), bytes.size()) == 1, "SHA-256 takes bytes");
}

Sha256Digest Sha256::finish() {
  Sha256Digest::Bytes bytes{};
  unsigned length = 0;
  ensure(EVP_DigestFinal_ex(context_->raw, reinterpret_cast<unsigned char*>(bytes.data()), &length) == 1 &&
             length == bytes.size(),
         "SHA-256 ends once");
  return Sha256Digest(bytes);
}

std::array<std::byte, 16> random_128_bits() {
  std::array<std::byte, 16> bytes{};
  // So few are never given in parts (getrandom(2)). The kernel's are asked directly: to set up a generator of a
  // library's own costs a short run more than all else that it computes.
  ssize_t count = -1;
  do count = ::getrandom(bytes.data(), bytes.size(), 0);
  while (count < 0 && errno == EINTR);
  ensure(count == static_cast<ssize_t>(bytes.size()), "the system has randomness");
  return bytes;
}

}  // namespace arkvory
