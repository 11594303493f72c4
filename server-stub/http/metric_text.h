// SPDX-License-Identifier: Apache-2.0
// Writes metrics in the text format 0.0.4 that Prometheus reads: HELP, TYPE and samples, family by family.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "server-stub/scheduler/histogram.h"

namespace arkvory::server {

class MetricText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Begins a family; what follows are its samples. Of a counter the name ends in `_total`.
  void counter(std::string_view name, std::string_view help);
  void gauge(std::string_view name, std::string_view help);
  void histogram(std::string_view name, std::string_view help);

  // Of a counter or a gauge. No two with the same labels.
  void sample(Labels labels, std::uint64_t value);
  void sample(Labels labels, double value);
  // Of a histogram: all its lines.
  void sample(Labels labels, const Histogram& histogram);

  const std::string& text() const { return text_; }

 private:
  void begin(std::string_view name, std::string_view type, std::string_view help);
  void line(std::string_view suffix, Labels labels, std::string_view bound, std::string_view value);

  std::string text_;
  std::string family_;
};

}  // namespace arkvory::server
