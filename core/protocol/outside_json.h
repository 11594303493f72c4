// SPDX-License-Identifier: Apache-2.0
// JSON that a stranger wrote, read so that it costs little and shows nothing odd. For the parsers of this folder.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace arkvory {

// A JSON object, or something that is none where the text is no JSON, is deeper than 16 levels (found before a tree of
// any depth is built) or longer than kLongestProblem. Never throws.
nlohmann::json parse_outside_json(std::string_view text);

// A text member; empty where it is missing or of another type. Control characters become spaces, for it ends on a
// terminal and in logs; it is cut at 500 bytes.
std::string text_member(const nlohmann::json& object, const char* name);

}  // namespace arkvory
