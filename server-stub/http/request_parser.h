// SPDX-License-Identifier: Apache-2.0
// From bytes to a Request. The header block was inspected before (header_block.h); what it means is Beast's to find
// out.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "server-stub/http/exchange.h"

namespace arkvory::server {

inline constexpr std::size_t kLargestRequestBody = 64 * 1024;

enum class ParseState {
  needs_body,  // the head is whole, the body is not
  whole,
  malformed,       // 400
  body_too_large,  // 413
};

// One request. A body is read, so that the next request is found, and dropped unless it is asked for.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // The whole header block.
  ParseState take_head(std::string_view block);
  // Bytes behind it; `taken` tells how many of them belong to this request.
  ParseState take_body(std::string_view bytes, std::size_t& taken);
  // The client waits for a word before it sends its body (RFC 9110 §10.1.1).
  bool expects_continue() const;
  // After the head was taken: the body is kept, at most kLargestRequestBody.
  void keep_body();
  std::string take_kept_body();
  // Once, after the head was taken.
  Request request() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace arkvory::server
