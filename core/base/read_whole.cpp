// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/file_system.h"

namespace arkvory {

std::filesystem::path aside_path(const std::filesystem::path& path) {
  auto aside = path;
  aside += ".new";
  return aside;
}

Result<std::optional<std::string>> read_whole(FileSystem& files, const std::filesystem::path& path, std::size_t limit) {
  auto file = files.open_to_read(path);
  if (!file) return pass_on(file.error());
  if (*file == nullptr) return std::optional<std::string>();
  auto size = (*file)->size();
  if (!size) return pass_on(size.error());
  const auto too_large = [&] {
    return fail(Fault::local, "cannot read " + path.string(),
                "it is larger than the " + std::to_string(limit) + " bytes allowed");
  };
  if (*size > limit) return too_large();
  // One byte more than it says: a file that grows meanwhile, or whose size is not known before (as in /proc), is read
  // to its end all the same.
  std::string content;
  std::size_t held = 0;
  while (true) {
    content.resize(std::max<std::size_t>(held + 4096, *size + 1));
    auto count = (*file)->read_at(held, std::as_writable_bytes(std::span(content)).subspan(held));
    if (!count) return pass_on(count.error());
    held += *count;
    if (held > limit) return too_large();
    if (held < content.size()) break;
  }
  content.resize(held);
  return std::optional<std::string>(std::move(content));
}

}  // namespace arkvory
