// SPDX-License-Identifier: Apache-2.0
#include "core/http/structured_field.h"

#include "core/base/base64.h"
#include "core/base/text_cursor.h"

namespace arkvory {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_alpha(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_one_of(char c, std::string_view set) { return c != '\0' && set.find(c) != std::string_view::npos; }
bool is_key_char(char c) { return is_lower(c) || is_digit(c) || is_one_of(c, "_-.*"); }
bool is_token_char(char c) { return is_alpha(c) || is_digit(c) || is_one_of(c, "!#$%&'*+-.^_`|~:/"); }

template <typename Predicate>
std::string take_while(TextCursor& cursor, Predicate fits) {
  std::string taken;
  while (fits(cursor.peek())) {
    taken.push_back(cursor.peek());
    cursor.take(cursor.peek());
  }
  return taken;
}

void skip_spaces(TextCursor& cursor) {
  while (cursor.take(' ')) continue;
}

void skip_optional_whitespace(TextCursor& cursor) {
  while (cursor.take(' ') || cursor.take('\t')) continue;
}

std::string take_key(TextCursor& cursor) {
  if (!is_lower(cursor.peek()) && cursor.peek() != '*') cursor.give_up();
  return take_while(cursor, is_key_char);
}

// An integer of up to 15 digits, or a decimal of up to 12 with one to three digits of fraction.
void skip_number(TextCursor& cursor) {
  cursor.take('-');
  const auto whole = take_while(cursor, is_digit).size();
  const bool decimal = cursor.take('.');
  const auto fraction = decimal ? take_while(cursor, is_digit).size() : 0;
  const bool fits = decimal ? whole <= 12 && fraction >= 1 && fraction <= 3 : whole <= 15;
  if (whole == 0 || !fits) cursor.give_up();
}

void skip_string(TextCursor& cursor) {
  cursor.expect("\"");
  while (!cursor.take('"')) {
    const bool escaped = cursor.take('\\');
    const char c = cursor.peek();
    if (c < ' ' || c > '~' || (escaped && c != '"' && c != '\\')) return cursor.give_up();
    cursor.take(c);
  }
}

std::optional<std::vector<std::byte>> take_bytes(TextCursor& cursor) {
  cursor.expect(":");
  const auto encoded = take_while(cursor, [](char c) { return is_alpha(c) || is_digit(c) || is_one_of(c, "+/="); });
  cursor.expect(":");
  auto bytes = from_base64(encoded);
  if (!bytes) cursor.give_up();
  return bytes;
}

std::optional<std::vector<std::byte>> take_bare_item(TextCursor& cursor) {
  const char c = cursor.peek();
  if (c == ':') return take_bytes(cursor);
  if (c == '-' || is_digit(c)) {
    skip_number(cursor);
  } else if (c == '"') {
    skip_string(cursor);
  } else if (c == '*' || is_alpha(c)) {
    take_while(cursor, is_token_char);
  } else if (cursor.take('?')) {
    if (!cursor.take('0')) cursor.expect("1");
  } else {
    cursor.give_up();
  }
  return std::nullopt;
}

void skip_parameters(TextCursor& cursor) {
  while (cursor.take(';')) {
    skip_spaces(cursor);
    take_key(cursor);
    if (cursor.take('=')) take_bare_item(cursor);
  }
}

// `(item item …)`; its items are no lists themselves, so this does not nest.
void skip_inner_list(TextCursor& cursor) {
  cursor.expect("(");
  skip_spaces(cursor);
  while (!cursor.take(')')) {
    take_bare_item(cursor);
    skip_parameters(cursor);
    if (cursor.peek() != ' ' && cursor.peek() != ')') return cursor.give_up();
    skip_spaces(cursor);
  }
}

std::optional<std::vector<std::byte>> take_value(TextCursor& cursor) {
  if (cursor.peek() != '(') return take_bare_item(cursor);
  skip_inner_list(cursor);
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<DictionaryMember>> parse_dictionary(std::string_view text) {
  const auto end = text.find_last_not_of(' ');
  TextCursor cursor(text.substr(0, end == std::string_view::npos ? 0 : end + 1));
  std::vector<DictionaryMember> members;
  skip_spaces(cursor);
  while (!cursor.rest().empty()) {
    auto& member = members.emplace_back();
    member.key = take_key(cursor);
    if (cursor.take('=')) member.bytes = take_value(cursor);
    skip_parameters(cursor);
    if (cursor.rest().empty()) break;
    skip_optional_whitespace(cursor);
    cursor.expect(",");
    skip_optional_whitespace(cursor);
    if (cursor.rest().empty()) return std::nullopt;  // something must follow a comma; a failure ends here as well
  }
  if (!cursor.finished()) return std::nullopt;
  return members;
}

}  // namespace arkvory
