// SPDX-License-Identifier: Apache-2.0
#include "core/http/file_name.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/utf8.h"
#include "core/http/percent.h"

namespace arkvory {

namespace {

// NAME_MAX less the longest suffix that stands beside a target, a temporary one included.
constexpr std::size_t kLongestName = 255 - 32;
constexpr std::size_t kLongestExtension = 32;

struct Parameter {
  std::string_view name;
  std::string value;
};

// A quoted-string at the front of `text`, removed from it. Only a quote and a backslash can be escaped: other
// backslashes are those of a path from elsewhere, whose last component is wanted.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string value;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return value;
    }
    const bool escapes = text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\');
    if (escapes) ++at;
    value.push_back(text[at]);
  }
  return std::nullopt;
}

// The parameters after the disposition type, as far as they can be understood. An unquoted value goes up to the next
// semicolon: names with spaces are common.
std::vector<Parameter> disposition_parameters(std::string_view text) {
  std::vector<Parameter> parameters;
  for (auto semicolon = text.find(';'); semicolon != std::string_view::npos; semicolon = text.find(';')) {
    text.remove_prefix(semicolon + 1);
    const auto equals = text.find_first_of("=;");
    if (equals == std::string_view::npos) break;
    if (text[equals] == ';') continue;
    Parameter parameter{trimmed(text.substr(0, equals)), {}};
    text = text.substr(equals + 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (!text.starts_with('"')) {
      parameter.value = trimmed(text.substr(0, text.find(';')));
      parameters.push_back(std::move(parameter));
      continue;
    }
    auto quoted = take_quoted(text);
    if (!quoted) break;
    parameter.value = std::move(*quoted);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::optional<std::string> parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  for (const auto& one : parameters)
    if (equal_ignoring_case(one.name, name)) return one.value;
  return std::nullopt;
}

// `charset'language'percent-encoded` (RFC 8187 §3.2.1), as UTF-8.
std::optional<std::string> decode_extended(std::string_view text) {
  const auto first = text.find('\'');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = text.find('\'', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto charset = text.substr(0, first);
  auto decoded = percent_decoded(text.substr(second + 1));
  if (!decoded) return std::nullopt;
  if (equal_ignoring_case(charset, "UTF-8")) return is_utf8(*decoded) ? decoded : std::nullopt;
  if (!equal_ignoring_case(charset, "ISO-8859-1")) return std::nullopt;
  std::string utf8;
  for (const char c : *decoded) append_utf8(utf8, static_cast<unsigned char>(c));
  return utf8;
}

// Controls, line separators, and what turns the direction of writing so that `exe` reads as another extension.
bool is_unwanted(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::string cleaned(std::string_view name) {
  std::string clean;
  while (!name.empty()) {
    const auto c = take_utf8(name);  // U+FFFD for a byte that fits nowhere
    if (!is_unwanted(c)) append_utf8(clean, c);
  }
  return clean;
}

void trim_ends(std::string& name) {
  name.erase(0, std::min(name.find_first_not_of(" .-"), name.size()));
  name.erase(name.find_last_not_of(' ') + 1);
}

// `.gz`, `.tar.gz`; empty where there is none or what looks so is too long to be one.
std::string_view extension_of(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  const auto stem = name.substr(0, dot);
  const auto inner = stem.ends_with(".tar") && stem.size() > 4 ? dot - 4 : dot;
  const auto extension = name.substr(inner);
  return extension.size() > kLongestExtension ? std::string_view{} : extension;
}

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  const auto extension = extension_of(name);
  auto end = kLongestName - extension.size();
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end).append(extension);
}

// A server must not be able to lay down what this program takes for its own state beside another target.
void spare_our_suffixes(std::string& name) {
  for (const std::string_view suffix : {".arkvory", ".arkvory-part"})
    if (name.ends_with(suffix)) name[name.size() - suffix.size()] = '_';
}

}  // namespace

std::optional<std::string> disposition_name(const Headers& headers) {
  const auto value = headers.first("Content-Disposition");
  if (!value) return std::nullopt;
  const auto parameters = disposition_parameters(*value);
  if (const auto extended = parameter(parameters, "filename*")) {
    auto name = decode_extended(*extended);
    if (name && !name->empty()) return name;
  }
  auto name = parameter(parameters, "filename");
  if (name && name->empty()) return std::nullopt;
  return name;
}

std::optional<std::string> safe_file_name(std::string_view name) {
  // Without controls first: one between two dots must not hide what they are.
  auto safe = cleaned(name);
  safe.erase(0, safe.find_last_of("/\\") + 1);
  trim_ends(safe);
  safe = shortened(safe);
  trim_ends(safe);
  spare_our_suffixes(safe);
  if (safe.empty()) return std::nullopt;
  return safe;
}

std::string file_name_for(const Headers& headers, const Url& url) {
  std::optional<std::string> name;
  if (const auto stated = disposition_name(headers)) name = safe_file_name(*stated);
  if (!name) name = safe_file_name(percent_decoded_where_valid(url.last_component()));
  return name.value_or("download");
}

}  // namespace arkvory
