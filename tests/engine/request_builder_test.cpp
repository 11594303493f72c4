// SPDX-License-Identifier: Apache-2.0
#include "core/engine/request_builder.h"

#include <doctest/doctest.h>

using namespace arkvory;

namespace {

struct Fixture {
  Job job{.url = *Url::parse("http://a.example/file"), .folder = "/home"};
  DownloadFacts facts{.id = *DownloadId::parse("0123456789abcdef"), .url = job.url};
  Route route{job.url};

  Fixture() {
    job.headers.add("Authorization", "Bearer secret");
    job.headers.add("X-Mine", "1");
    facts.shape.download_class = "bulk";
    facts.ticket = HeldTicket{*Ticket::parse("2.a.b.c"), WallTime()};
    facts.object = RemoteObject{.size = 100, .tag = StrongTag::parse("\"A\"")};
  }
  Headers headers(const Question& question) { return build_request(job, facts, route, question).headers; }
};

const Question kPart{.range = ByteRange(8, 16), .conditional = true};

}  // namespace

TEST_CASE("a range is asked for with its strong tag in If-Range, unencoded") {
  Fixture f;
  const auto headers = f.headers(kPart);
  CHECK(headers.first("Range") == "bytes=8-15");
  CHECK(headers.first("If-Range") == "\"A\"");
  CHECK(headers.first("Accept-Encoding") == "identity");
}

TEST_CASE("a date goes into If-Range only where it is a strong validator (B14)") {
  Fixture f;
  f.facts.object = RemoteObject{.size = 100, .last_modified = "Sun, 06 Nov 1994 08:49:37 GMT"};
  CHECK_FALSE(f.headers(kPart).has("If-Range"));
  f.facts.object->date_is_strong = true;
  CHECK(f.headers(kPart).first("If-Range") == "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST_CASE("id, class and ticket go to the first origin") {
  Fixture f;
  const auto headers = f.headers(kPart);
  CHECK(headers.first("Arkvory-Download-Id") == "0123456789abcdef");
  CHECK(headers.first("Arkvory-Download-Class") == "bulk");
  CHECK(headers.first("Arkvory-Queue-Ticket") == "2.a.b.c");
  CHECK(headers.first("Authorization") == "Bearer secret");
  CHECK(headers.first("X-Mine") == "1");
}

TEST_CASE("on another origin every credential, every -H and every Arkvory header stays behind") {
  Fixture f;
  REQUIRE(f.route.follow("http://b.example/file"));
  const auto headers = f.headers(kPart);
  CHECK(headers.first("Range") == "bytes=8-15");
  for (const auto& field : headers.fields()) {
    CHECK(field.name != "Authorization");
    CHECK(field.name != "X-Mine");
    CHECK(field.name.rfind("Arkvory-", 0) == std::string::npos);
  }
}

TEST_CASE("the server's digest is asked for until one is known") {
  Fixture f;
  CHECK(f.headers({}).has("Want-Repr-Digest"));
  f.facts.object->digest = Sha256Digest::from_hex(std::string(64, 'a'));
  CHECK_FALSE(f.headers({}).has("Want-Repr-Digest"));
  f.facts.object->digest.reset();
  f.facts.shape.sha256 = Sha256Digest::from_hex(std::string(64, 'a'));
  CHECK_FALSE(f.headers({}).has("Want-Repr-Digest"));
}

TEST_CASE("a farewell is DELETE on the first URL with the id and who asks, and nothing of a range") {
  Fixture f;
  const auto request = build_release(f.job.url, f.job.headers, f.facts.id);
  CHECK(request.method == Method::remove);
  CHECK(request.url == f.job.url);
  CHECK(request.headers.first("Arkvory-Download-Id") == "0123456789abcdef");
  CHECK(request.headers.first("Authorization") == "Bearer secret");
  CHECK_FALSE(request.headers.has("Range"));
  CHECK_FALSE(request.headers.has("Arkvory-Queue-Ticket"));
}
