// SPDX-License-Identifier: Apache-2.0
#include "core/http/wire_trace.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/http/headers.h"

namespace arkvory {

namespace {

constexpr std::array harmless_when_sent = {std::string_view("Host"),
                                           std::string_view("Accept"),
                                           std::string_view("Accept-Encoding"),
                                           std::string_view("User-Agent"),
                                           std::string_view("Range"),
                                           std::string_view("If-Range"),
                                           std::string_view("If-Match"),
                                           std::string_view("Want-Repr-Digest"),
                                           std::string_view("Proxy-Connection"),
                                           std::string_view("Content-Length"),
                                           std::string_view("Arkvory-Download-Class")};

constexpr std::array secret_when_received = {
    std::string_view("Set-Cookie"),           std::string_view("Cookie"),
    std::string_view("Authorization"),        std::string_view("Proxy-Authorization"),
    std::string_view("Arkvory-Queue-Ticket"), std::string_view("Arkvory-Download-Id")};

template <typename Names>
bool names_one_of(std::string_view name, const Names& names) {
  return std::any_of(names.begin(), names.end(), [&](auto one) { return equal_ignoring_case(one, name); });
}

std::string without_queries(std::string_view line) {
  std::string shown;
  bool hiding = false;
  for (const char c : line) {
    if (hiding && (c == ' ' || c == '\'' || c == '"' || c == ']' || c == '>')) hiding = false;
    if (hiding || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) continue;
    shown += c;
    if (c != '?') continue;
    hiding = true;
    shown += "…";
  }
  return shown;
}

// A URL's user and password, in a Location or a note: RFC 3986 §3.2.1 ends them with the authority's last `@`.
std::string without_userinfo(std::string line) {
  for (auto at = line.find("://"); at != std::string::npos; at = line.find("://", at + 3)) {
    const auto begin = at + 3;
    const auto end = std::min(line.find_first_of("/?# '\"", begin), line.size());
    const auto sign = line.substr(begin, end - begin).rfind('@');
    if (sign != std::string::npos) line.replace(begin, sign, "…");
  }
  return line;
}

bool may_show_value(TraceKind kind, std::string_view name) {
  if (kind == TraceKind::sent) return names_one_of(name, harmless_when_sent);
  return !names_one_of(name, secret_when_received);
}

// A note may tell of a header field in a form of the library's own, such as `h2h3 [authorization: …]`.
bool tells_of_fields(std::string_view note) {
  return note.find("h2h3") != std::string_view::npos || note.find("[HTTP/") != std::string_view::npos;
}

std::optional<std::string> shown_line(TraceKind kind, std::string_view line) {
  if (kind == TraceKind::note) {
    if (tells_of_fields(line)) return std::nullopt;
    return "* " + without_userinfo(without_queries(line));
  }
  const auto sign = kind == TraceKind::sent ? std::string("> ") : std::string("< ");
  const auto colon = line.find(':');
  const auto name = trimmed(line.substr(0, colon));
  const bool is_field = colon != std::string_view::npos && name.find(' ') == std::string_view::npos;
  if (is_field && !may_show_value(kind, name)) return sign + without_queries(name) + ": …";
  // The rest of a folded field has no name to judge it by.
  if (line.starts_with(' ') || line.starts_with('\t')) return sign + " …";
  return sign + without_userinfo(without_queries(line));
}

}  // namespace

std::vector<std::string> shown_lines(TraceKind kind, std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (auto shown = shown_line(kind, line)) lines.push_back(std::move(*shown));
  }
  return lines;
}

}  // namespace arkvory
