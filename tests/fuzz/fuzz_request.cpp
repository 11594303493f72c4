// SPDX-License-Identifier: Apache-2.0
// What a client sends: header blocks with bodies between them, as a connection takes them apart. However the bytes are
// split, the same requests come out.
#include <string>
#include <vector>

#include "server-stub/http/framing.h"
#include "server-stub/http/header_block.h"
#include "server-stub/http/request_parser.h"
#include "server-stub/http/routes.h"
#include "tests/fuzz/fuzz_target.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr std::size_t kMost = 64;  // requests that are looked at

void check(const Request& request) {
  ensure(!request.method.empty() && !request.target.empty(), "a request asks for something");
  ensure(request.target.size() <= kLongestTarget, "a target is no longer than allowed");
  for (const auto& field : request.headers.fields())
    ensure(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos, "a value is one line");
  const auto routed = route(request, Principals{}, ControlKeys{});
  if (const auto* answer = std::get_if<Answer>(&routed))
    ensure(answer->status >= 200 && answer->status < 600, "every request has an answer");
}

// What came of it, in words; `step` bytes arrive at a time.
std::vector<std::string> taken_apart(std::string_view sent, std::size_t step) {
  std::vector<std::string> outcome;
  std::string received;
  const auto more = [&] {
    received += sent.substr(0, step);
    const bool is_any = !sent.empty();
    sent.remove_prefix(std::min(step, sent.size()));
    return is_any;
  };
  while (outcome.size() < kMost) {
    auto block = inspect(received);
    while (block.state == BlockState::incomplete && more()) block = inspect(received);
    if (block.state != BlockState::complete) {
      if (block.state != BlockState::incomplete) outcome.emplace_back("refused");
      return outcome;
    }
    RequestParser parser;
    auto state = parser.take_head(std::string_view(received).substr(block.begin, block.end - block.begin));
    received.erase(0, block.end);
    if (state == ParseState::malformed || state == ParseState::body_too_large) return outcome;
    const auto request = parser.request();
    if (!framing_fault(request).empty()) return outcome;
    check(request);
    outcome.push_back(request.method + " " + request.target);
    while (state == ParseState::needs_body) {
      std::size_t taken = 0;
      if (!received.empty()) state = parser.take_body(received, taken);
      ensure(taken <= received.size(), "no more is taken than there is");
      received.erase(0, taken);
      if (state == ParseState::malformed || state == ParseState::body_too_large) return outcome;
      if (state == ParseState::needs_body && !more()) return outcome;
    }
  }
  return outcome;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto whole = taken_apart(text, text.size() + 1);
  const auto pieces = taken_apart(text, 7);
  ensure(whole == pieces, "requests do not depend on how their bytes arrive");
  return 0;
}
