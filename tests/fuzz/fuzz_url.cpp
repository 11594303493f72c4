// SPDX-License-Identifier: Apache-2.0
// First line: a URL; the rest: a reference that it is redirected to.
#include <algorithm>

#include "core/http/url.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::Fault;
using arkvory::Url;

namespace {

void check_url(const Url& url) {
  const auto text = url.text();
  ensure(url.scheme() == "http" || url.scheme() == "https", "only http and https");
  ensure(!url.host().empty() && url.port() != 0, "a URL has a host and a port");
  ensure(url.path().starts_with('/'), "a path begins with a slash");
  ensure(std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; }),
         "a URL can't end the line it is sent in");
  ensure(text.find('#') == std::string::npos, "a fragment is never sent");
  const auto authority = url.origin().substr(url.scheme().size() + 3);
  ensure(authority.find_first_of("@/?#\\%") == std::string::npos, "an authority is a host and a port");
  ensure(text.starts_with(url.origin()), "a URL begins with its origin");
  ensure(!(url.is_loopback() && url.is_link_local()), "no host is both");

  const auto again = Url::parse(text);
  ensure(again && again->text() == text && again->host() == url.host(), "what is printed is read as the same");
  ensure(again->userinfo().empty(), "userinfo is not part of the text");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = arkvory::fuzz::as_text(data, size);
  const auto base = Url::parse(arkvory::fuzz::take_line(rest));
  if (!base) {
    ensure(base.error().fault == Fault::usage, "a bad URL is bad usage");
    ensure(base.error().words.size() < 400, "an error has an end");
    return 0;
  }
  check_url(*base);

  const auto target = base->resolve(rest);
  if (!target) {
    ensure(target.error().fault == Fault::untrusted, "a bad Location is not trusted");
    return 0;
  }
  check_url(*target);
  ensure(target->userinfo().empty(), "no userinfo comes from a Location");
  const auto twice = base->resolve(target->text());
  ensure(twice && twice->text() == target->text(), "an absolute target resolves to itself");
  return 0;
}
