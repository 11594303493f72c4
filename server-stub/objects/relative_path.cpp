// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/relative_path.h"

#include "core/base/ensure.h"
#include "core/http/percent.h"

namespace arkvory::server {
namespace {

bool is_plain_name(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  return name.find_first_of(std::string_view("\0\r\n/", 4)) == std::string_view::npos;
}

}  // namespace

Result<RelativePath> RelativePath::from_url(std::string_view encoded) {
  RelativePath path;
  path.means_folder_ = encoded.empty() || encoded.back() == '/';
  if (!encoded.empty() && path.means_folder_) encoded.remove_suffix(1);
  while (!encoded.empty()) {
    const auto slash = encoded.find('/');
    const auto component = encoded.substr(0, slash);
    const auto name = percent_decoded(component);
    if (!name) return fail(Fault::refused, "the path has a percent sign without two hexadecimal digits");
    if (!is_plain_name(*name))
      return fail(Fault::refused,
                  "the path has a component that is empty, a dot, two dots, or holds a slash, NUL, CR or LF");
    if (!path.text_.empty()) path.text_ += '/';
    path.text_ += *name;
    if (slash == std::string_view::npos) break;
    encoded.remove_prefix(slash + 1);
    if (encoded.empty()) return fail(Fault::refused, "the path has an empty component");
  }
  return path;
}

RelativePath RelativePath::from_text(std::string_view text) {
  RelativePath path;
  while (!text.empty()) {
    const auto slash = text.find('/');
    path = path.child(text.substr(0, slash));
    if (slash == std::string_view::npos) break;
    text.remove_prefix(slash + 1);
  }
  return path;
}

RelativePath RelativePath::child(std::string_view name) const {
  ensure(is_plain_name(name), "a name from the disk is one component");
  RelativePath path;
  path.text_ = text_.empty() ? std::string(name) : text_ + '/' + std::string(name);
  path.means_folder_ = false;
  return path;
}

std::string RelativePath::to_url() const {
  std::string url;
  std::string_view rest = text_;
  while (!rest.empty()) {
    const auto slash = rest.find('/');
    url += percent_encoded(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    url += '/';
    rest.remove_prefix(slash + 1);
  }
  return url;
}

std::string percent_encoded(std::string_view component) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : component) {
    const bool is_unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                               c == '.' || c == '_' || c == '~';
    if (is_unreserved) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 15U];
  }
  return encoded;
}

}  // namespace arkvory::server
