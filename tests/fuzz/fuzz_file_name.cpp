// SPDX-License-Identifier: Apache-2.0
// First line: a Content-Disposition; the rest: a name, and the path of a URL.
#include <algorithm>
#include <string>

#include "core/base/utf8.h"
#include "core/http/file_name.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;

namespace {

void check_name(const std::string& name) {
  ensure(!name.empty() && name.size() <= 255 - 32, "a name leaves room for our suffixes");
  ensure(name.find('/') == std::string::npos && name.find('\\') == std::string::npos, "a name is one component");
  ensure(name.front() != '.' && name.front() != '-' && name.front() != ' ', "a name is no option and is not hidden");
  ensure(std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }), "no controls");
  ensure(arkvory::is_utf8(name), "a name is UTF-8");
  ensure(!name.ends_with(".arkvory") && !name.ends_with(".arkvory-part"), "a name is not one of our own state");
  ensure(arkvory::safe_file_name(name) == name, "a safe name is safe already");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = arkvory::fuzz::as_text(data, size);
  arkvory::Headers headers;
  headers.add("Content-Disposition", std::string(arkvory::fuzz::take_line(rest)));
  if (const auto raw = arkvory::disposition_name(headers)) ensure(!raw->empty(), "a name that was found is not empty");
  if (const auto name = arkvory::safe_file_name(rest)) check_name(*name);

  const auto url = arkvory::Url::parse("http://host/" + std::string(rest));
  if (!url) return 0;
  check_name(arkvory::file_name_for(headers, *url));
  check_name(arkvory::file_name_for({}, *url));
  return 0;
}
