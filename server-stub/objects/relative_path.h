// SPDX-License-Identifier: Apache-2.0
// The path of an object below the root, made safe once, where it comes in.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace arkvory::server {

// Components joined by `/`: none is empty, `.` or `..`, and none holds a NUL, CR, LF or slash. Any other byte may be in
// a name. The empty path is the root.
class RelativePath {
 public:
  RelativePath() = default;

  // From the part of a request target behind `/files/`, without its query. Each component is percent-decoded once,
  // after the path was split: a slash or a `..` that was encoded stays one component and is refused. Fault::refused,
  // with words for the one who asked.
  static Result<RelativePath> from_url(std::string_view encoded);

  // A path that came from `text` before. Requires what is described above.
  static RelativePath from_text(std::string_view text);
  // One more component, from the disk. Requires a name as described above.
  RelativePath child(std::string_view name) const;

  const std::string& text() const { return text_; }
  bool is_root() const { return text_.empty(); }
  // The URL had a slash at its end (or was empty): it can only mean a folder.
  bool means_folder() const { return means_folder_; }
  // Percent-encoded, without a leading slash.
  std::string to_url() const;

  friend bool operator==(const RelativePath& left, const RelativePath& right) { return left.text_ == right.text_; }

 private:
  std::string text_;
  bool means_folder_ = true;
};

// One component, percent-encoded for a URL: all but the unreserved characters of RFC 3986 §2.3.
std::string percent_encoded(std::string_view component);

}  // namespace arkvory::server
