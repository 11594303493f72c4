// SPDX-License-Identifier: Apache-2.0
#include "core/http/curl_end.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/http/route_check.h"

namespace arkvory {

namespace {

template <std::size_t N>
bool says_one_of(std::string_view words, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](auto part) { return words.find(part) != std::string_view::npos; });
}

// OpenSSL's names of the alerts by which a server turns down our certificate (RFC 8446 §6.2). With TLS 1.3 they come
// with the first read, after a handshake that looked fine, so the code alone tells nothing.
bool is_certificate_alert(std::string_view words) {
  constexpr std::array<std::string_view, 7> alerts = {
      "alert bad certificate", "alert certificate",   "alert unsupported certificate", "alert unknown ca",
      "alert no certificate",  "alert access denied", "alert insufficient_security"};
  return says_one_of(words, alerts);
}

bool is_without_network(long system_error) {
  return system_error == ENETUNREACH || system_error == EHOSTUNREACH || system_error == ENETDOWN ||
         system_error == EADDRNOTAVAIL;
}

// The name server's own words are not passed on by libcurl: without a way out it can't have been asked. `.invalid` has
// no address by definition (RFC 6761 §6.4).
EndKind unresolved(std::string_view host) {
  if (host.ends_with(".invalid")) return EndKind::not_resolved;
  return has_route_out() ? EndKind::not_resolved : EndKind::no_network;
}

// A handshake that broke off may work next time; one that was refused will not.
EndKind failed_handshake(const CurlVerdict& verdict) {
  constexpr std::array<std::string_view, 4> broken_off = {"SSL_ERROR_SYSCALL", "unexpected eof", "reset by peer",
                                                          "Broken pipe"};
  return says_one_of(verdict.words, broken_off) ? EndKind::cut : EndKind::not_secure;
}

EndKind kind_of(const CurlVerdict& verdict) {
  // By number, because the oldest libcurl we build with has no name for it (CURLE_TOO_LARGE, 8.6).
  constexpr int too_large = 100;
  if (static_cast<int>(verdict.code) == too_large) return EndKind::malformed;
  switch (verdict.code) {
    case CURLE_OK: return verdict.head_complete ? EndKind::complete : EndKind::cut;
    case CURLE_COULDNT_RESOLVE_HOST: return unresolved(verdict.host);
    case CURLE_URL_MALFORMAT: return EndKind::not_resolved;  // a host name that can't be looked up
    case CURLE_COULDNT_RESOLVE_PROXY: return has_route_out() ? EndKind::proxy_refused : EndKind::no_network;
    case CURLE_PROXY: return EndKind::proxy_refused;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
      return is_without_network(verdict.system_error) ? EndKind::no_network : EndKind::not_connected;
    case CURLE_OPERATION_TIMEDOUT: return EndKind::not_connected;  // only connecting has a time limit
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_USE_SSL_FAILED: return EndKind::not_secure;
    case CURLE_SSL_CONNECT_ERROR: return failed_handshake(verdict);
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CLIENTCERT: return EndKind::certificate_refused;
    case CURLE_UNSUPPORTED_PROTOCOL:  // an answer without a status line (HTTP/0.9)
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED: return EndKind::malformed;
    // One header line beyond libcurl's limit is told so before 8.6 (hostile case C11).
    case CURLE_OUT_OF_MEMORY:
      return verdict.answer_began && !verdict.head_complete ? EndKind::malformed : EndKind::internal;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP3:
    case CURLE_SSL_SHUTDOWN_FAILED:
      return verdict.words.find("REFUSED_STREAM") != std::string::npos && !verdict.answer_began ? EndKind::never_begun
                                                                                                : EndKind::cut;
    default: return EndKind::internal;
  }
}

bool is_proxy_refusal(const CurlVerdict& verdict) {
  return verdict.code != CURLE_OK && verdict.connect_status != 0 && verdict.connect_status / 100 != 2;
}

}  // namespace

TransferEnd end_of(const CurlVerdict& verdict) {
  if (is_proxy_refusal(verdict))
    return {EndKind::proxy_refused, verdict.words, static_cast<int>(verdict.connect_status)};
  if (verdict.code != CURLE_OK && is_certificate_alert(verdict.words))
    return {EndKind::certificate_refused, verdict.words, 0};
  return {kind_of(verdict), verdict.words, 0};
}

}  // namespace arkvory
