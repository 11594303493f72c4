// SPDX-License-Identifier: Apache-2.0
// Requests made to be read in two ways, to break out of their line or of the root, or to overflow a number.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

// What would be taken for a request of its own where a body's end is seen too early.
const std::string kSmuggled = "GET /files/secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

struct Victim {
  Victim() : stub((test::put(folder / "a", "0123456789"), test::put(folder / "secret", "secret"), folder.path())) {}
  // The statuses of all answers until the connection ends.
  std::vector<int> answers_to(const std::string& text) const {
    test::RawClient client(stub.port);
    client.send(text);
    const auto all = client.read_to_end();
    std::vector<int> statuses;
    for (auto at = all.find("HTTP/1.1 "); at != std::string::npos; at = all.find("HTTP/1.1 ", at + 1))
      statuses.push_back(std::stoi(all.substr(at + 9, 3)));
    return statuses;
  }

  test::TempFolder folder;
  test::Stub stub;
};

std::string post(std::string_view fields, std::string_view body) {
  return "POST /healthz HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" + std::string(body) + kSmuggled;
}

std::string chunked(std::string_view body) { return post("Transfer-Encoding: chunked\r\n", body); }

}  // namespace

TEST_CASE("a request whose end could be seen in two places is refused, and nothing behind it is read") {
  const Victim victim;
  constexpr std::string_view kEmpty = "0\r\n\r\n";
  constexpr std::string_view kHello = "5\r\nhello\r\n0\r\n\r\n";
  for (const auto& text : {
           post("Content-Length: +5\r\n", "hello"),
           post("Content-Length: -1\r\n", "hello"),
           post("Content-Length: 0x5\r\n", "hello"),
           post("Content-Length: 5, 5\r\n", "hello"),
           post("Content-Length: 5, 6\r\n", "hello"),
           post("Content-Length: 5 5\r\n", "hello"),
           post("Content-Length:\r\n", ""),
           post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
           post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
           post("Content-Length: 18446744073709551616\r\n", ""),
           post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", kEmpty),
           post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", kEmpty),
           post("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", "hello"),
           post("Transfer-Encoding: identity\r\n", ""),
           post("Transfer-Encoding: chunked, identity\r\n", kHello),
           post("Transfer-Encoding: gzip, chunked\r\n", kHello),
           post("Transfer-Encoding: xchunked\r\n", kEmpty),
           post("Transfer-Encoding: \"chunked\"\r\n", kEmpty),
           post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", kEmpty),
           post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", kEmpty),
           post("Transfer-Encoding:\x0b"
                "chunked\r\n",
                kEmpty),
           post("Transfer-Encoding : chunked\r\n", kEmpty),
           post("Transfer-Encoding\r\n : chunked\r\n", kEmpty),
           post("X: a\rTransfer-Encoding: chunked\r\n", kEmpty),
           post("X: a\nTransfer-Encoding: chunked\r\n", kEmpty),
           post(": a\r\n", ""),
           post("X Y: a\r\n", ""),
           post(" X: a\r\n", ""),
           post("X\r\n", ""),
           chunked("5 \r\nhello\r\n0\r\n\r\n"),
           chunked("0x5\r\nhello\r\n0\r\n\r\n"),
           chunked("+5\r\nhello\r\n0\r\n\r\n"),
           chunked("-1\r\nhello\r\n0\r\n\r\n"),
           chunked("FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
           chunked("5;a=b\nhello\r\n0\r\n\r\n"),
           chunked("5\nhello\n0\n\n"),
           chunked("5\r\nhelloX0\r\n\r\n"),
           chunked("\r\nhello"),
           "POST /healthz HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
               kSmuggled,
           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + kSmuggled,
           "GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n" + kSmuggled,
           "GET /healthz http/1.1\r\nHost: a\r\n\r\n" + kSmuggled,
           "GET /healthz\r\n\r\n" + kSmuggled,
           "GET  /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + kSmuggled,
           "GET /healthz x HTTP/1.1\r\nHost: a\r\n\r\n" + kSmuggled,
           "GET /healthz HTTP/1.1 \r\nHost: a\r\n\r\n" + kSmuggled,
           "GET /he\x01lthz HTTP/1.1\r\nHost: a\r\n\r\n" + kSmuggled,
           "GET /healthz HTTP/1.1\r\n Host: a\r\n\r\n" + kSmuggled,
       }) {
    CAPTURE(text);
    CHECK(victim.answers_to(text) == std::vector{400});
  }
  CHECK(victim.answers_to(chunked("FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n")) == std::vector{413});
}

TEST_CASE("a request whose end is plain is answered, and the next one after it") {
  const Victim victim;
  for (const auto& text : {
           post("Content-Length: 5\r\n", "hello"),
           post("Content-Length: 0005\r\n", "hello"),
           post("Transfer-Encoding: CHUNKED\r\n", "5\r\nhello\r\n0\r\n\r\n"),
           post("Transfer-Encoding:\tchunked\r\n", "0\r\n\r\n"),
           chunked("5;name=\"value\"\r\nhello\r\n0\r\n\r\n"),
           chunked("0\r\nX: a trailer\r\n\r\n"),
           "\r\n\r\n" + post("", ""),
       }) {
    CAPTURE(text);
    CHECK(victim.answers_to(text) == std::vector{405, 200});
  }
}

TEST_CASE("Host is one, of the characters that a host has") {
  const Victim victim;
  const auto status_of = [&](std::string_view hosts) {
    return victim.answers_to("GET /healthz HTTP/1.1\r\nConnection: close\r\n" + std::string(hosts) + "\r\n");
  };
  for (const char* good :
       {"Host: a\r\n", "Host:\r\n", "Host: a.example:8080\r\n", "Host: [::1]:80\r\n", "Host: x_y~!\r\n"}) {
    CAPTURE(good);
    CHECK(status_of(good) == std::vector{200});
  }
  for (const char* bad :
       {"", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n", "Host: a b\r\n", "Host: a/b\r\n", "Host: http://a\r\n",
        "Host: a@b\r\n", "Host: a\"b\r\n", "Host: a?b\r\n", "Host: a\\b\r\n", "Host: \xc3\xa9\r\n"}) {
    CAPTURE(bad);
    CHECK(status_of(bad) == std::vector{400});
  }
}

TEST_CASE("no encoding of a target leaves the root or breaks out of its line") {
  const Victim victim;
  for (const char* target :
       {"/files/..%2f..%2fetc%2fpasswd", "/files/%2e%2e/%2e%2e/etc/passwd", "/files/a%0d%0aX:y", "/files/a%00",
        "/files/a%0", "/files/%", "/files/a%zz", "/files//a", "/files/./a", "/files/a/../a"}) {
    CAPTURE(target);
    CHECK(test::ask(victim.stub.port, "GET", target).status == 400);
  }
  for (const char* target : {"/files/..a", "/files/a/b", "/files/%5c..%5c..", "/../files/a", "/FILES/a", "*", "a:80",
                             "/files/a%252f..", "/files/a;b"}) {
    CAPTURE(target);
    const auto status = test::ask(victim.stub.port, "GET", target).status;
    CHECK((status == 404 || status == 400));
  }
  // A proxy's form names the same object.
  CHECK(test::ask(victim.stub.port, "GET", "http://elsewhere/files/a").body == "0123456789");
}

TEST_CASE("numbers of ranges beyond 2^63 and 2^64 are numbers, and never wrap") {
  const Victim victim;
  struct Case {
    const char* range;
    int status;
    const char* body;
  };
  for (const auto& [range, status, body] : {
           Case{"bytes=9223372036854775807-", 416, nullptr},
           Case{"bytes=9223372036854775808-9223372036854775809", 416, nullptr},
           Case{"bytes=18446744073709551615-18446744073709551615", 416, nullptr},
           Case{"bytes=18446744073709551616-", 416, nullptr},
           Case{"bytes=99999999999999999999999999-", 416, nullptr},
           Case{"bytes=5-9223372036854775808", 206, "56789"},
           Case{"bytes=5-18446744073709551616", 206, "56789"},
           Case{"bytes=5-99999999999999999999999999", 206, "56789"},
           Case{"bytes=-18446744073709551616", 206, "0123456789"},
           Case{"bytes=18446744073709551617-18446744073709551616", 400, nullptr},
       }) {
    CAPTURE(range);
    const auto reply = test::ask(victim.stub.port, "GET", "/files/a", "Range: " + std::string(range) + "\r\n");
    CHECK(reply.status == status);
    if (body != nullptr) CHECK(reply.body == body);
  }
}

TEST_CASE("a client that closes its sending end after its request gets the whole answer") {
  const Victim victim;
  const std::string content(3'000'000, 'x');
  test::put(victim.folder / "large", content);
  test::RawClient client(victim.stub.port);
  client.send(test::request("GET", "/files/a") + test::request("GET", "/files/large"));
  client.end_sending();
  CHECK(client.read_reply().body == "0123456789");
  CHECK((client.read_reply().body == content));
  CHECK(client.is_closed_by_peer());
}
