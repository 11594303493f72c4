// SPDX-License-Identifier: Apache-2.0
// An absolute http(s) URL (RFC 3986), without userinfo and fragment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/secret.h"

namespace arkvory {

class Url {
 public:
  // Fault::usage where the text is no absolute http(s) URL with a host. Spaces and bytes above 0x7F in path and query
  // are percent-encoded, control characters are refused, a fragment is dropped. Userinfo is taken out of the text; it
  // is available from `userinfo`, still percent-encoded, for the Authorization header, and is never part of `text`. The
  // words of the error show neither userinfo nor query.
  static Result<Url> parse(std::string_view text);

  // Resolves a Location against this URL (RFC 3986 §5.2; RFC 9110 §10.2.2): relative, `//host/x`, absolute. Other
  // schemes than http and https fail with Fault::untrusted. Userinfo in a Location is dropped.
  Result<Url> resolve(std::string_view reference) const;

  const std::string& scheme() const { return scheme_; }  // `http` or `https`
  const std::string& host() const { return host_; }      // canonical (host.h); IPv6 without brackets
  std::uint16_t port() const { return port_; }           // the scheme's own where none is given
  const std::string& path() const { return path_; }      // as sent, at least `/`
  const std::string& query() const { return query_; }    // with its `?`, or empty
  const Secret& userinfo() const { return userinfo_; }

  // The whole URL, as requested.
  std::string text() const;
  // For people and logs: the query, where there is one, is shown as `?…`.
  std::string shown() const;
  // scheme, host and port: what credentials are bound to.
  std::string origin() const;
  // The last component of the path, still percent-encoded; may be empty.
  std::string_view last_component() const;
  // The host is loopback: `localhost`, 127.0.0.0/8 or ::1.
  bool is_loopback() const;
  // The host is a link-local address: 169.254.0.0/16 or fe80::/10, IPv4-mapped too.
  bool is_link_local() const;

  friend bool operator==(const Url& left, const Url& right) { return left.text() == right.text(); }

 private:
  std::string scheme_;
  std::string host_;
  std::uint16_t port_ = 0;
  std::string path_;
  std::string query_;
  Secret userinfo_;
};

}  // namespace arkvory
