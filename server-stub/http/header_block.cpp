// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/header_block.h"

#include <algorithm>

namespace arkvory::server {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool has_bare_line_feed(std::string_view text) {
  for (auto at = text.find('\n'); at != kNowhere; at = text.find('\n', at + 1))
    if (at == 0 || text[at - 1] != '\r') return true;
  return false;
}

bool has_folded_line(std::string_view text) {
  return text.find("\r\n ") != kNowhere || text.find("\r\n\t") != kNowhere;
}

bool is_target_too_long(std::string_view text) {
  const auto line = text.substr(0, text.find("\r\n"));
  const auto method_end = line.find(' ');
  if (method_end == kNowhere) return false;
  const auto rest = line.substr(method_end + 1);
  return rest.substr(0, rest.find(' ')).size() > kLongestTarget;
}

}  // namespace

HeaderBlock inspect(std::string_view received) {
  HeaderBlock block;
  while (received.substr(block.begin).starts_with("\r\n")) block.begin += 2;
  auto text = received.substr(block.begin);
  const auto empty_line = text.find("\r\n\r\n");
  const bool is_whole = empty_line != kNowhere;
  if (is_whole) text = text.substr(0, empty_line + 4);
  block.end = block.begin + text.size();
  if (is_target_too_long(text)) {
    block.state = BlockState::target_too_long;
    return block;
  }
  if (text.size() > kLongestHeaderBlock || (!is_whole && text.size() == kLongestHeaderBlock)) {
    block.state = BlockState::block_too_long;
    return block;
  }
  if (has_bare_line_feed(text) || has_folded_line(text) || text.find('\0') != kNowhere) {
    block.state = BlockState::malformed;
    return block;
  }
  if (is_whole) block.state = BlockState::complete;
  return block;
}

}  // namespace arkvory::server
