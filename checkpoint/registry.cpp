// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "checkpoint/stored_text.h"
#include "core/base/digest.h"
#include "core/base/ensure.h"
#include "core/base/rfc3339.h"
#include "core/base/utf8.h"

namespace arkvory {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kFormat = 1;
constexpr std::size_t kLargestEntry = 64 << 10;
constexpr std::string_view kSuffix = ".json";

std::string encode(const fs::path& target, WallTime added) {
  nlohmann::ordered_json fields{{"format", kFormat}};
  if (is_utf8(target.native())) {
    fields["target"] = target.native();
  } else {
    fields["target_hex"] = bytes_to_hex(target.native());
  }
  fields["added"] = format_rfc3339(added);
  return fields.dump(2) + "\n";
}

std::optional<fs::path> target_of(const nlohmann::json& fields) {
  std::string path;
  if (fields.contains("target") && fields["target"].is_string()) {
    path = fields["target"].get<std::string>();
  } else if (fields.contains("target_hex") && fields["target_hex"].is_string()) {
    path = bytes_from_hex(fields["target_hex"].get_ref<const std::string&>()).value_or("");
  }
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) return std::nullopt;
  return fs::path(path);
}

// Nothing where the entry is damaged or newer.
std::optional<Registry::Entry> decode(const std::string& text) {
  const auto fields = nlohmann::json::parse(text, nullptr, false);
  if (!fields.is_object() || !fields.contains("format") || fields["format"] != kFormat) return std::nullopt;
  if (!fields.contains("added") || !fields["added"].is_string()) return std::nullopt;
  const auto added = parse_rfc3339(fields["added"].get_ref<const std::string&>());
  auto target = target_of(fields);
  if (!added || !target) return std::nullopt;
  return Registry::Entry{std::move(*target), *added};
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

Registry::Registry(FileSystem& files, fs::path state_folder)
    : files_(files), folder_(std::move(state_folder) / "registry") {}

fs::path Registry::entry_path(const fs::path& target) const {
  ensure(target.is_absolute(), "the registry names targets by absolute paths");
  Sha256 digest;
  digest.update(bytes_of(target.native()));
  return folder_ / (digest.finish().to_hex().append(kSuffix));
}

Result<void> Registry::add(const fs::path& target, WallTime time) {
  const auto path = entry_path(target);
  auto found = read_whole(files_, path, kLargestEntry);
  if (found && *found) {
    const auto entry = decode(**found);
    if (entry && entry->target == target) return {};
  }
  if (auto made = files_.make_folders(folder_); !made) return made;
  return files_.replace_durably(path, bytes_of(encode(target, time)));
}

Result<void> Registry::remove(const fs::path& target) {
  const auto path = entry_path(target);
  auto found = files_.status(path);
  if (!found) return pass_on(found.error());
  auto aside = files_.status(aside_path(path));
  if (!aside) return pass_on(aside.error());
  if (!*found && !*aside) return {};
  if (auto removed = files_.remove(aside_path(path)); !removed) return removed;
  if (auto removed = files_.remove(path); !removed) return removed;
  return files_.sync_folder(folder_);
}

Result<Registry::Listing> Registry::targets() {
  auto names = files_.list(folder_);
  if (!names) return pass_on(names.error());
  Listing listing;
  for (const auto& name : *names) {
    if (!name.ends_with(kSuffix)) continue;
    const auto path = folder_ / name;
    auto text = read_whole(files_, path, kLargestEntry);
    // Gone since the folder was listed: finished meanwhile.
    if (text && !*text) continue;
    auto entry = text ? decode(**text) : std::nullopt;
    if (!entry || entry_path(entry->target) != path) {
      const auto why = text ? "it is damaged or of a newer version" : text.error().text();
      listing.notes.push_back("passed over the registry entry " + path.string() + ": " + why);
      continue;
    }
    listing.entries.push_back(std::move(*entry));
  }
  std::sort(listing.entries.begin(), listing.entries.end(), [](const Entry& left, const Entry& right) {
    return std::tie(left.added, left.target) < std::tie(right.added, right.target);
  });
  return listing;
}

}  // namespace arkvory
