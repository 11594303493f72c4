// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tls_client.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>

#include "core/base/ensure.h"

namespace arkvory::test {

struct TlsClient::State {
  SSL_CTX* context = nullptr;
  SSL* ssl = nullptr;
  bool is_agreed = false;
  std::string problem{};
  ~State() {
    SSL_free(ssl);
    SSL_CTX_free(context);
  }
};

TlsClient::TlsClient(int descriptor, const TlsTerms& terms) : state_(std::make_unique<State>()) {
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets in a way that a server that has gone would end the test by
  ERR_clear_error();
  auto* context = state_->context = SSL_CTX_new(TLS_client_method());
  // The lowest level lets old versions be offered at all, so that it is the server that refuses them.
  SSL_CTX_set_security_level(context, 0);
  const int version = terms.versions == "TLSv1.1" ? TLS1_1_VERSION : terms.versions == "TLSv1.2" ? TLS1_2_VERSION : 0;
  ensure(terms.versions.empty() || version != 0, "a test names a version that this client knows");
  SSL_CTX_set_min_proto_version(context, version);
  SSL_CTX_set_max_proto_version(context, version);
  if (!terms.ciphers.empty())
    ensure(SSL_CTX_set_cipher_list(context, terms.ciphers.c_str()) == 1, "a test names ciphers that OpenSSL knows");
  if (!terms.protocol.empty()) {
    const auto offer = static_cast<char>(terms.protocol.size()) + terms.protocol;
    SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(offer.data()),
                            static_cast<unsigned>(offer.size()));
  }
  state_->ssl = SSL_new(context);
  SSL_set_fd(state_->ssl, descriptor);
  state_->is_agreed = SSL_connect(state_->ssl) == 1;
  const char* words = state_->is_agreed ? nullptr : ERR_reason_error_string(ERR_peek_error());
  state_->problem = words != nullptr ? words : "";
  ERR_clear_error();
}

TlsClient::~TlsClient() = default;

bool TlsClient::is_agreed() const { return state_->is_agreed; }
std::string TlsClient::version() const { return SSL_get_version(state_->ssl); }
std::string TlsClient::problem() const { return state_->problem; }

std::string TlsClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(state_->ssl, &name, &length);
  return name == nullptr ? "" : std::string(reinterpret_cast<const char*>(name), length);
}

std::string TlsClient::certificate_pem() const {
  X509* certificate = SSL_get0_peer_certificate(state_->ssl);
  if (certificate == nullptr) return {};
  BIO* text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(text, certificate);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(text, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(text);
  return pem;
}

bool TlsClient::send(std::string_view text) {
  return SSL_write(state_->ssl, text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size());
}

std::size_t TlsClient::receive(std::span<char> into) {
  const auto count = SSL_read(state_->ssl, into.data(), static_cast<int>(into.size()));
  ERR_clear_error();
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace arkvory::test
