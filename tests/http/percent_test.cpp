// SPDX-License-Identifier: Apache-2.0
#include "core/http/percent.h"

#include <doctest/doctest.h>

#include <string>

namespace arkvory {

TEST_CASE("percent-encoding is undone once") {
  CHECK(percent_decoded("a%20b%2Fc%2f") == "a b/c/");
  CHECK(percent_decoded("%2541") == "%41");
  CHECK(percent_decoded("") == "");
  CHECK(percent_decoded("%00") == std::string(1, '\0'));
}

TEST_CASE("a percent sign without two hexadecimal digits stands for itself or is an error") {
  for (const char* text : {"%", "%4", "%zz", "100%", "%%41", "% 41", "%-1"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(percent_decoded(text));
  }
  CHECK(percent_decoded_where_valid("100%") == "100%");
  CHECK(percent_decoded_where_valid("%%41%zz%4") == "%A%zz%4");
}

TEST_CASE("spaces and bytes that are not ASCII are encoded, all else is left") {
  CHECK(percent_encoded_where_needed("a b/\xC3\xA9?x=%20") == "a%20b/%C3%A9?x=%20");
  CHECK(percent_encoded_where_needed("~!@#$&'()*+,;=:[]{}|\\^`\"<>") == "~!@#$&'()*+,;=:[]{}|\\^`\"<>");
}

}  // namespace arkvory
