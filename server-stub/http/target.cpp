// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/target.h"

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

std::string redacted(std::string_view target) {
  const auto path = path_of(target);
  // Also where someone wrote the prefix in another way, to whom the token is no less secret.
  std::string plain = percent_decoded_where_valid(path);
  while (plain.starts_with("//")) plain.erase(0, 1);
  if (equal_ignoring_case(std::string_view(plain).substr(0, 3), "/d/")) return "/d/…";
  return std::string(path) + (target.find('?') == std::string_view::npos ? "" : "?…");
}

}  // namespace arkvory::server
