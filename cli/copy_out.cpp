// SPDX-License-Identifier: Apache-2.0
#include "cli/copy_out.h"

#include <vector>

namespace arkvory::cli {

Result<void> copy_to(DescriptorOutput& out, FileSystem& files, const std::filesystem::path& path,
                     Interrupt& interrupt) {
  auto file = files.open_to_read(path);
  if (!file) return pass_on(file.error());
  if (!*file) return fail(Fault::local, path.string() + " is gone");
  std::vector<std::byte> piece(256 * 1024);
  for (std::uint64_t at = 0; out.failure() == 0 && interrupt.signal() == 0;) {
    const auto got = (*file)->read_at(at, piece);
    if (!got) return pass_on(got.error());
    if (*got == 0) break;
    out.write({reinterpret_cast<const char*>(piece.data()), *got});
    at += *got;
  }
  return {};
}

}  // namespace arkvory::cli
