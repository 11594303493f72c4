// SPDX-License-Identifier: Apache-2.0
// A principals file, and the same bytes as a file of control keys.
#include <string>

#include "server-stub/store/control_keys.h"
#include "server-stub/store/principals.h"
#include "tests/fuzz/fuzz_target.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

template <typename File>
void check(const Result<File>& file) {
  if (file) return;
  ensure(file.error().words.find_first_of("\r\n") == std::string::npos, "what is wrong is one line");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  check(Principals::parse(text));
  check(ControlKeys::parse(text));
  return 0;
}
