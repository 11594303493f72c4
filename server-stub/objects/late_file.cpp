// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/late_file.h"

namespace arkvory::server {

Result<void> LateFile::read(std::uint64_t offset, std::span<std::byte> into) {
  const auto found = tree_.open(path_);
  if (!found) return pass_on(found.error());
  const auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&*found);
  if (file == nullptr || (*file)->identity() != identity_)
    return fail(Fault::changed, "the file changed before it was read");
  return (*file)->read(offset, into);
}

}  // namespace arkvory::server
