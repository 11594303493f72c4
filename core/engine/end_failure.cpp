// SPDX-License-Identifier: Apache-2.0
#include "core/engine/end_failure.h"

#include <fmt/format.h>

namespace arkvory {

namespace {

Failure proxy_failure(const TransferEnd& end, WallTime now) {
  const auto words = fmt::format("the proxy answered {}", end.proxy_status);
  const auto asked = RetryAfter::from(end.proxy_headers, now);
  // As from a server (client.md, Waiting).
  if (end.proxy_status == 429 || (end.proxy_status == 503 && asked))
    return {.error = {Fault::busy, words, end.cause}, .asked = asked};
  if (end.proxy_status == 407) return {.error = {Fault::auth, words, end.cause}};
  if (end.proxy_status >= 400 && end.proxy_status < 500) return {.error = {Fault::refused, words, end.cause}};
  return {.error = {Fault::network, words, end.cause}};
}

}  // namespace

Failure failure_of_end(const TransferEnd& end, const Url& url, WallTime now) {
  const auto host = url.origin();
  switch (end.kind) {
    case EndKind::complete:
    case EndKind::stopped:
    case EndKind::cut:
      return {.error = {Fault::network, fmt::format("the answer of {} was cut short", host), end.cause}};
    case EndKind::no_network: return {.error = {Fault::weather, fmt::format("no way to {}", host), end.cause}};
    case EndKind::not_resolved:
      return {.error = {Fault::network, fmt::format("the name {} has no address", url.host()), end.cause}};
    case EndKind::not_connected:
      return {.error = {Fault::network, fmt::format("{} can't be reached", host), end.cause}};
    case EndKind::never_begun:
      return {.error = {Fault::network, fmt::format("{} did not begin the request", host), end.cause}, .free = true};
    case EndKind::not_secure:
      return {.error = {Fault::untrusted, fmt::format("the certificate of {} can't be trusted", host), end.cause}};
    case EndKind::certificate_refused:
      return {.error = {Fault::auth, fmt::format("{} refuses the client certificate", host), end.cause}};
    case EndKind::malformed:
      return {.error = {Fault::untrusted, fmt::format("{} sent what is no proper HTTP answer", host), end.cause}};
    case EndKind::proxy_refused: return proxy_failure(end, now);
    case EndKind::internal:
      return {.error = {Fault::internal, fmt::format("the request to {} could not be made", host), end.cause}};
  }
  return {.error = {Fault::internal, "a request ended in an unknown way", end.cause}};
}

}  // namespace arkvory
