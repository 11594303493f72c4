// SPDX-License-Identifier: Apache-2.0
// A correct HTTP/2 server, nginx, behind a relay that breaks its streams. The relay sees frames (RFC 9113 §4) and lets
// all headers through, so that neither side's header compression notices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/hostile/object.h"

namespace arkvory::hostile {

enum class Http2Fault {
  goaway_after_three,  // the fourth request of a connection is answered with GOAWAY, the first three end as they should
  reset_in_body,       // the second request's stream ends in its body with INTERNAL_ERROR, once
  refused,             // the second request is refused with REFUSED_STREAM, once
  reset_after_416,     // the first request gets a 416 that ends with PROTOCOL_ERROR after its headers
};

class Http2Breaker {
 public:
  // With the object as /f.bin. Waits until nginx takes connections.
  Http2Breaker(const std::string& nginx, const Object& object, Http2Fault fault);
  ~Http2Breaker();
  Http2Breaker(const Http2Breaker&) = delete;
  Http2Breaker& operator=(const Http2Breaker&) = delete;

  std::string url() const;
  const std::string& certificate_pem() const;
  int requests() const;
  int faults() const;                // so often the fault was played
  std::uint64_t bytes_sent() const;  // of bodies

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arkvory::hostile
