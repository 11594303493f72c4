// SPDX-License-Identifier: Apache-2.0
#include "core/engine/file_names.h"

#include <string>

namespace arkvory {

namespace {

std::filesystem::path with_suffix(const std::filesystem::path& target, const std::string& suffix) {
  auto path = target;
  path += suffix;
  return path;
}

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& target) { return with_suffix(target, ".arkvory"); }

std::filesystem::path part_path(const std::filesystem::path& target, unsigned generation) {
  if (generation <= 1) return with_suffix(target, ".arkvory-part");
  return with_suffix(target, ".g" + std::to_string(generation) + ".arkvory-part");
}

std::filesystem::path bad_part_path(const std::filesystem::path& target) {
  return with_suffix(target, ".bad.arkvory-part");
}

std::filesystem::path bad_checkpoint_path(const std::filesystem::path& target) {
  return with_suffix(target, ".bad.arkvory");
}

}  // namespace arkvory
