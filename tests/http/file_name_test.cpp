// SPDX-License-Identifier: Apache-2.0
#include "core/http/file_name.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "core/base/utf8.h"

namespace arkvory {

namespace {

constexpr std::size_t kLongest = 255 - 32;

Headers with_disposition(std::string value) {
  Headers headers;
  headers.add("Content-Disposition", std::move(value));
  return headers;
}

std::string raw(const char* value) { return disposition_name(with_disposition(value)).value_or("(none)"); }
std::string safe(std::string_view name) { return safe_file_name(name).value_or("(none)"); }

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("the file name of a Content-Disposition is found in the forms that are met") {
  const std::pair<const char*, const char*> cases[] = {
      {"attachment; filename=a.bin", "a.bin"},
      {"attachment; filename=\"a b.bin\"", "a b.bin"},
      {"attachment;filename=a.bin", "a.bin"},
      {"Attachment; FileName = a.bin ", "a.bin"},
      {"inline; x=1; filename=\"a;b.bin\"; y=\"2\"", "a;b.bin"},
      {"attachment; filename=my file.txt; size=3", "my file.txt"},
      {"attachment; filename=\"a\\\"b\\\\c\"", "a\"b\\c"},
      {"attachment; filename=\"C:\\dir\\a.bin\"", "C:\\dir\\a.bin"},
      {"attachment; filename=\"%41.bin\"", "%41.bin"},
      {"attachment; filename=\"\xD1\x84.bin\"", "\xD1\x84.bin"},
      {"attachment; filename=one; filename=two", "one"},
      {"attachment; filename*=UTF-8''%e2%82%ac%20rates", "\xE2\x82\xAC rates"},
      {"attachment; filename=\"EURO rates\"; filename*=utf-8'en'%e2%82%ac%20rates", "\xE2\x82\xAC rates"},
      {"attachment; filename*=UTF-8''a.bin; filename=b.bin", "a.bin"},
      {"attachment; filename*=iso-8859-1''%A3.txt", "\xC2\xA3.txt"},
      {"attachment; filename*=UTF-8''%2541", "%41"},
      // A filename* that can't be read leaves the plain one.
      {"attachment; filename=b; filename*=UTF-8''%zz", "b"},
      {"attachment; filename=b; filename*=UTF-8''%ff", "b"},
      {"attachment; filename=b; filename*=KOI8-R''a", "b"},
      {"attachment; filename=b; filename*=a", "b"},
      {"attachment; filename=b; filename*=UTF-8''", "b"},
      {"attachment; dummy; filename=b", "b"},
      // Nothing to find.
      {"attachment", "(none)"},
      {"", "(none)"},
      {"filename=a", "(none)"},
      {"attachment; filename", "(none)"},
      {"attachment; filename=", "(none)"},
      {"attachment; filename=\"\"", "(none)"},
      {"attachment; filename=\"open", "(none)"},
      {"attachment; x=\"filename=a\"", "(none)"},
      {"attachment; xfilename=a", "(none)"},
  };
  for (const auto& row : cases) {
    const auto& value = row.first;
    const auto& name = row.second;
    CAPTURE(std::string(value));
    CHECK(raw(value) == name);
  }
  CHECK_FALSE(disposition_name(Headers()));
}

TEST_CASE("no name from outside leads out of the folder (D6)") {
  const std::pair<std::string_view, const char*> cases[] = {
      {"../../x", "x"},
      {"..\\..\\x", "x"},
      {"/etc/passwd", "passwd"},
      {"C:\\Windows\\x.exe", "x.exe"},
      {"a/b\\c", "c"},
      {"..", "(none)"},
      {".", "(none)"},
      {"/", "(none)"},
      {"a/", "(none)"},
      {"a/..", "(none)"},
      {"", "(none)"},
      {"...", "(none)"},
      {"---", "(none)"},
      {" ", "(none)"},
      {"-rf", "rf"},
      {"--output=x", "output=x"},
      {".bashrc", "bashrc"},
      {". -.x", "x"},
      {"a.txt ", "a.txt"},
      {"%2e%2e%2fx", "%2e%2e%2fx"},  // decoding is the caller's, and once
      {"a\r\nb", "ab"},
      {"a\x1B[31mb", "a[31mb"},
      {"a\x7F"
       "b",
       "ab"},
      {"a\xC2\x9B"
       "b",
       "ab"},  // C1
      {"a\xE2\x80\xAE"
       "fdp.exe",
       "afdp.exe"},  // direction override
      {"\x01.\x02./x", "x"},
      {".\x01./y\x01", "y"},
      {"\xE2\x80\x8F-x", "x"},
      {"a\xFF"
       "b",
       "a\xEF\xBF\xBD"
       "b"},
      {"\xC0\xAF"
       "etc",
       "\xEF\xBF\xBD\xEF\xBF\xBD"
       "etc"},  // an overlong slash is no slash
      {"\xD0\xBE\xD1\x82\xD1\x87\xD1\x91\xD1\x82.pdf", "\xD0\xBE\xD1\x82\xD1\x87\xD1\x91\xD1\x82.pdf"},
  };
  for (const auto& row : cases) {
    const auto& name = row.first;
    const auto& wanted = row.second;
    CAPTURE(std::string(name));
    CHECK(safe(name) == wanted);
  }
  CHECK(safe(std::string_view("a\0b/\0.\0.x", 9)) == "x");
}

TEST_CASE("the hostile name of D6 is decoded once and loses its folders") {
  const auto headers = with_disposition("attachment; filename=\"../../x\"; filename*=UTF-8''..%2f..%2fy");
  CHECK(disposition_name(headers) == "../../y");
  CHECK(file_name_for(headers, *Url::parse("http://h/z")) == "y");
  const auto twice = with_disposition("attachment; filename*=UTF-8''..%252fy");
  CHECK(file_name_for(twice, *Url::parse("http://h/z")) == "%2fy");
}

TEST_CASE("a long name is cut on a character, its extension kept, with room for our suffixes (D7)") {
  for (const std::size_t length : {223U, 224U, 240U, 249U, 255U, 300U, 5000U}) {
    CAPTURE(length);
    const auto name = std::string(length - 4, 'n') + ".iso";
    const auto short_name = safe(name);
    CHECK(short_name.size() == std::min(length, kLongest));
    CHECK(short_name.ends_with("n.iso"));

    for (const std::string_view character : {"\xD1\x84", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
      const auto wide = safe(repeated(character, length / character.size()) + ".iso");
      CHECK(wide.size() <= kLongest);
      CHECK(wide.size() + character.size() > std::min(length - character.size(), kLongest));
      CHECK(is_utf8(wide));
      CHECK(wide.find("\xEF\xBF\xBD") == std::string::npos);
      CHECK(wide.ends_with(std::string(character) + ".iso"));
    }
  }
  CHECK(safe(std::string(300, 'n') + ".tar.gz").ends_with("n.tar.gz"));
  CHECK(safe(std::string(300, 'n') + "." + std::string(300, 'e')) == std::string(kLongest, 'n'));
  CHECK(safe("n." + std::string(300, 'e')) == "n." + std::string(kLongest - 2, 'e'));
}

TEST_CASE("a server can't name a file as our own state is named") {
  CHECK(safe("big.iso.arkvory") == "big.iso_arkvory");
  CHECK(safe("big.iso.arkvory-part") == "big.iso_arkvory-part");
  CHECK(safe("big.iso.arkvory ") == "big.iso_arkvory");
  CHECK(safe("big.iso.g2.arkvory-part") == "big.iso.g2_arkvory-part");
  CHECK(safe("arkvory") == "arkvory");
  CHECK(safe(".arkvory") == "arkvory");
  CHECK(safe("x.arkvory.txt") == "x.arkvory.txt");
  const auto cut = safe(std::string(kLongest - 8, 'n') + ".arkvory" + std::string(40, 'x'));
  CHECK_FALSE(cut.ends_with(".arkvory"));
}

TEST_CASE("a safe name is safe already") {
  for (const char* name : {"a", "a.tar.gz", "\xD1\x84.x", "a b", "a_b-c.d"}) CHECK(safe(name) == name);
}

TEST_CASE("the name for an answer comes from its header, else from the URL, else it is a word") {
  const auto url = *Url::parse("http://h/dir/my%20file.bin?x=/y");
  CHECK(file_name_for(with_disposition("attachment; filename=a.bin"), url) == "a.bin");
  CHECK(file_name_for(with_disposition("attachment; filename=\"..\""), url) == "my file.bin");
  CHECK(file_name_for(Headers(), url) == "my file.bin");
  CHECK(file_name_for(Headers(), *Url::parse("http://h/a/..%2f..%2fx")) == "x");
  CHECK(file_name_for(Headers(), *Url::parse("http://h/100%")) == "100%");
  CHECK(file_name_for(Headers(), *Url::parse("http://h/%252e")) == "%2e");
  CHECK(file_name_for(Headers(), *Url::parse("http://h/dir/")) == "download");
  CHECK(file_name_for(Headers(), *Url::parse("http://h/%2e%2e")) == "download");
  CHECK(file_name_for(Headers(), *Url::parse("http://h")) == "download");
}

}  // namespace arkvory
