// SPDX-License-Identifier: Apache-2.0
// Dictionaries of structured fields (RFC 8941 §3.2), as far as this project reads them: byte sequences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arkvory {

struct DictionaryMember {
  std::string key;
  // The value where it is a byte sequence; nothing where it is of another type.
  std::optional<std::vector<std::byte>> bytes;
};

// The members in the order they came, repeated keys included. Nothing where any part of the field is malformed
// (RFC 8941 §4.2: a field that fails to parse is ignored whole).
std::optional<std::vector<DictionaryMember>> parse_dictionary(std::string_view text);

}  // namespace arkvory
