// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstring>
#include <string>
#include <string_view>

namespace arkvory::server {
namespace {

constexpr std::string_view kHttp11 = "\x08http/1.1";

// What OpenSSL says of the last failure, and forgets it: its queue would be told to the next one who asks.
std::string reason() {
  const auto error = ERR_peek_error();
  const char* words = ERR_SYSTEM_ERROR(error) ? std::strerror(ERR_GET_REASON(error)) : ERR_reason_error_string(error);
  std::string text = words != nullptr ? words : "no reason is known";
  ERR_clear_error();
  return text;
}

// RFC 7301: HTTP/1.1 where the client names it. One that names others only is served all the same.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
  unsigned char* found = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kHttp11.data());
  const auto ours_length = static_cast<unsigned int>(kHttp11.size());
  if (SSL_select_next_proto(&found, length, ours, ours_length, offered, offered_length) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

// A key under a password can't be used: nobody is there to be asked when the machine starts.
int no_password(char*, int, int, void*) { return 0; }

bool set_modern_defaults(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_password);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

}  // namespace

Result<TlsContext> TlsContext::load(const std::filesystem::path& certificates, const std::filesystem::path& key) {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context || !set_modern_defaults(context.get())) return fail(Fault::internal, "TLS can't be set up", reason());
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificates.c_str()) != 1)
    return fail(Fault::local, "can't use " + certificates.string() + " as a chain of certificates in PEM", reason());
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
    return fail(Fault::local,
                "can't use " + key.string() + " as the PEM key, without a password, of " + certificates.string(),
                reason());
  return TlsContext(context);
}

bool means_plain_http(unsigned long error) {
  const auto reason = ERR_GET_REASON(error);
  return ERR_GET_LIB(error) == ERR_LIB_SSL && (reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST);
}

}  // namespace arkvory::server
