// SPDX-License-Identifier: Apache-2.0
// A line of a list, in each of its forms.
#include <algorithm>

#include "cli/list_entry.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using namespace arkvory::cli;

namespace {

void check_path(const std::string& path) {
  ensure(!path.empty() && path.front() != '/' && path.back() != '/', "a path is relative and names a file");
  ensure(path.find('\0') == std::string::npos, "a path has no NUL");
  ensure(("/" + path + "/").find("/../") == std::string::npos, "a path does not lead out");
  ensure(!path.ends_with(".arkvory") && !path.ends_with(".arkvory-part"), "a path is not one of our own files");
  const auto again = path_inside(path);
  ensure(again && *again == path, "a safe path is safe already");
}

void check(const arkvory::Result<ListEntry>& entry) {
  if (!entry) {
    ensure(entry.error().fault == arkvory::Fault::usage && !entry.error().words.empty(), "a fault is said");
    return;
  }
  if (!entry->out.empty()) check_path(entry->out);
  ensure(entry->url.scheme() == "http" || entry->url.scheme() == "https", "a URL is absolute");
  ensure(entry->download_class.size() <= 64, "a class has a name");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto base = *arkvory::Url::parse("https://example.org/base");
  const auto line = arkvory::fuzz::as_text(data, size);
  check(entry_from(line));
  const auto sums = entry_from_sums(line, base);
  check(sums);
  if (sums) {
    ensure(sums->url.origin() == base.origin() && sums->url.path().starts_with("/base/"), "a name is below the base");
    ensure(sums->url.query().empty() && sums->sha256.has_value(), "a name is no query");
  }
  return 0;
}
