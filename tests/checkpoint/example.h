// SPDX-License-Identifier: Apache-2.0
// Checkpoints for tests: one with every field set, and random ones.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "core/base/rng.h"
#include "core/base/size.h"

namespace arkvory::test {

inline Url url(std::string_view text) {
  auto parsed = Url::parse(text);
  ensure(parsed.has_value(), "a test's URL is one");
  return *parsed;
}

inline DownloadId id(std::string_view text = "0123456789abcdefABCDEF") {
  auto parsed = DownloadId::parse(text);
  ensure(parsed.has_value(), "a test's id is one");
  return *parsed;
}

inline Sha256Digest sha256(char digit) { return *Sha256Digest::from_hex(std::string(64, digit)); }

inline WallTime wall(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

inline Checkpoint full_checkpoint() {
  Checkpoint checkpoint{SavedProgress{DownloadFacts{id(), url("https://example.org/pub/a.iso?sig=k")}}};
  checkpoint.writer = Owner{4711, "054bac75-ef42-4cef-b3f2-d96b4a479499", 92207};
  checkpoint.written = wall(1'798'761'600'123);
  auto& facts = checkpoint.progress.facts;
  facts.generation = 2;
  facts.object = RemoteObject{};
  facts.object->size = 20 * kMiB;
  facts.object->tag = StrongTag::parse("\"abc-1\"");
  facts.object->last_modified = "Sun, 06 Nov 1994 08:49:37 GMT";
  facts.object->date_is_strong = true;
  facts.object->digest = sha256('a');
  facts.object->media_type = "application/octet-stream";
  facts.shape.sha256 = sha256('b');
  facts.shape.connections = 7;
  facts.shape.max_size = 1 << 30;
  facts.shape.download_class = "bulk";
  facts.shape.remote_time = true;
  facts.shape.raw = true;
  facts.shape.force = true;
  facts.shape.limit_rate = 3'000'000;
  facts.shape.not_before = GivenTime{"+1h", wall(1'798'765'200'000)};
  facts.shape.not_after = GivenTime{"06:00", wall(1'798'783'200'000)};
  facts.shape.wait_limit = std::chrono::hours(2);
  facts.shape.token_file = "/home/ann/токен";
  facts.shape.header_files = {"/home/ann/headers", "relative \" \\ name"};
  facts.shape.header_names = {"X-Api-Key"};
  facts.ticket = HeldTicket{*Ticket::parse("a2.b-c_d"), wall(1'798'761'599'000)};
  facts.waited = std::chrono::milliseconds(61'500);
  facts.place = QueuePlace{312, wall(1'798'764'420'000)};
  facts.is_arkvory = true;
  facts.guess = "named.bin";
  facts.last_error = "the server said: «занято»";
  checkpoint.progress.claimed = {ByteRange(0, 9 * kMiB), ByteRange(16 * kMiB, 20 * kMiB)};
  checkpoint.progress.blocks = {{0, 0x0123456789ABCDEF}, {2, 0xFEDCBA9876543210}};
  return checkpoint;
}

inline std::string random_text(Rng& rng, bool any_bytes) {
  std::string text;
  for (auto left = rng.below(20); left > 0; --left)
    text.push_back(any_bytes ? static_cast<char>(rng.below(256)) : static_cast<char>('!' + rng.below(94)));
  return text;
}

// Any facts that the types allow.
inline Checkpoint random_checkpoint(Rng& rng) {
  Checkpoint checkpoint{SavedProgress{DownloadFacts{id(std::string(16 + rng.below(49), 'x')),
                                                    url("http://h" + std::to_string(rng.below(1000)) + "/p?q=1")}}};
  checkpoint.writer = Owner{static_cast<std::int64_t>(rng.below(1 << 22)), random_text(rng, true), rng.next()};
  checkpoint.written = wall(static_cast<std::int64_t>(rng.below(9'000'000'000'000)));
  auto& facts = checkpoint.progress.facts;
  facts.generation = 1 + static_cast<unsigned>(rng.below(3));
  if (rng.chance(70)) {
    facts.object = RemoteObject{};
    if (rng.chance(70)) facts.object->size = rng.below(100 * kMiB);
    if (rng.chance(50)) facts.object->tag = StrongTag::parse("\"\x80\xFF" + std::to_string(rng.next()) + "\"");
    if (rng.chance(50)) facts.object->last_modified = random_text(rng, true);
    facts.object->date_is_strong = rng.chance(50);
    if (rng.chance(50)) facts.object->digest = sha256("0123456789abcdef"[rng.below(16)]);
    if (rng.chance(50)) facts.object->media_type = random_text(rng, true);
  }
  auto& shape = facts.shape;
  if (rng.chance(50)) shape.sha256 = sha256('c');
  shape.connections = 1 + static_cast<unsigned>(rng.below(16));
  shape.range_size = 64 * kKiB + rng.below(kGiB);
  shape.max_retries = static_cast<unsigned>(rng.next());
  shape.max_attempts = static_cast<unsigned>(rng.next());
  shape.connect_timeout = std::chrono::milliseconds(rng.below(1'000'000));
  shape.stall_timeout = std::chrono::milliseconds(rng.below(1'000'000));
  if (rng.chance(50)) shape.max_size = rng.next();
  shape.download_class = random_text(rng, true);
  shape.remote_time = rng.chance(50);
  shape.raw = rng.chance(50);
  shape.force = rng.chance(50);
  if (rng.chance(50)) shape.limit_rate = rng.next();
  const auto any_time = [&rng] { return wall(static_cast<std::int64_t>(rng.below(9'000'000'000'000))); };
  if (rng.chance(30)) shape.not_before = GivenTime{random_text(rng, true), any_time()};
  if (rng.chance(30)) shape.not_after = GivenTime{random_text(rng, true), any_time()};
  if (rng.chance(30)) shape.wait_limit = std::chrono::milliseconds(rng.below(1'000'000'000));
  shape.token_file = random_text(rng, true);
  for (auto left = rng.below(3); left > 0; --left) shape.header_files.emplace_back(random_text(rng, true));
  for (auto left = rng.below(3); left > 0; --left) shape.header_names.push_back(random_text(rng, false));
  if (rng.chance(50)) {
    const auto ticket = Ticket::parse("t" + random_text(rng, false));
    facts.ticket = HeldTicket{*ticket, wall(static_cast<std::int64_t>(rng.below(9'000'000'000'000)))};
  }
  facts.waited = std::chrono::milliseconds(rng.below(1'000'000'000));
  if (rng.chance(40)) facts.place.emplace();
  if (facts.place && rng.chance(70)) facts.place->position = 1 + rng.below(1000);
  if (facts.place && rng.chance(70)) facts.place->starts_at = any_time();
  facts.is_arkvory = rng.chance(50);
  if (rng.chance(30)) facts.guess = rng.chance(50) ? "" : "name" + std::to_string(rng.below(100));
  if (rng.chance(50)) facts.last_error = random_text(rng, true);
  const auto end = facts.object && facts.object->size ? *facts.object->size : 200 * kMiB;
  for (auto left = rng.below(8); left > 0 && end > 0; --left) {
    const auto begin = rng.below(end);
    checkpoint.progress.claimed.add(ByteRange(begin, begin + 1 + rng.below(end - begin)));
  }
  // Digests as PartFile makes them: of blocks that lie whole within the claims.
  for (std::uint64_t block = 0; block * kBlockSize < end; ++block)
    if (checkpoint.progress.claimed.contains(block_range(block, end)) && rng.chance(80))
      checkpoint.progress.blocks[block] = rng.next();
  return checkpoint;
}

inline bool equal(const Checkpoint& left, const Checkpoint& right) {
  const auto& a = left.progress;
  const auto& b = right.progress;
  return left.writer == right.writer && left.written == right.written && a.facts.id == b.facts.id &&
         a.facts.url == b.facts.url && a.facts.shape == b.facts.shape && a.facts.generation == b.facts.generation &&
         a.facts.object == b.facts.object && a.facts.ticket == b.facts.ticket && a.facts.waited == b.facts.waited &&
         a.facts.place == b.facts.place && a.facts.guess == b.facts.guess && a.facts.is_arkvory == b.facts.is_arkvory &&
         a.facts.last_error == b.facts.last_error && a.claimed == b.claimed && a.blocks == b.blocks;
}

}  // namespace arkvory::test
