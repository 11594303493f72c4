// SPDX-License-Identifier: Apache-2.0
// What a mishap makes of an answer, as a function of values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server-stub/http/exchange.h"
#include "server-stub/mishap/mishap.h"
#include "server-stub/mishap/mishap_script.h"
#include "server-stub/mishap/send_pace.h"

namespace arkvory::server {

// What the answer itself can't say.
struct Disturbance {
  enum class Length { right, less, more, absent };

  bool is_unanswered = false;  // the connection ends without a byte
  bool is_reset = false;       // where it ends, it ends with a reset
  Length length = Length::right;
  std::uint64_t length_by = 0;
  std::string garbage_line{};
  std::optional<Duration> delay{};
  std::optional<std::uint64_t> ends_after{};  // bytes of the body
  std::optional<Stall> stall{};
  std::optional<std::uint64_t> rate{};
};

// How much of a script an answer is a case for.
Scene scene_of(const Answer& answer);

// Changes the answer, which suits the mishap. One that is replaced has no file any more.
Disturbance disturb(Answer& answer, const Mishap& mishap);

// The head with its length and lines disturbed.
std::string disturbed_head(std::string head, const Disturbance& disturbance);
// For the answer whose head was made so long.
SendPlan send_plan(const Disturbance& disturbance, std::uint64_t head_length);

}  // namespace arkvory::server
