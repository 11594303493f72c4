// SPDX-License-Identifier: Apache-2.0
// The problem body of a refusal (RFC 9457; protocol.md §3): what both sides say when they say no.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace arkvory {

// The most of a refusal's body that is read.
inline constexpr std::size_t kLongestProblem = 64 * 1024;

struct Problem {
  int status = 0;
  std::string title{};
  std::string code{};    // `busy`, `not_found`, … (protocol.md §3); empty where another server sent it
  std::string reason{};  // of `busy`: `download_queued`, `too_many_ranges`, …
  std::string detail{};  // one sentence for people
  std::string field{};   // of `invalid_request`: a header's name or a JSON Pointer
  std::optional<std::uint64_t> revision{};  // of `revision_mismatch`: the current one

  // `application/problem+json`, members in the order of RFC 9457 §3.1 and then ours; empty ones are left out.
  std::string to_json() const;
  // Lenient: what is missing or of another type stays empty. Nothing where the text is no JSON object, is deeper than
  // 16 levels or longer than 64 KiB. Control characters in texts become spaces; each text is cut at 500 bytes.
  static std::optional<Problem> parse(std::string_view json);
};

}  // namespace arkvory
