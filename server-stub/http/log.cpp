// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/log.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/rfc3339.h"
#include "server-stub/http/target.h"

namespace arkvory::server {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& line) { return line.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Control characters, quotes and backslashes escaped: a line stays one line, and a quoted text stays quoted.
std::string escaped(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || c == '"' || c == '\\')
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
}

std::string_view word(LogLevel level) { return level == LogLevel::info ? "info" : "warning"; }

std::string text_value(const std::variant<std::uint64_t, std::string>& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  return '"' + escaped(std::get<std::string>(value)) + '"';
}

}  // namespace

std::string log_line(LogForm form, WallTime time, LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  if (form == LogForm::text) {
    auto line = fmt::format("{} {} {}", format_rfc3339(time), word(level), event);
    for (const auto& field : fields) line += fmt::format(" {}={}", field.name, text_value(field.value));
    return line;
  }
  Json line{{"time", format_rfc3339(time)}, {"level", word(level)}, {"event", event}};
  for (const auto& field : fields)
    std::visit([&line, &field](const auto& value) { line[std::string(field.name)] = value; }, field.value);
  return dumped(line);
}

std::string access_line(LogForm form, const ServedAnswer& answer) {
  const double seconds = std::chrono::duration<double>(answer.duration).count();
  const auto target = answer.target.empty() ? std::string() : redacted(answer.target);
  if (form == LogForm::text)
    return fmt::format("{} {} {} {} {} {} {:.6f}", format_rfc3339(answer.time),
                       answer.method.empty() ? "-" : escaped(answer.method), target.empty() ? "-" : escaped(target),
                       answer.status, answer.range.empty() ? "-" : '"' + escaped(answer.range) + '"', answer.body_sent,
                       seconds);
  Json line{{"time", format_rfc3339(answer.time)},
            {"method", answer.method},
            {"target", target},
            {"status", answer.status},
            {"range", answer.range},
            {"bytes", answer.body_sent},
            {"seconds", seconds}};
  return dumped(line);
}

}  // namespace arkvory::server
