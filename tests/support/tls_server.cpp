// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tls_server.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>

#include <algorithm>
#include <climits>
#include <string_view>

#include "core/base/ensure.h"

namespace arkvory::test {

namespace {

struct Freer {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(BIO* text) const { BIO_free(text); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};
template <typename T>
using Owned = std::unique_ptr<T, Freer>;

Owned<X509> make_certificate(const TlsSettings& settings, EVP_PKEY* key) {
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -24L * 60 * 60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), settings.valid_for.count());
  X509_set_pubkey(certificate.get(), key);
  const std::string name = "hostile";
  auto* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.data()),
                             static_cast<int>(name.size()), -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  const Owned<X509_EXTENSION> names(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, settings.names.c_str()));
  ensure(names != nullptr, "a test names its server in a way that OpenSSL understands");
  X509_add_ext(certificate.get(), names.get(), -1);
  ensure(X509_sign(certificate.get(), key, EVP_sha256()) > 0, "a test can sign its certificate");
  return certificate;
}

std::string text_in(BIO* memory) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

// Takes the protocol that the settings name where the client offers it.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned offered_length, void* settings) {
  const auto& wanted = static_cast<const TlsSettings*>(settings)->protocol;
  for (unsigned at = 0; at < offered_length; at += 1U + offered[at]) {
    const std::string_view one(reinterpret_cast<const char*>(offered + at + 1), offered[at]);
    if (one != wanted) continue;
    *chosen = offered + at + 1;
    *length = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

class Session final : public TlsSession {
 public:
  Session(SSL_CTX* context, int descriptor) : ssl_(SSL_new(context)) {
    SSL_set_fd(ssl_.get(), descriptor);
    SSL_set_accept_state(ssl_.get());
  }

  Step read(std::span<std::byte> into) override {
    ERR_clear_error();
    return step(SSL_read(ssl_.get(), into.data(), length(into.size())));
  }

  Step write(std::span<const std::byte> bytes) override {
    ERR_clear_error();
    return step(SSL_write(ssl_.get(), bytes.data(), length(bytes.size())));
  }

  void say_goodbye() override {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }

 private:
  static int length(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

  Step step(int result) {
    if (result > 0) return {static_cast<std::size_t>(result)};
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return {0, Wants::to_read};
      case SSL_ERROR_WANT_WRITE: return {0, Wants::to_write};
      default: return {0, Wants::to_end};
    }
  }

  Owned<SSL> ssl_;
};

}  // namespace

struct TlsServer::State {
  TlsSettings settings;
  Owned<SSL_CTX> context;
  std::string pem;
};

TlsServer::TlsServer(const TlsSettings& settings) : state_(std::make_unique<State>()) {
  state_->settings = settings;
  // OpenSSL writes to sockets in a way that a client that has gone would end the test by.
  signal(SIGPIPE, SIG_IGN);
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  ensure(key != nullptr, "a test can make a key");
  const auto certificate = make_certificate(settings, key.get());
  state_->context.reset(SSL_CTX_new(TLS_server_method()));
  auto* context = state_->context.get();
  SSL_CTX_use_certificate(context, certificate.get());
  SSL_CTX_use_PrivateKey(context, key.get());
  // A write that was told to wait is tried again with what is left, wherever that lies by then.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Each connection sees the certificate: a session taken up again would not show that it has expired.
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (!settings.protocol.empty()) SSL_CTX_set_alpn_select_cb(context, choose_protocol, &state_->settings);
  const Owned<BIO> text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(text.get(), certificate.get());
  state_->pem = text_in(text.get());
}

TlsServer::~TlsServer() = default;

const std::string& TlsServer::certificate_pem() const { return state_->pem; }

std::string TlsServer::key_pem() const {
  const Owned<BIO> text(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(text.get(), SSL_CTX_get0_privatekey(state_->context.get()), nullptr, nullptr, 0, nullptr,
                           nullptr);
  return text_in(text.get());
}

std::unique_ptr<TlsSession> TlsServer::accept(int descriptor) const {
  return std::make_unique<Session>(state_->context.get(), descriptor);
}

}  // namespace arkvory::test
