// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/control_keys.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/utf8.h"

namespace arkvory::server {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;
constexpr std::size_t kLongestName = 128;
constexpr std::string_view kBlanks = " \t";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_utf8(text) &&
         std::none_of(text.begin(), text.end(), is_control);
}

std::string_view without_blanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

// No early end: how much of two digests is the same is not to be told by the time it takes.
bool is_same(const Sha256Digest& left, const Sha256Digest& right) {
  std::byte difference{0};
  for (std::size_t i = 0; i < left.bytes().size(); ++i) difference |= left.bytes()[i] ^ right.bytes()[i];
  return difference == std::byte{0};
}

}  // namespace

Result<ControlKeys> ControlKeys::parse(std::string_view text) {
  ControlKeys keys;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const auto line = without_blanks(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const auto place = "line " + std::to_string(number);
    const auto blank = line.find_first_of(kBlanks);
    const auto name = line.substr(0, blank);
    const auto digest =
        blank == std::string_view::npos ? std::nullopt : Sha256Digest::from_hex(without_blanks(line.substr(blank)));
    if (!digest || !is_name(name))
      return fail(Fault::usage, place + " has to be a name and the SHA-256 of a key in hexadecimal");
    for (const auto& known : keys.keys_)
      if (known.digest == *digest) return fail(Fault::usage, place + " has a key that is there already");
    keys.keys_.push_back({std::string(name), *digest});
  }
  if (keys.keys_.empty()) return fail(Fault::usage, "there is no key in it; a line is a name and the SHA-256 of a key");
  return keys;
}

Result<ControlKeys> ControlKeys::load(FileSystem& files, const std::filesystem::path& path) {
  const auto content = read_whole(files, path, kLargestFile);
  if (!content) return pass_on(content.error());
  if (!*content) return fail(Fault::usage, "there is no control key file " + path.string());
  auto keys = parse(**content);
  if (!keys) return fail(keys.error().fault, "the control key file " + path.string() + ": " + keys.error().words);
  return keys;
}

const std::string* ControlKeys::name_of(std::string_view key) const {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(key)));
  const auto digest = sum.finish();
  const std::string* name = nullptr;
  for (const auto& known : keys_)
    if (is_same(known.digest, digest)) name = &known.name;
  return name;
}

}  // namespace arkvory::server
