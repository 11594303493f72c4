// SPDX-License-Identifier: Apache-2.0
#include "core/http/url.h"

#include <algorithm>
#include <optional>

#include "core/base/size.h"
#include "core/http/headers.h"
#include "core/http/host.h"
#include "core/http/percent.h"

namespace arkvory {

namespace {

// The five components of RFC 3986 §3, absent ones apart from empty ones; the fragment is dropped.
struct Components {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::string_view query;  // with its `?`, or empty
};

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool may_stand_in_scheme(char c) { return is_alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::optional<std::string_view> scheme_of(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(text.front())) return std::nullopt;
  const auto scheme = text.substr(0, colon);
  if (!std::all_of(scheme.begin(), scheme.end(), may_stand_in_scheme)) return std::nullopt;
  return scheme;
}

Components split(std::string_view text) {
  Components parts;
  text = text.substr(0, text.find('#'));
  parts.scheme = scheme_of(text);
  if (parts.scheme) text.remove_prefix(parts.scheme->size() + 1);
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    parts.authority = text.substr(0, text.find_first_of("/?"));
    text.remove_prefix(parts.authority->size());
  }
  parts.path = text.substr(0, text.find('?'));
  parts.query = text.substr(parts.path.size());
  return parts;
}

// RFC 3986 §5.2.4, for a path that begins with a slash.
std::string without_dot_segments(std::string_view path) {
  std::string output;
  while (!path.empty()) {
    const auto segment = path.substr(0, path.find('/', 1));
    path.remove_prefix(segment.size());
    if (segment == "/." || segment == "/..") {
      if (segment == "/..") output.resize(output.empty() ? 0 : output.rfind('/'));
      if (path.empty()) output += '/';
      continue;
    }
    output += segment;
  }
  return output;
}

// RFC 3986 §5.2.3: the base always has an authority and a path here.
std::string merged(std::string_view base_path, std::string_view reference_path) {
  return std::string(base_path.substr(0, base_path.rfind('/') + 1)).append(reference_path);
}

// For an error message: nothing that may be a secret (userinfo, query), no controls, not endless.
std::string for_message(std::string_view text) {
  constexpr std::size_t longest = 200;
  const bool may_have_userinfo = text.find('@') != std::string_view::npos;
  const auto scheme = scheme_of(text);
  std::string shown(may_have_userinfo ? text.substr(0, scheme ? scheme->size() + 1 : 0)
                                      : text.substr(0, text.find_first_of("?#")));
  const bool cut = shown.size() > longest || shown.size() < text.size();
  shown.resize(std::min(shown.size(), longest));
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return "'" + shown + (cut ? "…'" : "'");
}

std::optional<std::uint16_t> parse_port(std::string_view text, std::string_view scheme) {
  if (text.empty()) return static_cast<std::uint16_t>(scheme == "https" ? 443 : 80);
  const auto number = parse_number(text);
  if (!number || *number == 0 || *number > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

// Where the host ends in `host:port`: an IPv6 address has colons of its own.
std::size_t end_of_host(std::string_view authority) {
  const auto bracket = authority.find(']');
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return std::min(colon, authority.size());
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  const auto bad = [text](const std::string& why) { return fail(Fault::usage, for_message(text) + why); };
  if (std::any_of(text.begin(), text.end(), is_control)) return bad(" has control characters in it");
  const auto parts = split(text);
  if (!parts.scheme) return bad(" is no absolute URL");
  Url url;
  if (equal_ignoring_case(*parts.scheme, "http")) url.scheme_ = "http";
  if (equal_ignoring_case(*parts.scheme, "https")) url.scheme_ = "https";
  if (url.scheme_.empty()) return bad(" is neither an http nor an https URL");
  if (!parts.authority) return bad(" has no host");

  auto authority = *parts.authority;
  // Some readers take a backslash for a slash: what precedes an `@` would be the host for them.
  if (authority.find('\\') != std::string_view::npos) return bad(" has a backslash before its path");
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    url.userinfo_ = Secret(std::string(authority.substr(0, at)));
    authority.remove_prefix(at + 1);
  }
  const auto host_end = end_of_host(authority);
  if (host_end == 0) return bad(" has no host");
  const auto host = canonical_host(authority.substr(0, host_end));
  if (!host) return bad(" has a host that is neither a name in ASCII nor an address");
  url.host_ = *host;
  const auto port = parse_port(authority.substr(std::min(host_end + 1, authority.size())), url.scheme_);
  if (!port) return bad(" has a port that is no number from 1 to 65535");
  url.port_ = *port;
  url.path_ = parts.path.empty() ? "/" : percent_encoded_where_needed(parts.path);
  url.query_ = percent_encoded_where_needed(parts.query);
  return url;
}

Result<Url> Url::resolve(std::string_view reference) const {
  const auto parts = split(reference);
  const auto scheme = parts.scheme.value_or(scheme_);
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https"))
    return fail(Fault::untrusted, "redirected to " + for_message(reference) + ", which is neither http nor https");

  std::string target(scheme);
  std::string path(parts.path);
  auto query = parts.query;
  if (parts.scheme || parts.authority) {
    target.append("://").append(parts.authority.value_or(""));
  } else {
    target = origin();
    if (path.empty() && query.empty()) query = query_;
    if (path.empty()) path = path_;
    if (!path.starts_with('/')) path = merged(path_, path);
  }
  if (!path.empty() && path.front() != '/')
    return fail(Fault::untrusted, "redirected to " + for_message(reference) + ", which has no host");
  target.append(without_dot_segments(path)).append(query);

  auto resolved = parse(target);
  if (!resolved) return fail(Fault::untrusted, "redirected to a place that can't be used: " + resolved.error().words);
  resolved->userinfo_ = Secret();
  return resolved;
}

std::string Url::origin() const {
  std::string text = scheme_ + "://" + (is_ipv6(host_) ? "[" + host_ + "]" : host_);
  if (port_ != (scheme_ == "https" ? 443 : 80)) text += ":" + std::to_string(port_);
  return text;
}

std::string Url::text() const { return origin() + path_ + query_; }

std::string Url::shown() const { return origin() + path_ + (query_.empty() ? "" : "?…"); }

std::string_view Url::last_component() const { return std::string_view(path_).substr(path_.rfind('/') + 1); }

bool Url::is_loopback() const { return is_loopback_host(host_); }

bool Url::is_link_local() const { return is_link_local_host(host_); }

}  // namespace arkvory
