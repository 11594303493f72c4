// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checkpoint.h"

#include <doctest/doctest.h>

#include "tests/checkpoint/example.h"

namespace arkvory {

namespace {

// The text with one piece replaced, under a right checksum.
std::string resealed(std::string text, std::string_view piece, std::string_view with) {
  text.resize(text.find("  \"checksum\""));
  const auto at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return seal_checkpoint(text.replace(at, piece.size(), with));
}

// What format 2 could tell of it.
Checkpoint of_format_2() {
  auto checkpoint = test::full_checkpoint();
  auto& facts = checkpoint.progress.facts;
  facts.object->media_type.clear();
  facts.shape.raw = false;
  facts.shape.force = false;
  facts.shape.limit_rate = 0;
  facts.guess.reset();
  return checkpoint;
}

void check_damaged(const std::string& text, std::string_view cause) {
  auto decoded = decode_checkpoint(text, "x.arkvory");
  REQUIRE(!decoded.has_value());
  CHECK(decoded.error().fault == Fault::state);
  CHECK(decoded.error().words == "the checkpoint x.arkvory is damaged");
  CHECK(decoded.error().cause == cause);
}

}  // namespace

TEST_CASE("a checkpoint with every field set reads back as it was") {
  const auto checkpoint = test::full_checkpoint();
  auto decoded = decode_checkpoint(encode_checkpoint(checkpoint), "x");
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
  CHECK(test::equal(*decoded, checkpoint));
}

TEST_CASE("random checkpoints read back as they were") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto checkpoint = test::random_checkpoint(rng);
    auto decoded = decode_checkpoint(encode_checkpoint(checkpoint), "x");
    CAPTURE(seed);
    REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
    CHECK(test::equal(*decoded, checkpoint));
  }
}

TEST_CASE("the text is a line per field with the format first and the checksum last") {
  const auto text = encode_checkpoint(test::full_checkpoint());
  CHECK(text.starts_with("{\n  \"format\": 3,\n  \"written\": \"2027-01-01T00:00:00.123Z\",\n"));
  CHECK(text.find("\n  \"synced\": [[0,9437184],[16777216,20971520]],\n") != std::string::npos);
  CHECK(text.find("\n  \"blocks\": [[0,\"0123456789abcdef\"],[2,\"fedcba9876543210\"]],\n") != std::string::npos);
  CHECK(text.find("\n  \"waited_ms\": 61500,\n") != std::string::npos);
  CHECK(text.find("\"token_file\":\"/home/ann/токен\"") != std::string::npos);
  CHECK(text.rfind("\n  \"checksum\": \"") ==
        text.size() - std::string("\n  \"checksum\": \"0123456789abcdef\"\n}\n").size());
}

TEST_CASE("a checkpoint of format 1 as it was first written is still read") {
  // Never to be changed: a program of any later version reads this text.
  const std::string body = R"({
  "format": 1,
  "written": "2027-01-01T00:00:00.123Z",
  "writer": {"pid":4711,"boot":"054bac75-ef42-4cef-b3f2-d96b4a479499","start":92207},
  "id": "0123456789abcdefABCDEF",
  "url": "https://example.org/pub/a.iso?sig=k",
  "generation": 2,
  "object": {"size":20971520,"etag":"\"abc-1\"","last_modified":"Sun, 06 Nov 1994 08:49:37 GMT","date_is_strong":true,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
  "options": {"sha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","connections":7,"range_size":8388608,"max_retries":20,"max_attempts":10,"connect_timeout_ms":30000,"stall_timeout_ms":60000,"max_size":1073741824,"class":"bulk","remote_time":true,"token_file":"/home/ann/токен","header_files":["/home/ann/headers","relative \" \\ name"],"header_names":["X-Api-Key"]},
  "ticket": {"ticket":"a2.b-c_d","received":"2026-12-31T23:59:59.000Z"},
  "waited_ms": 61500,
  "last_error": "the server said: «занято»",
  "synced": [[0,9437184],[16777216,20971520]],
  "blocks": [[0,"0123456789abcdef"],[2,"fedcba9876543210"]],
)";
  auto decoded = decode_checkpoint(seal_checkpoint(body), "x");
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
  auto expected = of_format_2();
  auto& facts = expected.progress.facts;
  facts.shape.not_before.reset();
  facts.shape.not_after.reset();
  facts.shape.wait_limit.reset();
  facts.place.reset();
  facts.is_arkvory = false;
  CHECK(test::equal(*decoded, expected));
  CHECK(encode_checkpoint(*decoded).starts_with("{\n  \"format\": 3,\n"));
}

TEST_CASE("a checkpoint of format 2 as it was first written is still read") {
  // Never to be changed: a program of any later version reads this text.
  const std::string body = R"({
  "format": 2,
  "written": "2027-01-01T00:00:00.123Z",
  "writer": {"pid":4711,"boot":"054bac75-ef42-4cef-b3f2-d96b4a479499","start":92207},
  "id": "0123456789abcdefABCDEF",
  "url": "https://example.org/pub/a.iso?sig=k",
  "generation": 2,
  "object": {"size":20971520,"etag":"\"abc-1\"","last_modified":"Sun, 06 Nov 1994 08:49:37 GMT","date_is_strong":true,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
  "options": {"sha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","connections":7,"range_size":8388608,"max_retries":20,"max_attempts":10,"connect_timeout_ms":30000,"stall_timeout_ms":60000,"max_size":1073741824,"class":"bulk","remote_time":true,"not_before":{"given":"+1h","time":"2027-01-01T01:00:00.000Z"},"not_after":{"given":"06:00","time":"2027-01-01T06:00:00.000Z"},"wait_limit_ms":7200000,"token_file":"/home/ann/токен","header_files":["/home/ann/headers","relative \" \\ name"],"header_names":["X-Api-Key"]},
  "ticket": {"ticket":"a2.b-c_d","received":"2026-12-31T23:59:59.000Z"},
  "place": {"position":312,"starts_at":"2027-01-01T00:47:00.000Z"},
  "arkvory": true,
  "waited_ms": 61500,
  "last_error": "the server said: «занято»",
  "synced": [[0,9437184],[16777216,20971520]],
  "blocks": [[0,"0123456789abcdef"],[2,"fedcba9876543210"]],
)";
  auto decoded = decode_checkpoint(seal_checkpoint(body), "x");
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
  CHECK(test::equal(*decoded, of_format_2()));
}

TEST_CASE("a checkpoint of format 3 as it was first written is still read") {
  // Never to be changed: a program of any later version reads this text.
  const std::string body = R"({
  "format": 3,
  "written": "2027-01-01T00:00:00.123Z",
  "writer": {"pid":4711,"boot":"054bac75-ef42-4cef-b3f2-d96b4a479499","start":92207},
  "id": "0123456789abcdefABCDEF",
  "url": "https://example.org/pub/a.iso?sig=k",
  "generation": 2,
  "object": {"size":20971520,"etag":"\"abc-1\"","last_modified":"Sun, 06 Nov 1994 08:49:37 GMT","date_is_strong":true,"media_type":"application/octet-stream","sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
  "options": {"sha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","connections":7,"range_size":8388608,"max_retries":20,"max_attempts":10,"connect_timeout_ms":30000,"stall_timeout_ms":60000,"max_size":1073741824,"class":"bulk","remote_time":true,"raw":true,"force":true,"limit_rate":3000000,"not_before":{"given":"+1h","time":"2027-01-01T01:00:00.000Z"},"not_after":{"given":"06:00","time":"2027-01-01T06:00:00.000Z"},"wait_limit_ms":7200000,"token_file":"/home/ann/токен","header_files":["/home/ann/headers","relative \" \\ name"],"header_names":["X-Api-Key"]},
  "ticket": {"ticket":"a2.b-c_d","received":"2026-12-31T23:59:59.000Z"},
  "place": {"position":312,"starts_at":"2027-01-01T00:47:00.000Z"},
  "arkvory": true,
  "guess": "named.bin",
  "waited_ms": 61500,
  "last_error": "the server said: «занято»",
  "synced": [[0,9437184],[16777216,20971520]],
  "blocks": [[0,"0123456789abcdef"],[2,"fedcba9876543210"]],
)";
  auto decoded = decode_checkpoint(seal_checkpoint(body), "x");
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
  CHECK(test::equal(*decoded, test::full_checkpoint()));
  CHECK(encode_checkpoint(*decoded) == seal_checkpoint(body));
}

TEST_CASE("a checkpoint of an older format with what only a newer one has is damaged, and the other way round") {
  auto text = encode_checkpoint(test::full_checkpoint());
  for (const char* older : {"\"format\": 1", "\"format\": 2"})
    check_damaged(resealed(text, "\"format\": 3", older), "wrong field: an unknown field");
  check_damaged(resealed(text, "  \"arkvory\": true,\n", ""), "wrong field: arkvory");
  for (const char* name : {"../x", "a/b", "..", "."})
    check_damaged(resealed(text, "\"guess\": \"named.bin\"", "\"guess\": \"" + std::string(name) + "\""),
                  "wrong field: guess");
}

TEST_CASE("each byte changed is noticed") {
  const auto text = encode_checkpoint(test::full_checkpoint());
  const auto format_digit = text.find('3');
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x02U, 0x20U, 0x80U}) {
      auto changed = text;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
      auto decoded = decode_checkpoint(changed, "x.arkvory");
      CAPTURE(at);
      REQUIRE(!decoded.has_value());
      CHECK(decoded.error().fault == Fault::state);
      // A changed format number can't be told from a newer version; then the file is left alone.
      if (at != format_digit) CHECK(decoded.error().words == "the checkpoint x.arkvory is damaged");
    }
  }
}

TEST_CASE("every truncation and every addition is noticed") {
  const auto text = encode_checkpoint(test::full_checkpoint());
  for (std::size_t size = 0; size < text.size(); ++size) {
    auto decoded = decode_checkpoint(text.substr(0, size), "x");
    CAPTURE(size);
    REQUIRE(!decoded.has_value());
    CHECK(decoded.error().fault == Fault::state);
  }
  check_damaged(text + "\n", "its checksum is wrong");
  check_damaged(" " + text, "its checksum is wrong");
  check_damaged(text + text, "its checksum is wrong");
  check_damaged("", "it does not begin with a format number");
  check_damaged(std::string(4096, '\0'), "it does not begin with a format number");
}

TEST_CASE("the format is judged before the checksum and the fields (E10)") {
  for (const std::string text :
       {R"({"format": 4, "anything": "else"})", "{\"format\":4", "{ \n\t\"format\" : 99999999 }"}) {
    CHECK(is_newer_checkpoint(text));
    auto decoded = decode_checkpoint(text, "x.arkvory");
    REQUIRE(!decoded.has_value());
    CHECK(decoded.error().fault == Fault::state);
    CHECK(decoded.error().words.find("x.arkvory was written by a newer version (format ") != std::string::npos);
  }
  check_damaged(R"({"format": 0})", "it does not begin with a format number");
  check_damaged(R"({"format": -2})", "it does not begin with a format number");
  check_damaged(R"({"format": "2"})", "it does not begin with a format number");
  check_damaged(R"({"format": 99999999999999999999999})", "it does not begin with a format number");
  check_damaged(R"({"other": 1, "format": 3})", "it does not begin with a format number");
}

TEST_CASE("wrong fields under a right checksum are damage, and the field is named") {
  const auto text = encode_checkpoint(test::full_checkpoint());
  const auto wrong = [&](std::string_view piece, std::string_view with, const std::string& field) {
    CAPTURE(with);
    check_damaged(resealed(text, piece, with), "wrong field: " + field);
  };
  wrong("\"generation\": 2", "\"generation\": 0", "generation");
  wrong("\"generation\": 2", "\"generation\": 4", "generation");
  wrong("\"generation\": 2", "\"generation\": 1.5", "generation");
  wrong("\"generation\": 2", "\"generation\": -1", "generation");
  wrong("\"generation\": 2", "\"generation\": \"2\"", "generation");
  wrong("  \"generation\": 2,\n", "", "generation");
  wrong("\"generation\": 2", "\"generation\": 2, \"more\": 1", "an unknown field");
  wrong("0123456789abcdefABCDEF", "short", "id");
  wrong("https://example.org", "ftp://example.org", "url");
  wrong("https://example.org", "https://ann:secret@example.org", "url");
  wrong("2027-01-01T00:00:00.123Z", "2027-01-01", "written");
  wrong("2027-01-01T00:00:00.123Z", "2027-13-01T00:00:00.123Z", "written");
  wrong("\"pid\":4711", "\"pid\":-1", "pid");
  wrong("\"connections\":7", "\"connections\":17", "connections");
  wrong("\"connections\":7", "\"connections\":0", "connections");
  wrong("\"range_size\":8388608", "\"range_size\":65535", "range_size");
  wrong("\"max_retries\":20", "\"max_retries\":4294967296", "max_retries");
  wrong("\"stall_timeout_ms\":60000", "\"stall_timeout_ms\":9223372036855", "stall_timeout_ms");
  wrong("\"size\":20971520", "\"size\":9223372036854775808", "size");
  wrong("\"size\":20971520", "\"size\":20971519", "synced");
  wrong("\\\"abc-1\\\"", "W/\\\"abc-1\\\"", "etag");
  wrong("\"sha256\":\"aaaa", "\"sha256\":\"aaa", "sha256");
  wrong("\"sha256\":\"aaaa", "\"sha256\":\"AAAA", "sha256");
  wrong("\"ticket\":\"a2.b-c_d\"", "\"ticket\":\"a b\"", "ticket");
  wrong("\"given\":\"+1h\"", "\"given\":1", "given");
  wrong("2027-01-01T06:00:00.000Z", "06:00", "time");
  wrong("\"wait_limit_ms\":7200000", "\"wait_limit_ms\":-1", "wait_limit_ms");
  wrong("\"position\":312", "\"position\":\"312\"", "position");
  wrong("2027-01-01T00:47:00.000Z", "soon", "starts_at");
  wrong("\"arkvory\": true", "\"arkvory\": 1", "arkvory");
  wrong("[\"X-Api-Key\"]", "\"X-Api-Key\"", "header_names");
  wrong("[\"X-Api-Key\"]", "[{\"hex\":\"41\"}]", "header_names");
  wrong("[\"X-Api-Key\"]", "[{\"hex\":\"f\"}]", "header_names");
  wrong("[[0,9437184],[16777216,20971520]]", "[[0,9437184],[9437184,20971520]]", "synced");
  wrong("[[0,9437184],[16777216,20971520]]", "[[16777216,20971520],[0,9437184]]", "synced");
  wrong("[[0,9437184],[16777216,20971520]]", "[[0,9437184],[4,20971520]]", "synced");
  wrong("[[0,9437184],[16777216,20971520]]", "[[5,5]]", "synced");
  wrong("[[0,9437184],[16777216,20971520]]", "[[5,4]]", "synced");
  wrong("[[0,9437184],[16777216,20971520]]", "[[0]]", "synced");
  wrong("[[0,9437184],[16777216,20971520]]", "{}", "synced");
  wrong("[[0,\"0123456789abcdef\"]", "[[1,\"0123456789abcdef\"]", "blocks");
  wrong("[[0,\"0123456789abcdef\"]", "[[0,\"0123456789abcde\"]", "blocks");
  wrong("[[0,\"0123456789abcdef\"]", "[[0,\"0123456789abcdeF\"]", "blocks");
  wrong("[2,\"fedcba9876543210\"]", "[0,\"fedcba9876543210\"]", "blocks");
  wrong("[2,\"fedcba9876543210\"]", "[18446744073709551615,\"fedcba9876543210\"]", "blocks");
  wrong("[2,\"fedcba9876543210\"]", "[3,\"fedcba9876543210\"]", "blocks");
  check_damaged(resealed(text, "\"generation\": 2", "\"generation\" 2"), "it is no JSON");
  check_damaged(resealed(text, "[[0,9437184],[16777216,20971520]]", std::string(100'000, '[')),
                "its structure is wrong");
}

TEST_CASE("a flood of values is refused before it costs memory") {
  const auto text = encode_checkpoint(test::full_checkpoint());
  std::string flood = "[0";
  for (int i = 0; i < 2'000'000; ++i) flood += ",0";
  check_damaged(resealed(text, "[[0,9437184],[16777216,20971520]]", flood + "]"), "its structure is wrong");
  check_damaged(text + std::string(kLargestCheckpoint, ' '), "its checksum is wrong");
}

TEST_CASE("userinfo is never written and the query is, because going on needs it") {
  auto checkpoint = test::full_checkpoint();
  checkpoint.progress.facts.url = test::url("https://ann:hush%21@example.org/a?sig=k");
  const auto text = encode_checkpoint(checkpoint);
  CHECK(text.find("ann:") == std::string::npos);
  CHECK(text.find("hush") == std::string::npos);
  CHECK(text.find("https://example.org/a?sig=k") != std::string::npos);
}

TEST_CASE("a checkpoint claims less rather than more than it may") {
  auto checkpoint = test::full_checkpoint();
  auto& progress = checkpoint.progress;
  progress.facts.object->size = 17 * kMiB;  // the claims go to 20 MiB
  auto decoded = decode_checkpoint(encode_checkpoint(checkpoint), "x");
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
  CHECK(decoded->progress.claimed == IntervalSet{ByteRange(0, 9 * kMiB), ByteRange(16 * kMiB, 17 * kMiB)});
  progress.blocks = {{0, 1}, {1, 2}, {2, 3}};  // block 1 is held only in part
  decoded = decode_checkpoint(encode_checkpoint(checkpoint), "x");
  REQUIRE(decoded.has_value());
  CHECK(decoded->progress.blocks == BlockDigests{{0, 1}, {2, 3}});
}

TEST_CASE("however much is held, the text stays readable") {
  auto checkpoint = test::full_checkpoint();
  auto& progress = checkpoint.progress;
  progress.facts.object->size = 1ULL << 62U;
  progress.facts.last_error = std::string(4095, 'x') + "«" + std::string(1 << 20, 'y');
  SUBCASE("as one range with a digest for each block") {
    progress.claimed = {ByteRange(0, 600'000 * kBlockSize)};
    for (std::uint64_t block = 0; block < 600'000; ++block) progress.blocks[block] = ~block;
  }
  SUBCASE("as single bytes far apart") {
    for (std::uint64_t i = 0; i < 120'000; ++i)
      progress.claimed.add(ByteRange((1ULL << 61U) + 2 * i, (1ULL << 61U) + 2 * i + 1));
  }
  SUBCASE("with a digest for every other block") {
    progress.claimed = {ByteRange(0, 600'000 * kBlockSize)};
    for (std::uint64_t block = 0; block < 600'000; block += 2) progress.blocks[block] = ~block;
  }
  const auto text = encode_checkpoint(checkpoint);
  CHECK(text.size() < kLargestCheckpoint);
  auto decoded = decode_checkpoint(text, "x");
  REQUIRE_MESSAGE(decoded.has_value(), decoded.error().text());
  for (const auto& range : decoded->progress.claimed.ranges()) CHECK(progress.claimed.contains(range));
  CHECK(decoded->progress.claimed.count() <= 50'000);
  CHECK(decoded->progress.blocks.size() <= 500'000);
  CHECK(decoded->progress.facts.last_error == std::string(4095, 'x'));
}

TEST_CASE("durations are rounded up to the millisecond, so that a wait never shrinks") {
  auto checkpoint = test::full_checkpoint();
  checkpoint.progress.facts.waited = std::chrono::nanoseconds(1);
  auto decoded = decode_checkpoint(encode_checkpoint(checkpoint), "x");
  REQUIRE(decoded.has_value());
  CHECK(decoded->progress.facts.waited == std::chrono::milliseconds(1));
}

}  // namespace arkvory
