// SPDX-License-Identifier: Apache-2.0
#include "cli/list_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/option_values.h"
#include "core/engine/file_names.h"

namespace arkvory::cli {

namespace {

// NAME_MAX of the file systems in use.
constexpr std::size_t kLongestName = 255;

tl::unexpected<Error> faulty(std::string words) { return fail(Fault::usage, std::move(words)); }

// The fields that are the same in both forms. An absent value is empty.
class EntryFields {
 public:
  // False where the name is unknown; what is wrong otherwise is for `finish` to tell.
  bool take(std::string_view name, std::string_view value) {
    auto* const field = this->field(name);
    if (field == nullptr) return false;
    if (*field && wrong_.empty()) wrong_ = fmt::format("{} is given twice", name);
    *field = value;
    return true;
  }

  Result<ListEntry> finish(std::string_view url_text) const {
    if (!wrong_.empty()) return faulty(wrong_);
    auto url = Url::parse(url_text);
    if (!url) return pass_on(url.error());
    ListEntry entry{.url = std::move(*url)};
    if (out_) {
      auto path = path_inside(*out_);
      if (!path) return pass_on(path.error());
      entry.out = std::move(*path);
    }
    if (sha256_) {
      entry.sha256 = Sha256Digest::from_hex(*sha256_);
      if (!entry.sha256) return faulty("sha256 is not 64 hexadecimal digits");
    }
    if (class_) {
      if (!is_class_name(*class_)) return faulty("class is no class name");
      entry.download_class = *class_;
    }
    return entry;
  }

 private:
  std::optional<std::string>* field(std::string_view name) {
    if (name == "out") return &out_;
    if (name == "sha256") return &sha256_;
    return name == "class" ? &class_ : nullptr;
  }

  std::optional<std::string> out_, sha256_, class_;
  std::string wrong_;
};

std::string_view take_until(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const auto taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// As sha256sum escapes names with a line end or a backslash in them.
std::optional<std::string> unescaped(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      name += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (text[at] == '\\') {
      name += '\\';
    } else if (text[at] == 'n') {
      name += '\n';
    } else if (text[at] == 'r') {
      name += '\r';
    } else {
      return std::nullopt;
    }
  }
  return name;
}

std::optional<Checksum> checksum_of(std::string_view name, std::string_view hex, bool is_escaped) {
  const auto sha256 = Sha256Digest::from_hex(hex);
  if (!sha256 || name.empty()) return std::nullopt;
  if (!is_escaped) return Checksum{std::string(name), *sha256};
  auto plain = unescaped(name);
  if (!plain) return std::nullopt;
  return Checksum{std::move(*plain), *sha256};
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// RFC 3986 §2.3: whatever has a meaning in a URL stands for itself in a name.
std::string encoded_path(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (is_unreserved(c) || c == '/') {
      text += c;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

bool is_own_file(std::string_view name) { return name.ends_with(".arkvory") || name.ends_with(".arkvory-part"); }

}  // namespace

bool says_nothing(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

Result<std::string> path_inside(std::string_view path) {
  if (path.starts_with('/')) return faulty("out is an absolute path; a list names files inside the folder only");
  if (path.find('\0') != std::string_view::npos) return faulty("out has a NUL byte in it");
  const bool is_folder = path.empty() || path.ends_with('/');
  std::string inside;
  std::string_view name;
  while (!path.empty()) {
    const auto part = take_until(path, '/');
    if (part.empty() || part == ".") continue;
    if (part == "..") return faulty("out leads out of the folder");
    if (part.size() > kLongestName) return faulty("out has a name that is too long");
    if (!inside.empty()) inside += '/';
    inside += part;
    name = part;
  }
  if (is_folder || name.empty()) return faulty("out names no file");
  if (is_own_file(name)) return faulty("out has the name of a file of arkvoryctl's own");
  if (name.size() + kLongestSuffix > kLongestName)
    return faulty(fmt::format("out has a name that is too long: at most {} bytes leave room for the files beside it",
                              kLongestName - kLongestSuffix));
  return inside;
}

Result<ListEntry> entry_from_tabs(std::string_view line) {
  const auto url = take_until(line, '\t');
  EntryFields fields;
  while (!line.empty()) {
    const auto field = take_until(line, '\t');
    if (field.empty()) continue;
    const auto equals = field.find('=');
    const auto name = field.substr(0, equals);
    if (equals == std::string_view::npos || !fields.take(name, field.substr(equals + 1)))
      return faulty("after the URL a field is none of out=, sha256=, class=");
  }
  if (checksum_from(url)) return faulty("it is a line of a SHA256SUMS file, which needs --base-url");
  return fields.finish(url);
}

Result<ListEntry> entry_from_json(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return faulty("it is no JSON object");
  EntryFields fields;
  std::string url;
  for (const auto& [name, value] : json.items()) {
    if (value.is_null()) continue;
    if (!value.is_string()) return faulty("a member is no text");
    const auto& text = value.get_ref<const std::string&>();
    if (name == "url") {
      url = text;
    } else if (!fields.take(name, text)) {
      return faulty("a member is none of url, out, sha256, class");
    }
  }
  if (url.empty()) return faulty("it has no url");
  return fields.finish(url);
}

Result<ListEntry> entry_from(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) return faulty("it has a NUL byte in it");
  return line.starts_with('{') ? entry_from_json(line) : entry_from_tabs(line);
}

std::optional<Checksum> checksum_from(std::string_view line) {
  constexpr std::size_t digits = 64;
  constexpr std::string_view tag = "SHA256 (";
  constexpr std::string_view middle = ") = ";
  const bool is_escaped = line.starts_with('\\');
  if (is_escaped) line.remove_prefix(1);
  if (line.starts_with(tag)) {
    line.remove_prefix(tag.size());
    const auto end = line.rfind(middle);
    if (end == std::string_view::npos) return std::nullopt;
    return checksum_of(line.substr(0, end), line.substr(end + middle.size()), is_escaped);
  }
  if (line.size() < digits + 3 || line[digits] != ' ') return std::nullopt;
  if (line[digits + 1] != ' ' && line[digits + 1] != '*') return std::nullopt;
  return checksum_of(line.substr(digits + 2), line.substr(0, digits), is_escaped);
}

Result<ListEntry> entry_from_sums(std::string_view line, const Url& base) {
  if (line.find('\0') != std::string_view::npos) return faulty("it has a NUL byte in it");
  auto checksum = checksum_from(line);
  if (!checksum) return faulty("it is no line of a SHA256SUMS file");
  auto path = path_inside(checksum->name);
  if (!path) return pass_on(path.error());
  const auto folder = base.path().ends_with('/') ? base.path() : base.path() + "/";
  // With the base's user and password, which its text leaves out.
  const auto userinfo = base.userinfo().empty() ? std::string() : std::string(base.userinfo().reveal()) + "@";
  const auto origin = base.origin();
  const auto host = origin.find("://") + 3;
  auto url = Url::parse(origin.substr(0, host) + userinfo + origin.substr(host) + folder + encoded_path(*path));
  if (!url) return pass_on(url.error());
  return ListEntry{.url = std::move(*url), .out = std::move(*path), .sha256 = checksum->sha256};
}

}  // namespace arkvory::cli
