// SPDX-License-Identifier: Apache-2.0
// The lines of the operational log and of the access log. No line holds a token or a download id.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/clock.h"
#include "server-stub/http/line_writer.h"

namespace arkvory::server {

enum class LogForm { text, json };

struct LogField {
  std::string_view name;
  std::variant<std::uint64_t, std::string> value;
};

enum class LogLevel { info, warning };

// text: `2026-11-30T12:00:00.000Z info stopping running=3`; json: an object with `time`, `level`, `event` and the
// fields.
std::string log_line(LogForm form, WallTime time, LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields);

// One answer, as far as it was sent.
struct ServedAnswer {
  WallTime time;       // of its end
  std::string method;  // empty where the request could not be read
  std::string target;  // as sent; shown redacted
  int status = 0;
  std::string range;            // the request's Range, empty for none
  std::uint64_t body_sent = 0;  // bytes that the system took, without the head
  Duration duration{};          // from the whole header block to the last byte
};

// text: `time method target status range bytes seconds`, `-` for what is absent, the range in quotes; json: `time`,
// `method`, `target`, `status`, `range`, `bytes`, `seconds`. Bytes that would disturb a terminal are shown as `\xNN`.
std::string access_line(LogForm form, const ServedAnswer& answer);

// The operational log.
class Log {
 public:
  Log(LineWriter& lines, LogForm form, const Clock& clock) : lines_(lines), form_(form), clock_(clock) {}
  void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    lines_.write(log_line(form_, clock_.wall_now(), LogLevel::info, event, fields));
  }
  void warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
    lines_.write(log_line(form_, clock_.wall_now(), LogLevel::warning, event, fields));
  }

 private:
  LineWriter& lines_;
  LogForm form_;
  const Clock& clock_;
};

}  // namespace arkvory::server
