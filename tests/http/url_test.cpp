// SPDX-License-Identifier: Apache-2.0
#include "core/http/url.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace arkvory {

namespace {

std::string parsed(std::string_view text) {
  const auto url = Url::parse(text);
  return url ? url->text() : std::string("refused");
}

std::string resolved(std::string_view base, std::string_view reference) {
  const auto url = Url::parse(base)->resolve(reference);
  if (url) return url->text();
  return url.error().fault == Fault::untrusted ? "untrusted" : "another fault";
}

}  // namespace

TEST_CASE("a URL is taken apart and put together") {
  const auto url = Url::parse("HTTPS://user:pa%20ss@Example.ORG:8443/a/b%2Fc;d?x=1&y=/?#frag");
  REQUIRE(url);
  CHECK(url->scheme() == "https");
  CHECK(url->host() == "example.org");
  CHECK(url->port() == 8443);
  CHECK(url->path() == "/a/b%2Fc;d");
  CHECK(url->query() == "?x=1&y=/?");
  CHECK(url->userinfo().reveal() == "user:pa%20ss");
  CHECK(url->text() == "https://example.org:8443/a/b%2Fc;d?x=1&y=/?");
  CHECK(url->shown() == "https://example.org:8443/a/b%2Fc;d?…");
  CHECK(url->origin() == "https://example.org:8443");
  CHECK(url->last_component() == "b%2Fc;d");
}

TEST_CASE("a URL has the port of its scheme and at least a slash for a path") {
  CHECK(Url::parse("http://h")->port() == 80);
  CHECK(Url::parse("https://h")->port() == 443);
  CHECK(parsed("http://h") == "http://h/");
  CHECK(parsed("http://h:80") == "http://h/");
  CHECK(parsed("https://h:443/") == "https://h/");
  CHECK(parsed("http://h:443/") == "http://h:443/");
  CHECK(parsed("http://h:/x") == "http://h/x");
  CHECK(parsed("http://h:00080/x") == "http://h/x");
  CHECK(parsed("http://h?q") == "http://h/?q");
  CHECK(parsed("http://h#f") == "http://h/");
  CHECK(parsed("http://h/?") == "http://h/?");
  CHECK(Url::parse("http://h/a/")->last_component().empty());
}

TEST_CASE("spaces and bytes that are not ASCII are encoded in path and query, all else is as sent (D4)") {
  CHECK(parsed("http://h/a b/\xD1\x84?q=\xC3\xA9 x") == "http://h/a%20b/%D1%84?q=%C3%A9%20x");
  CHECK(parsed("http://h/%zz/%2e%2E/./..//x") == "http://h/%zz/%2e%2E/./..//x");
}

TEST_CASE("what is no absolute http URL with a host is refused as bad usage") {
  for (const char* text : {"",
                           "h",
                           "/x",
                           "//h/x",
                           "h/x",
                           "http",
                           "http:",
                           "http:/",
                           "http://",
                           "http:///x",
                           "http://:80/",
                           "http://?q",
                           "http://u@/x",
                           "http:h/x",
                           "ftp://h/x",
                           "file:///etc/passwd",
                           "gopher://h/",
                           "javascript:alert(1)",
                           "httpx://h/",
                           "://h/",
                           " http://h/",
                           "1http://h/",
                           "http://h:x/",
                           "http://h:0/",
                           "http://h:65536/",
                           "http://h:-1/",
                           "http://h:80:80/",
                           "http://h h/",
                           "http://h%41/",
                           "http://h\\@e/",
                           "http://h\"/",
                           "http://[::1/",
                           "http://[]/",
                           "http://[::1]x/",
                           "http://[::g]/",
                           "http://[v1.x]/",
                           "http://[fe80::1%25eth0]/",
                           "http://::1/",
                           "http://\xD1\x84.example/",
                           "http://h/\x01",
                           "http://h/\n",
                           "http://h/\x7F",
                           "http://h/\tx",
                           "http://./",
                           "http://256.1.1.1/",
                           "http://1.2.3.4.5/",
                           "http://08.1.1.1/",
                           "http://1.2.3.x1.0x/",
                           "http://a.1/",
                           "http://h$/",
                           "http://h*/"}) {
    CAPTURE(std::string(text));
    const auto url = Url::parse(text);
    REQUIRE_FALSE(url);
    CHECK(url.error().fault == Fault::usage);
  }
  CHECK_FALSE(Url::parse(std::string_view("http://h\0x/", 11)));
  CHECK_FALSE(Url::parse("http://" + std::string(254, 'a')));
  CHECK(Url::parse("http://" + std::string(253, 'a')));
}

TEST_CASE("an error about a URL shows neither userinfo nor query nor controls") {
  for (const char* text : {"ftp://user:secret@h/x", "user:secret@h/x", "http://user:secret@h:x/",
                           "http://u:se/cret@h:x/", "http://u:?secret@h", "ftp://h/x?token=secret",
                           "ftp://h/x?mail=a@b&token=secret", "ftp://h/#secret", "http://h\x1B/?secret"}) {
    CAPTURE(std::string(text));
    const auto url = Url::parse(text);
    if (url) continue;
    CHECK(url.error().text().find("secret") == std::string::npos);
    CHECK(url.error().text().find("cret") == std::string::npos);
    CHECK(url.error().text().find('\x1B') == std::string::npos);
  }
  CHECK(Url::parse("ftp://h/x").error().words == "'ftp://h/x' is neither an http nor an https URL");
  CHECK(Url::parse("ftp://" + std::string(5000, 'x')).error().words.size() < 300);
}

TEST_CASE("userinfo is never part of the text") {
  for (const char* text : {"http://u:p@h/x", "http://u@h/x", "http://a@b@h/x", "http://@h/x", "http://u:p:q@h/x"}) {
    CAPTURE(std::string(text));
    CHECK(parsed(text) == "http://h/x");
  }
  CHECK(Url::parse("http://a@b@h/x")->userinfo().reveal() == "a@b");
  CHECK(Url::parse("http://h/a@b")->userinfo().empty());
  CHECK(Url::parse("http://h/a@b")->text() == "http://h/a@b");
}

TEST_CASE("an address has one spelling however it was written") {
  const std::pair<const char*, const char*> spellings[] = {{"127.0.0.1", "127.0.0.1"},
                                                           {"127.1", "127.0.0.1"},
                                                           {"0x7f.1", "127.0.0.1"},
                                                           {"2130706433", "127.0.0.1"},
                                                           {"0177.0.0.1", "127.0.0.1"},
                                                           {"0x7F000001", "127.0.0.1"},
                                                           {"127.0.0.1.", "127.0.0.1"},
                                                           {"169.254.43518", "169.254.169.254"},
                                                           {"[0:0:0:0:0:0:0:1]", "::1"},
                                                           {"[::FFFF:169.254.169.254]", "::ffff:169.254.169.254"},
                                                           {"[::ffff:a9fe:a9fe]", "::ffff:169.254.169.254"},
                                                           {"[FE80::1]", "fe80::1"}};
  for (const auto& row : spellings) {
    const auto& written = row.first;
    const auto& host = row.second;
    CAPTURE(std::string(written));
    const auto url = Url::parse(std::string("http://") + written + ":81/");
    REQUIRE(url);
    CHECK(url->host() == host);
  }
  CHECK(parsed("http://[0::1]:81/x") == "http://[::1]:81/x");
  CHECK(parsed("http://a1.example.com/") == "http://a1.example.com/");
  CHECK(parsed("http://1.example/") == "http://1.example/");
  CHECK(parsed("http://host.example./") == "http://host.example./");
}

TEST_CASE("loopback and link-local hosts are known in every spelling (D5)") {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "127.1", "0x7f000001", "[::1]"}) {
    CAPTURE(std::string(host));
    CHECK(Url::parse(std::string("http://") + host)->is_loopback());
    CHECK_FALSE(Url::parse(std::string("http://") + host)->is_link_local());
  }
  for (const char* host :
       {"169.254.169.254", "169.254.43518", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.0.1.",
        "[fe80::1]", "[febf::1]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]"}) {
    CAPTURE(std::string(host));
    CHECK(Url::parse(std::string("http://") + host)->is_link_local());
    CHECK_FALSE(Url::parse(std::string("http://") + host)->is_loopback());
  }
  for (const char* host :
       {"example.org", "localhost.example", "128.0.0.1", "126.255.255.255", "169.253.1.1", "170.254.1.1", "[::2]",
        "[fec0::1]", "[fe7f::1]", "[::ffff:127.0.0.2]", "127.0.0.1.example"}) {
    CAPTURE(std::string(host));
    CHECK_FALSE(Url::parse(std::string("http://") + host)->is_loopback());
    CHECK_FALSE(Url::parse(std::string("http://") + host)->is_link_local());
  }
}

TEST_CASE("references resolve as RFC 3986 section 5.4 has it") {
  // Fragments are dropped; `g:h` is of another scheme; `http:g`, strictly, has no host.
  const std::pair<const char*, const char*> examples[] = {
      // 5.4.1, normal
      {"g:h", "untrusted"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g/"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g#s", "http://a/b/c/g"},
      {"g?y#s", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      // 5.4.2, abnormal
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g"},
      {"g#s/../x", "http://a/b/c/g"},
      {"http:g", "untrusted"},
  };
  for (const auto& row : examples) {
    const auto& reference = row.first;
    const auto& target = row.second;
    CAPTURE(std::string(reference));
    CHECK(resolved("http://a/b/c/d;p?q", reference) == target);
  }
}

TEST_CASE("a Location may be relative, without scheme, absolute, or sloppy (D4)") {
  CHECK(resolved("https://h:8443/a/b?q", "//other/x") == "https://other/x");
  CHECK(resolved("https://h:8443/a/b?q", "x y\xD1\x84?z=\xC3\xA9") == "https://h:8443/a/x%20y%D1%84?z=%C3%A9");
  CHECK(resolved("https://h:8443/a/b", "HTTP://Other:80/x#f") == "http://other/x");
  CHECK(resolved("http://[::1]:81/a", "b") == "http://[::1]:81/b");
  CHECK(resolved("http://h", "x") == "http://h/x");
  CHECK(resolved("http://h/a", "?") == "http://h/a?");
  CHECK(resolved("http://h/a", "1:2") == "http://h/1:2");
  CHECK(resolved("http://h/a", "/x//../y") == "http://h/x/y");
  CHECK(resolved("http://h/a", "//") == "untrusted");
  CHECK(resolved("http://h/a", "/x\r\nSet-Cookie: a") == "untrusted");
}

TEST_CASE("a Location of another scheme is not trusted (D5)") {
  for (const char* reference : {"file:///etc/passwd", "gopher://h/", "ftp://h/x", "data:,x", "javascript:1",
                                "FILE:/etc/passwd", "mailto:a@b"}) {
    CAPTURE(std::string(reference));
    CHECK(resolved("http://h/", reference) == "untrusted");
  }
  CHECK(resolved("http://h/", "http://169.254.169.254/") == "http://169.254.169.254/");  // the caller's policy decides
}

TEST_CASE("userinfo of a Location is dropped, that of the base does not go along") {
  const auto base = Url::parse("http://u:p@h/a");
  REQUIRE(base);
  for (const char* reference : {"b", "//x:y@h/b", "http://x:y@h/b"}) {
    CAPTURE(std::string(reference));
    const auto target = base->resolve(reference);
    REQUIRE(target);
    CHECK(target->text() == "http://h/b");
    CHECK(target->userinfo().empty());
  }
}

}  // namespace arkvory
