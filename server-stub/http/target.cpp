// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/target.h"

#include <algorithm>
#include <vector>

#include "core/http/headers.h"
#include "core/http/percent.h"

namespace arkvory::server {

std::string_view path_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const auto path = target.find_first_of("/?", scheme.size());
    target = path == std::string_view::npos || target[path] == '?' ? "/" : target.substr(path);
    break;
  }
  return target.substr(0, target.find('?'));
}

namespace {

// Whether the path's first segment is `d` and more follows, however that is spelt: with escapes, in capitals, with
// empty segments or dots before it. To whom wrote it so the token is no less secret.
bool is_link(std::string_view path) {
  const auto plain = percent_decoded_where_valid(path);
  std::vector<std::string_view> segments;
  for (std::string_view rest = plain; !rest.empty();) {
    const auto segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(segment.size() + 1, rest.size()));
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (segment.empty() || segment == "." || segment == "..") continue;
    segments.push_back(segment);
    if (segments.size() > 1 && equal_ignoring_case(segments.front(), "d")) return true;
  }
  return false;
}

}  // namespace

std::string redacted(std::string_view target) {
  const auto path = path_of(target);
  if (is_link(path)) return "/d/…";
  return std::string(path) + (target.find('?') == std::string_view::npos ? "" : "?…");
}

}  // namespace arkvory::server
