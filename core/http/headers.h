// SPDX-License-Identifier: Apache-2.0
// Header fields in the order they came, names compared without case (RFC 9110 §5.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arkvory {

// Equal but for ASCII case.
bool equal_ignoring_case(std::string_view left, std::string_view right);
// Without the spaces and tabs around it (OWS, RFC 9110 §5.6.3).
std::string_view trimmed(std::string_view text);

class Headers {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  void add(std::string name, std::string value) { fields_.push_back({std::move(name), std::move(value)}); }
  // In place of all values that the name has.
  void set(std::string name, std::string value);
  void clear() { fields_.clear(); }

  // The first value of a name, trimmed; the views live as long as this object is unchanged.
  std::optional<std::string_view> first(std::string_view name) const;
  // Every value of a name, in order, trimmed.
  std::vector<std::string_view> all(std::string_view name) const;
  bool has(std::string_view name) const { return first(name).has_value(); }

  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

}  // namespace arkvory
