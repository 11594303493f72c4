// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/metric_text.h"

#include <fmt/format.h>

#include <chrono>

#include "core/base/ensure.h"

namespace arkvory::server {
namespace {

std::string escaped(std::string_view text, bool is_quoted) {
  std::string shown;
  for (const char c : text) {
    if (c == '\\' || (is_quoted && c == '"')) shown += '\\';
    if (c == '\n')
      shown += "\\n";
    else
      shown += c;
  }
  return shown;
}

}  // namespace

void MetricText::counter(std::string_view name, std::string_view help) {
  ensure(name.ends_with("_total"), "a counter's name ends in _total");
  begin(name, "counter", help);
}

void MetricText::gauge(std::string_view name, std::string_view help) { begin(name, "gauge", help); }

void MetricText::histogram(std::string_view name, std::string_view help) { begin(name, "histogram", help); }

void MetricText::begin(std::string_view name, std::string_view type, std::string_view help) {
  family_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(help, false), name, type);
}

void MetricText::sample(Labels labels, std::uint64_t value) { line("", labels, "", std::to_string(value)); }

void MetricText::sample(Labels labels, double value) { line("", labels, "", fmt::format("{}", value)); }

void MetricText::sample(Labels labels, const Histogram& histogram) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    count += histogram.counts()[i];
    const bool is_last = i == histogram.bounds().size();
    const auto bound =
        is_last ? std::string("+Inf") : fmt::format("{}", std::chrono::duration<double>(histogram.bounds()[i]).count());
    line("_bucket", labels, bound, std::to_string(count));
  }
  line("_sum", labels, "", fmt::format("{}", histogram.seconds()));
  line("_count", labels, "", std::to_string(count));
}

void MetricText::line(std::string_view suffix, Labels labels, std::string_view bound, std::string_view value) {
  std::string shown;
  const auto add = [&shown](std::string_view name, std::string_view text) {
    shown += fmt::format("{}{}=\"{}\"", shown.empty() ? "" : ",", name, escaped(text, true));
  };
  for (const auto& [name, text] : labels) add(name, text);
  if (!bound.empty()) add("le", bound);
  text_ += shown.empty() ? fmt::format("{}{} {}\n", family_, suffix, value)
                         : fmt::format("{}{}{{{}}} {}\n", family_, suffix, shown, value);
}

}  // namespace arkvory::server
