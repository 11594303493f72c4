// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/forwarded.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace arkvory::server {
namespace {

using Addresses = std::vector<std::optional<IpAddress>>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter_or_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_token_char(char c) {
  return is_letter_or_digit(c) || (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

// `_` and a name that means something to the machine that gave it.
bool is_obfuscated(std::string_view text) {
  return text.size() > 1 && text.front() == '_' && std::all_of(text.begin() + 1, text.end(), [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

bool is_port(std::string_view text) {
  const bool is_number = !text.empty() && text.size() <= 5 && std::all_of(text.begin(), text.end(), is_digit);
  return is_number || is_obfuscated(text);
}

// The outer `optional`: whether it is a node at all (RFC 7239 §6); the inner one: whether it is an address.
std::optional<std::optional<IpAddress>> parse_node(std::string_view text) {
  const bool is_bracketed = text.starts_with('[');
  const auto end = is_bracketed ? text.find(']') : text.find(':');
  if (is_bracketed && end == std::string_view::npos) return std::nullopt;
  const auto name = is_bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  const auto rest = end == std::string_view::npos ? std::string_view() : text.substr(is_bracketed ? end + 1 : end);
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
  if (!is_bracketed && (equal_ignoring_case(name, "unknown") || is_obfuscated(name))) return std::optional<IpAddress>();
  const auto address = IpAddress::parse(name);
  const bool is_ipv6 = name.find(':') != std::string_view::npos;
  if (!address || is_ipv6 != is_bracketed) return std::nullopt;
  return address;
}

// Reads a field's value from its begin.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }

  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Empty where there is none.
  std::string_view token() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_token_char);
    const auto token = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(token.size());
    return token;
  }

  // A token, or what stands between quotes.
  std::optional<std::string> value() {
    if (!take('"')) {
      const auto plain = token();
      return plain.empty() ? std::nullopt : std::optional(std::string(plain));
    }
    std::string text;
    while (!rest_.empty()) {
      char c = next();
      if (c == '"') return text;
      if (c == '\\') {
        if (rest_.empty()) return std::nullopt;
        c = next();
      }
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\t') || byte == 0x7F) return std::nullopt;
      text += c;
    }
    return std::nullopt;
  }

 private:
  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
};

// Pairs up to the next comma or the end; false where they are malformed.
bool take_element(Reader& reader, Addresses& into) {
  std::optional<IpAddress> node;
  std::vector<std::string_view> names;
  bool is_empty = true;
  do {
    reader.skip_spaces();
    const auto name = reader.token();
    if (!name.empty()) {
      const bool is_repeated = std::any_of(
          names.begin(), names.end(), [name](std::string_view before) { return equal_ignoring_case(before, name); });
      if (is_repeated || !reader.take('=')) return false;
      names.push_back(name);
      const auto value = reader.value();
      if (!value) return false;
      if (equal_ignoring_case(name, "for")) {
        const auto parsed = parse_node(*value);
        if (!parsed) return false;
        node = *parsed;
      }
      is_empty = false;
    }
    reader.skip_spaces();
  } while (reader.take(';'));
  // A list may have empty elements (RFC 9110 §5.6.1.2).
  if (!is_empty) into.push_back(node);
  return true;
}

}  // namespace

std::optional<Addresses> forwarded_for(const Headers& headers) {
  Addresses all;
  for (const auto field : headers.all("Forwarded")) {
    Reader reader(field);
    do {
      if (!take_element(reader, all)) return std::nullopt;
    } while (reader.take(','));
    if (!reader.is_at_end()) return std::nullopt;
  }
  return all;
}

}  // namespace arkvory::server
