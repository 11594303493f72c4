// SPDX-License-Identifier: Apache-2.0
// libcurl alone against an origin that is scripted byte by byte.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/raw_origin.h"
#include "tests/transport/collector.h"
#include "tests/transport/worlds.h"

namespace arkvory::test {

class CurlCase {
 public:
  explicit CurlCase(RawOrigin::Handler handler, TransportOptions options = {})
      : transport_(make_loopback_transport(clock_, std::move(options))), origin_(std::move(handler)) {}

  Transport& transport() { return *transport_; }
  const Clock& clock() const { return clock_; }
  RawOrigin& origin() { return origin_; }

  // Runs one request into `sink`, to its end.
  void fetch(Collector& sink, const std::string& path = "/f") { fetch_url(sink, origin_.url(path)); }
  void fetch_url(Collector& sink, const std::string& url) {
    transport_->start(request_for(url), sink);
    REQUIRE(wait_for_end(*transport_, clock_, sink));
  }
  // On which connection the newest request came.
  int newest_connection() const { return origin_.served().back().request.connection; }

 private:
  SystemClock clock_;
  std::unique_ptr<Transport> transport_;
  RawOrigin origin_;
};

// The same bytes to every request; the connection stays open.
inline RawOrigin::Handler always(std::string answer) {
  return [answer = std::move(answer)](const RawRequest&, RawConnection& connection) { connection.send(answer); };
}

// The same bytes to every request, then FIN.
inline RawOrigin::Handler always_and_close(std::string answer) {
  return [answer = std::move(answer)](const RawRequest&, RawConnection& connection) {
    connection.send(answer);
    connection.close();
  };
}

}  // namespace arkvory::test
