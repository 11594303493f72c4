// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_limits.h"
#include "checkpoint/stored_text.h"
#include "core/base/digest.h"
#include "core/base/rfc3339.h"
#include "core/base/utf8.h"

namespace arkvory {

namespace {

using Json = nlohmann::ordered_json;

Json text(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  return Json{{"hex", bytes_to_hex(bytes)}};
}

Json milliseconds(Duration duration) { return std::chrono::ceil<std::chrono::milliseconds>(duration).count(); }

// At most kLongestError bytes, cut on a character.
std::string_view shortened(std::string_view words) {
  if (words.size() <= kLongestError) return words;
  auto end = kLongestError;
  while (end > kLongestError - 4 && (static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) --end;
  return words.substr(0, end);
}

template <typename Value, typename Encode>
Json optional(const std::optional<Value>& value, Encode encode) {
  if (!value) return nullptr;
  return encode(*value);
}

Json hex(const Sha256Digest& digest) { return digest.to_hex(); }

std::string hex(std::uint64_t value) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(value));
  return digits.data();
}

Json object(const RemoteObject& object) {
  return Json{{"size", optional(object.size, [](std::uint64_t size) { return Json(size); })},
              {"etag", optional(object.tag, [](const StrongTag& tag) { return text(tag.text()); })},
              {"last_modified", text(object.last_modified)},
              {"date_is_strong", object.date_is_strong},
              {"media_type", text(object.media_type)},
              {"sha256", optional(object.digest, [](const Sha256Digest& digest) { return hex(digest); })}};
}

Json given_time(const GivenTime& time) {
  return Json{{"given", text(time.given)}, {"time", format_rfc3339(time.time)}};
}

Json shape(const Shape& shape) {
  Json header_files = Json::array();
  for (const auto& path : shape.header_files) header_files.push_back(text(path.native()));
  Json header_names = Json::array();
  for (const auto& name : shape.header_names) header_names.push_back(text(name));
  return Json{{"sha256", optional(shape.sha256, [](const Sha256Digest& digest) { return hex(digest); })},
              {"connections", shape.connections},
              {"range_size", shape.range_size},
              {"max_retries", shape.max_retries},
              {"max_attempts", shape.max_attempts},
              {"connect_timeout_ms", milliseconds(shape.connect_timeout)},
              {"stall_timeout_ms", milliseconds(shape.stall_timeout)},
              {"max_size", optional(shape.max_size, [](std::uint64_t size) { return Json(size); })},
              {"class", text(shape.download_class)},
              {"remote_time", shape.remote_time},
              {"raw", shape.raw},
              {"force", shape.force},
              {"limit_rate", shape.limit_rate},
              {"not_before", optional(shape.not_before, given_time)},
              {"not_after", optional(shape.not_after, given_time)},
              {"wait_limit_ms", optional(shape.wait_limit, milliseconds)},
              {"token_file", text(shape.token_file.native())},
              {"header_files", std::move(header_files)},
              {"header_names", std::move(header_names)}};
}

Json ticket(const HeldTicket& held) {
  return Json{{"ticket", held.ticket.text()}, {"received", format_rfc3339(held.received)}};
}

Json place(const QueuePlace& place) {
  return Json{{"position", optional(place.position, [](std::uint64_t position) { return Json(position); })},
              {"starts_at", optional(place.starts_at, [](WallTime time) { return Json(format_rfc3339(time)); })}};
}

// What may be claimed: within the object, and not more ranges than there is room for.
IntervalSet claims(const SavedProgress& progress) {
  const auto end = progress.facts.object ? progress.facts.object->size.value_or(kLargestOffset) : kLargestOffset;
  const auto whole = ByteRange::make(0, std::min(end, kLargestOffset));
  if (!whole) return {};
  auto claimed = progress.claimed.within(*whole);
  while (claimed.count() > kMostRanges)
    claimed.remove(ByteRange(claimed.ranges()[kMostRanges].begin(), kLargestOffset));
  return claimed;
}

Json ranges(const IntervalSet& claimed) {
  Json list = Json::array();
  for (const auto& range : claimed.ranges()) list.push_back(Json::array({range.begin(), range.end()}));
  return list;
}

// Runs of neighbouring blocks: the number of the first, and the digests one after the other.
Json blocks(const SavedProgress& progress, const IntervalSet& claimed) {
  Json list = Json::array();
  std::string run;
  std::uint64_t first = 0;
  std::uint64_t next = 0;
  std::size_t count = 0;
  const auto end_run = [&] {
    if (!run.empty()) list.push_back(Json::array({first, run}));
    run.clear();
  };
  for (const auto& [block, digest] : progress.blocks) {
    if (!block_is_claimed(block, progress.facts.object, claimed)) continue;
    if (++count > kMostBlocks) break;
    if (block != next || run.empty()) {
      end_run();
      if (list.size() == kMostRuns) break;
      first = block;
    }
    run += hex(digest);
    next = block + 1;
  }
  end_run();
  return list;
}

}  // namespace

std::string seal_checkpoint(std::string body) {
  const auto checksum = xxh3(std::as_bytes(std::span(body)));
  return body.append(kChecksumBefore).append(hex(checksum)).append(kChecksumAfter);
}

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  const auto& progress = checkpoint.progress;
  const auto& facts = progress.facts;
  const auto claimed = claims(progress);
  const Json fields{
      {"format", kCheckpointFormat},
      {"written", format_rfc3339(checkpoint.written)},
      {"writer", Json{{"pid", checkpoint.writer.pid},
                      {"boot", text(checkpoint.writer.boot_id)},
                      {"start", checkpoint.writer.start_time}}},
      {"id", facts.id.text()},
      {"url", text(facts.url.text())},
      {"generation", facts.generation},
      {"object", optional(facts.object, object)},
      {"options", shape(facts.shape)},
      {"ticket", optional(facts.ticket, ticket)},
      {"place", optional(facts.place, place)},
      {"arkvory", facts.is_arkvory},
      {"guess", optional(facts.guess, [](const std::string& name) { return text(name); })},
      {"waited_ms", milliseconds(facts.waited)},
      {"last_error", text(shortened(facts.last_error))},
      {"synced", ranges(claimed)},
      {"blocks", blocks(progress, claimed)},
  };
  // A line per field: short for the machine, legible for a person.
  std::string body = "{\n";
  for (const auto& [key, value] : fields.items()) body.append("  \"" + key + "\": ").append(value.dump()).append(",\n");
  return seal_checkpoint(std::move(body));
}

}  // namespace arkvory
