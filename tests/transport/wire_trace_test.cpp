// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/http/wire_trace.h"

namespace arkvory {

using Lines = std::vector<std::string>;

TEST_CASE("of what is sent only harmless fields show their value") {
  CHECK(shown_lines(
            TraceKind::sent,
            "GET /f?sig=k HTTP/1.1\r\nHost: a\r\nauthorization: Basic x\r\nX-Key: k\r\nRange: bytes=0-1\r\n\r\n") ==
        Lines{"> GET /f?… HTTP/1.1", "> Host: a", "> authorization: …", "> X-Key: …", "> Range: bytes=0-1"});
}

TEST_CASE("of what is received secrets don't show their value, folded or not") {
  CHECK(shown_lines(TraceKind::received, "set-cookie: a=b\r\n\tmore\r\n") == Lines{"< set-cookie: …", "<  …"});
  CHECK(shown_lines(TraceKind::received, "Arkvory-Queue-Ticket: t\r\n") == Lines{"< Arkvory-Queue-Ticket: …"});
  CHECK(shown_lines(TraceKind::received, "Location: http://a/f?k=v#x\r\n") == Lines{"< Location: http://a/f?…"});
}

TEST_CASE("notes that repeat fields in a form of their own are left out") {
  CHECK(shown_lines(TraceKind::note, "h2h3 [authorization: Bearer x]\n").empty());
  CHECK(shown_lines(TraceKind::note, "[HTTP/2] [1] [authorization: Bearer x]\n").empty());
  CHECK(shown_lines(TraceKind::note, "Connected to a (::1) port 80 (#0)\n") ==
        Lines{"* Connected to a (::1) port 80 (#0)"});
}

TEST_CASE("control characters of a peer don't reach the terminal") {
  CHECK(shown_lines(TraceKind::received, "X: a\x1b[31mb\x07\r\n") == Lines{"< X: a[31mb"});
}

}  // namespace arkvory
