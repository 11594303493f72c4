// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/size.h"
#include "core/protocol/header_names.h"
#include "core/wait/time_argument.h"

namespace arkvory::cli {

namespace {

bool is_token_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool digit = c >= '0' && c <= '9';
  return letter || digit || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

// A tab is allowed within a value; other control characters could end the line and begin a header of its own.
bool is_value_character(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F); }

// Headers on which it depends whether the bytes that come are those that were asked for, or where a message ends.
bool is_ours(std::string_view name) {
  static constexpr std::array<std::string_view, 15> ours{"Range",
                                                         "If-Range",
                                                         "If-Match",
                                                         "If-None-Match",
                                                         "If-Modified-Since",
                                                         "Accept-Encoding",
                                                         "If-Unmodified-Since",
                                                         "Transfer-Encoding",
                                                         "Content-Length",
                                                         "Connection",
                                                         "TE",
                                                         "Trailer",
                                                         "Upgrade",
                                                         "Expect",
                                                         "Want-Repr-Digest"};
  const auto is_name = [name](std::string_view other) { return equal_ignoring_case(name, other); };
  return std::any_of(ours.begin(), ours.end(), is_name) ||
         equal_ignoring_case(name.substr(0, header::kPrefix.size()), header::kPrefix);
}

}  // namespace

std::optional<unsigned> number_from(std::string_view text, unsigned least, unsigned most) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  const auto number = parse_number(text);
  if (!number || *number < least || *number > most) return std::nullopt;
  return static_cast<unsigned>(*number);
}

std::optional<ProgressChoice> progress_from(std::string_view text) {
  if (text == "auto") return ProgressChoice::automatic;
  if (text == "bar") return ProgressChoice::bar;
  if (text == "plain") return ProgressChoice::plain;
  if (text == "none") return ProgressChoice::none;
  return std::nullopt;
}

std::optional<ColorChoice> color_from(std::string_view text) {
  if (text == "auto") return ColorChoice::automatic;
  if (text == "always") return ColorChoice::always;
  if (text == "never") return ColorChoice::never;
  return std::nullopt;
}

Result<Headers::Field> header_from(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return fail(Fault::usage, "a header is written NAME: VALUE, or @FILE");
  const auto name = text.substr(0, colon);
  if (!is_token(name)) return fail(Fault::usage, "a header's name has letters, digits and dashes only");
  const auto value = trimmed(text.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), is_value_character))
    return fail(Fault::usage, fmt::format("the value of header {} has control characters", name));
  if (is_ours(name)) return fail(Fault::usage, fmt::format("header {} is set by arkvoryctl itself", name));
  return Headers::Field{std::string(name), std::string(value)};
}

bool is_class_name(std::string_view text) { return text.size() <= 64 && is_token(text); }

Use number_into(unsigned& into, unsigned least, unsigned most) {
  return [&into, least, most](const std::string& text) -> std::string {
    const auto number = number_from(text, least, most);
    if (!number) return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
    into = *number;
    return {};
  };
}

Use duration_into(Duration& into) {
  return [&into](const std::string& text) -> std::string {
    const auto duration = parse_duration(text);
    if (!duration || duration->count() <= 0) return fmt::format("'{}' is no duration such as 30s, 5m or 1h30m", text);
    into = *duration;
    return {};
  };
}

Use duration_into(std::optional<Duration>& into) {
  return [&into](const std::string& text) {
    into = parse_duration(text);
    return into ? std::string() : fmt::format("'{}' is no duration such as 30s, 5m or 1h30m", text);
  };
}

Use moment_into(std::string& into) {
  return [&into](const std::string& text) {
    into = text;
    return is_time_argument(text) ? std::string()
                                  : fmt::format("'{}' is no moment such as 22:30, +2h or 2027-03-27T21:30:00Z", text);
  };
}

Use path_into(std::filesystem::path& into) {
  return [&into](const std::string& text) -> std::string {
    if (text.empty()) return "a file's name is missing";
    into = text;
    return {};
  };
}

Use text_into(std::optional<std::string>& into) {
  return [&into](const std::string& text) -> std::string {
    if (text.empty()) return "a name is missing";
    into = text;
    return {};
  };
}

Use url_into(std::optional<Url>& into) {
  return [&into](const std::string& text) -> std::string {
    auto url = Url::parse(text);
    if (!url) return url.error().words;
    if (!url->query().empty()) return "a query can't have names below it";
    into = std::move(*url);
    return {};
  };
}

Use rate_into(std::uint64_t& into) {
  return [&into](const std::string& text) -> std::string {
    into = parse_rate(text).value_or(0);
    return into > 0 ? std::string() : fmt::format("'{}' is no rate such as 10MB/s", text);
  };
}

Use digest_into(std::optional<Sha256Digest>& into) {
  return [&into](const std::string& text) -> std::string {
    into = Sha256Digest::from_hex(text);
    return into ? std::string() : fmt::format("'{}' is not 64 hexadecimal digits", text);
  };
}

}  // namespace arkvory::cli
