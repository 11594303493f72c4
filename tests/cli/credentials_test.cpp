// SPDX-License-Identifier: Apache-2.0
#include "cli/credentials.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace arkvory::cli {

namespace {

const Environment kEmpty;

std::filesystem::path private_file(const test::TempFolder& folder, const std::string& name, std::string_view content) {
  const auto path = folder / name;
  std::ofstream(path) << content;
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return path;
}

std::string authorization(const CredentialOptions& options, std::string_view url, const Environment& environment) {
  const auto headers = request_headers(options, false, *Url::parse(url), environment);
  if (!headers) FAIL(headers.error().text());
  CHECK(headers->all("Authorization").size() <= 1);
  return std::string(headers->first("Authorization").value_or(""));
}

}  // namespace

TEST_CASE("a URL's userinfo becomes Basic credentials, decoded once (RFC 7617)") {
  CHECK(authorization({}, "https://Aladdin:open%20sesame@example.org/", kEmpty) ==
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(authorization({}, "https://user@example.org/", kEmpty) == "Basic dXNlcjo=");
  CHECK(authorization({}, "https://example.org/", kEmpty).empty());
}

TEST_CASE("of several credentials the nearest to the request is taken") {
  const test::TempFolder folder;
  const Environment environment{{"ARKVORY_TOKEN", "from-environment"}};
  CredentialOptions options;
  CHECK(authorization(options, "https://example.org/", environment) == "Bearer from-environment");
  options.token_file = private_file(folder, "token", "from-file\n");
  CHECK(authorization(options, "https://example.org/", environment) == "Bearer from-file");
  CHECK(authorization(options, "https://a:b@example.org/", environment) == "Basic YTpi");
  options.headers.add("authorization", "Special x");
  CHECK(authorization(options, "https://a:b@example.org/", environment) == "Special x");
}

TEST_CASE("a token file that others may read, or that holds no token, is refused (E11)") {
  const test::TempFolder folder;
  const auto refused = [](const std::filesystem::path& file) {
    const CredentialOptions options{.token_file = file};
    const auto headers = request_headers(options, false, *Url::parse("https://example.org/"), kEmpty);
    REQUIRE(!headers);
    CHECK(headers.error().fault == Fault::auth);
    CHECK(headers.error().words.find(file.native()) != std::string::npos);
    CHECK(headers.error().text().find("secret") == std::string::npos);
  };
  const auto open = private_file(folder, "open", "secret");
  std::filesystem::permissions(open, std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  refused(open);
  refused(folder / "missing");
  refused(folder.path());
  refused(private_file(folder, "empty", "\n"));
  refused(private_file(folder, "two", "secret one\nsecret two\n"));
  refused(private_file(folder, "large", std::string(65 * 1024, 'a')));
}

TEST_CASE("credentials go over plain HTTP to this machine only, else by --insecure") {
  const Environment token{{"ARKVORY_TOKEN", "secret"}};
  CHECK(authorization({}, "http://127.0.0.1:8080/", token) == "Bearer secret");
  CHECK(authorization({}, "http://localhost/", token) == "Bearer secret");
  for (const auto* url : {"http://example.org/", "http://a:secret@example.org/"}) {
    const auto refused = request_headers({}, false, *Url::parse(url), token);
    REQUIRE(!refused);
    CHECK(refused.error().fault == Fault::usage);
    CHECK(refused.error().words.find("--insecure") != std::string::npos);
    CHECK(refused.error().words.find("secret") == std::string::npos);
    CHECK(request_headers({}, true, *Url::parse(url), token));
  }
  CHECK(request_headers({}, false, *Url::parse("http://example.org/"), kEmpty));
}

TEST_CASE("a file of headers has a header a line, comments and empty lines") {
  const test::TempFolder folder;
  const CredentialOptions options{.header_files = {private_file(folder, "headers", "# mine\nX-One: 1\r\n\nX-Two: 2")}};
  const auto headers = request_headers(options, false, *Url::parse("https://example.org/"), kEmpty);
  REQUIRE(headers);
  CHECK(headers->first("X-One") == "1");
  CHECK(headers->first("X-Two") == "2");
  const CredentialOptions bad{.header_files = {private_file(folder, "bad", "X-One: 1\nsecret\n")}};
  const auto refused = request_headers(bad, false, *Url::parse("https://example.org/"), kEmpty);
  REQUIRE(!refused);
  CHECK(refused.error().words.find("line 2") != std::string::npos);
  CHECK(refused.error().words.find("secret") == std::string::npos);
}

TEST_CASE("a shape keeps where secrets come from and never what they are (E11)") {
  CredentialOptions options{.header_files = {"heads"}, .token_file = "../tok"};
  options.headers.add("X-Key", "secret");
  Shape shape;
  note_sources(shape, options, *Url::parse("https://a:secret@example.org/"), "/data/sub");
  CHECK(shape.token_file == "/data/tok");
  CHECK(shape.header_files == std::vector<std::filesystem::path>{"/data/sub/heads"});
  CHECK(shape.header_names == std::vector<std::string>{"X-Key", "Authorization"});
}

TEST_CASE("a resume reads its files again, and names a header whose value was not kept (E11)") {
  const test::TempFolder folder;
  Shape shape;
  shape.token_file = private_file(folder, "token", "new-secret\n");
  shape.header_names = {"X-Key"};
  CredentialOptions options;
  const auto lacking = credentials_for_resume(shape, options, kEmpty);
  REQUIRE(!lacking);
  CHECK(lacking.error().fault == Fault::auth);
  CHECK(lacking.error().words == "the value of header X-Key was not kept; give it again with -H");

  options.headers.add("x-key", "again");
  const auto whole = credentials_for_resume(shape, options, kEmpty);
  REQUIRE(whole);
  CHECK(authorization(*whole, "https://example.org/", kEmpty) == "Bearer new-secret");

  options.token_file = private_file(folder, "other", "other-secret\n");
  CHECK(authorization(*credentials_for_resume(shape, options, kEmpty), "https://example.org/", kEmpty) ==
        "Bearer other-secret");
}

TEST_CASE("a URL's credentials, which are not kept, can be given to a resume in any form") {
  Shape shape;
  shape.header_names = {"Authorization"};
  CHECK(!credentials_for_resume(shape, {}, kEmpty));
  CHECK(credentials_for_resume(shape, {}, {{"ARKVORY_TOKEN", "t"}}));
  CHECK(credentials_for_resume(shape, {.use_netrc = true}, kEmpty));
}

}  // namespace arkvory::cli
