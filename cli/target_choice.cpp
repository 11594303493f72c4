// SPDX-License-Identifier: Apache-2.0
#include "cli/target_choice.h"

#include <fmt/format.h>

#include <system_error>

#include "core/engine/file_names.h"

namespace arkvory::cli {

namespace {

// NAME_MAX of the file systems in use.
constexpr std::size_t kLongestName = 255;

Result<std::filesystem::path> existing_folder(const std::filesystem::path& current,
                                              const std::filesystem::path& folder) {
  std::error_code error;
  auto whole = std::filesystem::canonical(current / folder, error);
  if (error == std::errc::no_such_file_or_directory)
    return fail(Fault::local, fmt::format("folder {} does not exist; none is made", folder.native()));
  if (error) return fail(Fault::local, fmt::format("folder {} can't be used", folder.native()), error.message());
  if (!std::filesystem::is_directory(whole, error))
    return fail(Fault::local, fmt::format("{} is no folder", folder.native()), error ? error.message() : "");
  return whole;
}

Result<void> may_be_target(FileSystem& files, const std::filesystem::path& target, const std::string& shown) {
  const auto there = files.status(target);
  if (!there) return pass_on(there.error());
  if (!there->has_value()) return {};
  switch ((*there)->kind) {
    case FileKind::regular: return {};
    case FileKind::folder: return fail(Fault::local, fmt::format("{} is a folder; -d downloads into it", shown));
    case FileKind::symlink:
      return fail(Fault::local, fmt::format("{} is a symbolic link; name the file itself", shown));
    case FileKind::other:
      return fail(Fault::local, fmt::format("{} is a FIFO, socket or device, no regular file", shown));
  }
  return {};
}

}  // namespace

Result<TargetChoice> choose_target(FileSystem& files, const std::filesystem::path& current,
                                   const std::optional<std::string>& output, const std::optional<std::string>& folder) {
  if (!output) {
    auto whole = existing_folder(current, folder ? *folder : std::string("."));
    if (!whole) return pass_on(whole.error());
    return TargetChoice{std::move(*whole)};
  }
  const std::filesystem::path path = *output;
  const auto name = path.filename().native();
  if (name.empty() || name == "." || name == "..")
    return fail(Fault::local, fmt::format("{} is a folder; -d downloads into it", *output));
  if (name.size() + kLongestSuffix > kLongestName)
    return fail(Fault::local,
                fmt::format("the name {} is too long: at most {} bytes leave room for the files beside it", name,
                            kLongestName - kLongestSuffix));
  const auto parent = path.parent_path();
  auto whole = existing_folder(current, parent.empty() ? std::filesystem::path(".") : parent);
  if (!whole) return pass_on(whole.error());
  if (auto fit = may_be_target(files, *whole / name, *output); !fit) return pass_on(fit.error());
  return TargetChoice{std::move(*whole), name};
}

std::filesystem::path absolute_target(const std::filesystem::path& current, const std::string& target) {
  const auto path = (current / target).lexically_normal();
  std::error_code error;
  const auto folder = std::filesystem::canonical(path.parent_path(), error);
  return error ? path : folder / path.filename();
}

}  // namespace arkvory::cli
