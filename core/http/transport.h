// SPDX-License-Identifier: Apache-2.0
// The port through which requests go out and answers come in, and the one place where the client waits.
//
// All call-backs of a sink are made inside `wait_until`, on the caller's thread. A sink may not call `start` or
// `cancel` from a call-back: it returns Flow::stop, or acts after `wait_until` has returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/clock.h"
#include "core/http/headers.h"
#include "core/http/url.h"

namespace arkvory {

enum class Method { get, head, remove };

struct Request {
  Url url;
  Method method = Method::get;
  Headers headers;
  Duration connect_timeout = std::chrono::seconds(30);
  bool to_first_origin = true;   // credentials of the transport's own, such as a client certificate, go along
  bool decoded = false;          // the content coding of the body is taken off
  std::uint64_t rate_limit = 0;  // bytes a second; 0: none
};

// A final answer's status line and header fields (1xx answers and trailers are not shown).
struct ResponseHead {
  int status = 0;
  Headers headers;
};

enum class Flow { go_on, stop };

// How an answer ended, by what it means to the one who asked.
enum class EndKind {
  complete,             // to the end its framing states
  stopped,              // by the sink
  no_network,           // no route, or no name server answers: weather
  not_resolved,         // the name has no address
  not_connected,        // refused, or no answer within the connect timeout
  cut,                  // ended before its stated end: reset, closed, stream error
  never_begun,          // the peer says it did not begin this request (HTTP/2 REFUSED_STREAM, GOAWAY): free to repeat
  not_secure,           // TLS: the peer's certificate or name can't be trusted
  certificate_refused,  // TLS: the peer refused or lacks our client certificate
  malformed,            // not HTTP, or a header block that can't be trusted
  proxy_refused,        // the proxy answered CONNECT with an error; `proxy_status` tells which
  internal,             // the library ran out of something
};

struct TransferEnd {
  EndKind kind = EndKind::complete;
  std::string cause{};  // the library's words; may be empty
  int proxy_status = 0;
  Headers proxy_headers{};  // of that answer
};

class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  // The final head, before any byte of the body.
  virtual Flow on_head(const ResponseHead& head) = 0;
  // Body bytes in order, as sent but for Request::decoded.
  virtual Flow on_body(std::span<const std::byte> bytes) = 0;
  // Last call-back of a request, exactly once; never after `cancel`.
  virtual void on_end(const TransferEnd& end) = 0;
};

using TransferId = std::uint64_t;

class Transport {
 public:
  virtual ~Transport() = default;
  // Begins a request. `sink` must live until its `on_end` or until `cancel`.
  virtual TransferId start(const Request& request, ResponseSink& sink) = 0;
  // Another Request::rate_limit for a request that runs. Unknown ids are ignored.
  virtual void limit_rate(TransferId id, std::uint64_t rate_limit) = 0;
  // Ends a request without further call-backs. Unknown ids are ignored.
  virtual void cancel(TransferId id) = 0;
  // Waits until something happened, `deadline` has come, or `wake` was called; makes the call-backs that are due.
  virtual void wait_until(Instant deadline) = 0;
  // Ends the current or the next `wait_until`. The only function that another thread may call.
  virtual void wake() = 0;
};

}  // namespace arkvory
