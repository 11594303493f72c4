// SPDX-License-Identifier: Apache-2.0
// Where requests go: the first URL, and what redirects made of it (client.md, Faults).
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/http/url.h"

namespace arkvory {

class Route {
 public:
  explicit Route(Url first) : first_(first), current_(std::move(first)) {}

  const Url& first() const { return first_; }
  const Url& current() const { return current_; }
  bool is_redirected() const { return !(first_ == current_); }
  // Credentials, `-H` headers and `Arkvory-*` headers belong to the first origin alone.
  bool is_first_origin() const { return first_.origin() == current_.origin(); }
  // Changes with every change of `current`: tells whether an answer speaks of where requests go now.
  std::uint64_t version() const { return version_; }

  // Takes a Location. Fault::untrusted after 20 redirects in a row, for other schemes than http(s), from https to
  // http, and to a link-local address unless the first URL had one.
  Result<void> follow(std::string_view location);
  // An answer that was no redirect: the chain is at its end.
  void arrived() { hops_ = 0; }
  // Forgets redirects: a signed URL has expired, or the server there asked to come back later.
  void back_to_first();

 private:
  Url first_;
  Url current_;
  unsigned hops_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace arkvory
