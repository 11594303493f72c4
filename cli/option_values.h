// SPDX-License-Identifier: Apache-2.0
// The values of options, parsed strictly: what looks odd is refused rather than guessed at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace arkvory::cli {

// A decimal number from `least` to `most`. Not `010`, `0x8`, `+8`, `8.0` or ` 8`.
std::optional<unsigned> number_from(std::string_view text, unsigned least, unsigned most);

std::optional<ProgressChoice> progress_from(std::string_view text);
std::optional<ColorChoice> color_from(std::string_view text);

// `NAME: VALUE` of a request header (RFC 9110 §5.1, §5.5). Fault::usage where it is none, or one that the program must
// say itself (Range, Accept-Encoding, Arkvory-*, …). The error names the header, never its value.
Result<Headers::Field> header_from(std::string_view text);

// A class name: what may stand in Arkvory-Download-Class.
bool is_class_name(std::string_view text);

// What takes an option's value: it returns what is wrong with it, or nothing.
using Use = std::function<std::string(const std::string& value)>;

// Each puts the value into a variable that must outlive the parsing.
Use number_into(unsigned& into, unsigned least, unsigned most);
Use duration_into(Duration& into);                   // longer than nothing
Use duration_into(std::optional<Duration>& into);    // of any length
Use moment_into(std::string& into);                  // one of the forms of core/wait/time_argument.h, as given
Use path_into(std::filesystem::path& into);          // not empty
Use text_into(std::optional<std::string>& into);     // not empty
Use url_into(std::optional<Url>& into);              // an absolute http(s) URL without a query
Use rate_into(std::uint64_t& into);                  // bytes a second, at least 1
Use digest_into(std::optional<Sha256Digest>& into);  // 64 hexadecimal digits

}  // namespace arkvory::cli
