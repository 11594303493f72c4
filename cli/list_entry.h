// SPDX-License-Identifier: Apache-2.0
// One line of a list of downloads (-i), as a value. A list may come from elsewhere: nothing in it is believed unseen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/http/url.h"

namespace arkvory::cli {

// No longer line is read.
inline constexpr std::size_t kLongestLine = 64 * 1024;

struct ListEntry {
  Url url;
  std::string out{};  // relative to the folder, as `path_inside` makes it; empty: named by the answer
  std::optional<Sha256Digest> sha256{};
  std::string download_class{};
};

// Each takes a line without its end; the words of the error (Fault::usage) name what is wrong with it.

// A URL, then tab-separated `out=`, `sha256=` and `class=` in any order, each at most once.
Result<ListEntry> entry_from_tabs(std::string_view line);
// An object with `url` and, if wanted, `out`, `sha256` and `class`, all texts; nothing else, so that a slip in a name
// does not make a download unchecked.
Result<ListEntry> entry_from_json(std::string_view line);
// One of the two: JSON where the line begins with a brace.
Result<ListEntry> entry_from(std::string_view line);
// A line of a SHA256SUMS file, whose name is below `base`.
Result<ListEntry> entry_from_sums(std::string_view line, const Url& base);

// A line of a SHA256SUMS file: `HEX  NAME`, `HEX *NAME`, `SHA256 (NAME) = HEX`; with a backslash before it `\\`, `\n`
// and `\r` in the name are escaped. Nothing where it is none.
struct Checksum {
  std::string name;
  Sha256Digest sha256;
};
std::optional<Checksum> checksum_from(std::string_view line);

// An empty line, or a comment.
bool says_nothing(std::string_view line);

// A relative path of names only: no empty, `.` or `..` component is left, none is one of this program's own files, and
// the last leaves room for those beside it. Fault::usage where it is absolute, leads out of its folder, or names none.
Result<std::string> path_inside(std::string_view path);

}  // namespace arkvory::cli
