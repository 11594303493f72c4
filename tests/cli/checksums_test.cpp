// SPDX-License-Identifier: Apache-2.0
#include "cli/checksums.h"

#include <doctest/doctest.h>

namespace arkvory::cli {

namespace {

const std::string kA(64, 'a');
const std::string kB(64, 'b');

Job job(const std::string& name, const std::string& url = "https://h/x/an%20image.iso?sig=1") {
  return {.url = *Url::parse(url), .folder = "/f", .name = name};
}

std::string found(const std::string& text, const Job& job) {
  const auto digest = checksum_for(text, job, "SUMS");
  if (digest) return digest->to_hex().substr(0, 1);
  CHECK(digest.error().fault == Fault::usage);
  return digest.error().words;
}

}  // namespace

TEST_CASE("the target's name is looked for first, then the last component of the URL") {
  const auto text = "# made\r\n" + kA + "  an image.iso\r\n" + kB + " *./other\n";
  CHECK(found(text, job("")) == "a");
  CHECK(found(text, job("other")) == "b");
  CHECK(found(text, job("unknown")) == "a");
  CHECK(found(text, job("", "https://h/none")) == "SUMS has no entry for none");
  CHECK(found(text, job("mine", "https://h/none")) == "SUMS has no entry for mine or none");
  CHECK(found("", job("")) == "SUMS has no entry for an image.iso");
  CHECK(found(kA + "  an image.iso", job("")) == "a");
}

TEST_CASE("a name in a folder counts where nothing else is called so, and a doubtful one does not") {
  CHECK(found(kA + "  d/other\n", job("other")) == "a");
  CHECK(found(kA + "  d/other\n" + kB + "  other\n", job("other")) == "b");
  CHECK(found(kA + "  d/other\n" + kB + "  e/other\n", job("other")).find("several") != std::string::npos);
  CHECK(found(kA + "  d/other\n" + kA + "  e/other\n", job("other")) == "a");
  CHECK(found(kA + "  another\n", job("other", "https://h/other")).find("no entry") != std::string::npos);
}

TEST_CASE("a file of checksums gets the credentials of its own origin only") {
  auto first = job("", "https://h/a");
  first.headers.add("Authorization", "Bearer secret");
  first.shape.sha256 = Sha256Digest::from_hex(kA);
  const auto headers_for = [&first](const std::string& url) {
    const auto made = checksums_job(*Url::parse(url), first, false, {"/state", "sums"});
    REQUIRE(made);
    CHECK(!made->shape.sha256);
    CHECK(made->shape.max_size == kLargestChecksums);
    return std::string(made->headers.first("Authorization").value_or("none"));
  };
  CHECK(headers_for("https://h/SUMS") == "Bearer secret");
  CHECK(headers_for("https://other/SUMS") == "none");
  CHECK(headers_for("http://h/SUMS") == "none");
  CHECK(headers_for("https://a:b@other/SUMS") == "Basic YTpi");
}

TEST_CASE("what is no http URL is a file") {
  CHECK(checksums_url("HTTPS://h/SUMS")->has_value());
  CHECK(!checksums_url("http://")->has_value());
  CHECK(!checksums_url("SUMS"));
  CHECK(!checksums_url("./https"));
}

}  // namespace arkvory::cli
