// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/ticket.h"

#include <doctest/doctest.h>

#include <string>

namespace arkvory {

TEST_CASE("a ticket is up to 128 visible characters, kept unchanged") {
  CHECK(Ticket::parse("2.kf12oi1.kf12oi2.mac-_")->text() == "2.kf12oi1.kf12oi2.mac-_");
  CHECK(Ticket::parse(std::string(128, '~')));
  CHECK_FALSE(Ticket::parse(""));
  CHECK_FALSE(Ticket::parse(std::string(129, 'a')));
  for (const char* text : {"a b", " a", "a\n", "a\r\nX: y", "a\x7F", "\xC3\xA9"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(Ticket::parse(text));
  }
}

}  // namespace arkvory
