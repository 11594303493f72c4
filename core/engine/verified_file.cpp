// SPDX-License-Identifier: Apache-2.0
#include "core/engine/verified_file.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/ensure.h"

namespace arkvory {

Result<VerifiedFile> VerifiedFile::check(std::shared_ptr<File> file, std::filesystem::path path,
                                         const Evidence& evidence) {
  ensure(evidence.on_disk.ranges().contains_all_to(evidence.size), "only a whole object on disk is checked");
  auto length = file->size();
  if (!length) return pass_on(length.error());
  if (*length != evidence.size)
    return fail(Fault::local, path.string() + " was changed by another program while it was checked");
  ensure(!evidence.expected || evidence.computed, "an expected digest is compared");
  if (evidence.expected && *evidence.expected != *evidence.computed)
    return fail(Fault::integrity,
                fmt::format("SHA-256 is {}, not {}", evidence.computed->to_hex(), evidence.expected->to_hex()));
  return VerifiedFile(std::move(file), std::move(path));
}

Result<void> VerifiedFile::publish_as(FileSystem& files, const std::filesystem::path& target,
                                      const Publishing& how) && {
  if (auto done = file_->set_access(Access::shared); !done) return pass_on(done.error());
  if (how.modified)
    if (auto done = file_->set_modified_time(*how.modified); !done) return pass_on(done.error());
  if (how.replace) {
    if (auto renamed = files.rename(path_, target); !renamed) return pass_on(renamed.error());
  } else {
    auto renamed = files.rename_to_new(path_, target);
    if (!renamed) return pass_on(renamed.error());
    if (!*renamed)
      return fail(Fault::local,
                  fmt::format("{} appeared meanwhile and is not overwritten; the verified bytes are in {}",
                              target.string(), path_.string()));
  }
  return files.sync_folder(target.parent_path());
}

Result<Sha256Digest> sha256_of(File& file) {
  std::vector<std::byte> piece(256 * 1024);
  Sha256 digest;
  for (std::uint64_t at = 0;;) {
    auto got = file.read_at(at, piece);
    if (!got) return pass_on(got.error());
    if (*got == 0) return digest.finish();
    digest.update(std::span(piece).first(*got));
    at += *got;
  }
}

}  // namespace arkvory
