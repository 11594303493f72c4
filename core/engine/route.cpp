// SPDX-License-Identifier: Apache-2.0
#include "core/engine/route.h"

namespace arkvory {

namespace {

constexpr unsigned kMostRedirects = 20;

}  // namespace

Result<void> Route::follow(std::string_view location) {
  if (++hops_ > kMostRedirects)
    return fail(Fault::untrusted, "more than " + std::to_string(kMostRedirects) + " redirects in a row");
  auto next = current_.resolve(location);
  if (!next) return fail(Fault::untrusted, "a redirect leads nowhere: " + next.error().words, next.error().cause);
  if (current_.scheme() == "https" && next->scheme() != "https")
    return fail(Fault::untrusted, "a redirect leads from https to " + next->shown());
  if (next->is_link_local() && !first_.is_link_local())
    return fail(Fault::untrusted, "a redirect leads to a link-local address: " + next->shown());
  current_ = std::move(*next);
  ++version_;
  return {};
}

void Route::back_to_first() {
  current_ = first_;
  hops_ = 0;
  ++version_;
}

}  // namespace arkvory
