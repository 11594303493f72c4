// SPDX-License-Identifier: Apache-2.0
// Reads a checkpoint as something from outside: a disk may have torn it, a hand may have edited it.
#include <limits>
#include <nlohmann/json.hpp>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_limits.h"
#include "checkpoint/stored_text.h"
#include "core/base/digest.h"
#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "core/base/utf8.h"

namespace arkvory {

namespace {

using Json = nlohmann::json;

constexpr auto kMostMilliseconds =
    static_cast<std::uint64_t>(std::chrono::floor<std::chrono::milliseconds>(Duration::max()).count());

// The number of the format, which every version writes as the first key.
std::optional<std::uint64_t> format_of(std::string_view text) {
  const auto skip = [&](std::string_view token) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with(token)) return false;
    text.remove_prefix(token.size());
    return true;
  };
  if (!skip("{") || !skip("\"format\"") || !skip(":") || !skip("")) return std::nullopt;
  return parse_number(text.substr(0, text.find_first_not_of("0123456789")));
}

// The lines that the checksum covers, or nothing where it doesn't fit.
std::optional<std::string_view> checked_body(std::string_view text) {
  const auto tail = kChecksumBefore.size() + kChecksumDigits + kChecksumAfter.size();
  if (text.size() > kLargestCheckpoint || text.size() < tail) return std::nullopt;
  const auto body = text.substr(0, text.size() - tail);
  if (seal_checkpoint(std::string(body)) != text) return std::nullopt;
  return body;
}

// Few values, flat: checked before the parser takes memory for them.
bool is_modest(std::string_view text) {
  std::size_t values = 0;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == ',' && ++values > kMostValues) return false;
    if ((c == '[' || c == '{') && ++depth > kDeepest) return false;
    if ((c == ']' || c == '}') && depth-- == 0) return false;
  }
  return true;
}

// Takes the fields of one object, each exactly once. What is missing, of another type or out of range is remembered
// as the first problem; the values taken then mean nothing.
class Fields {
 public:
  Fields(const Json& object, std::string& problem) : object_(object), problem_(problem) {
    if (!object.is_object()) fail_at("object");
  }

  const Json& take(const char* key) {
    static const Json nothing;
    if (!object_.is_object()) return nothing;
    const auto found = object_.find(key);
    if (found == object_.end()) {
      fail_at(key);
      return nothing;
    }
    ++taken_;
    return *found;
  }

  bool flag(const char* key) {
    const auto& value = take(key);
    if (value.is_boolean()) return value.get<bool>();
    fail_at(key);
    return false;
  }

  std::uint64_t number(const char* key, std::uint64_t least, std::uint64_t most) {
    const auto& value = take(key);
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number >= least && number <= most) return number;
    }
    fail_at(key);
    return least;
  }

  unsigned small(const char* key, unsigned least, unsigned most) {
    return static_cast<unsigned>(number(key, least, most));
  }

  std::optional<std::uint64_t> number_or_null(const char* key, std::uint64_t most) {
    if (is_null(key)) return std::nullopt;
    return number(key, 0, most);
  }

  Duration milliseconds(const char* key) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(number(key, 0, kMostMilliseconds)));
  }

  std::optional<Duration> milliseconds_or_null(const char* key) {
    if (is_null(key)) return std::nullopt;
    return milliseconds(key);
  }

  std::string text(const char* key) { return text(take(key), key); }

  std::vector<std::string> texts(const char* key) {
    const auto& value = take(key);
    std::vector<std::string> list;
    if (!value.is_array()) fail_at(key);
    if (value.is_array())
      for (const auto& item : value) list.push_back(text(item, key));
    return list;
  }

  WallTime time(const char* key) {
    const auto written = text(key);
    const auto time = parse_rfc3339(written);
    // Only the one form that is written, so that it reads back as itself.
    if (time && format_rfc3339(*time) == written) return *time;
    fail_at(key);
    return {};
  }

  std::optional<WallTime> time_or_null(const char* key) {
    if (is_null(key)) return std::nullopt;
    return time(key);
  }

  std::optional<Sha256Digest> digest_or_null(const char* key) {
    if (is_null(key)) return std::nullopt;
    const auto written = text(key);
    const auto digest = Sha256Digest::from_hex(written);
    if (!digest || digest->to_hex() != written) fail_at(key);
    return digest;
  }

  // The key is there and holds null; then it counts as taken.
  bool is_null(const char* key) {
    if (!object_.is_object()) return false;
    const auto found = object_.find(key);
    if (found == object_.end() || !found->is_null()) return false;
    ++taken_;
    return true;
  }

  void end() {
    if (object_.is_object() && taken_ != object_.size()) fail_at("an unknown field");
  }

  void fail_at(const char* key) {
    if (problem_.empty()) problem_ = key;
  }

 private:
  std::string text(const Json& value, const char* key) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.size() == 1 && value.contains("hex") && value["hex"].is_string()) {
      auto bytes = bytes_from_hex(value["hex"].get_ref<const std::string&>());
      if (bytes && !is_utf8(*bytes)) return *bytes;
    }
    fail_at(key);
    return {};
  }

  const Json& object_;
  std::string& problem_;
  std::size_t taken_ = 0;
};

RemoteObject read_object(const Json& json, std::uint64_t format, std::string& problem) {
  Fields fields(json, problem);
  RemoteObject object;
  object.size = fields.number_or_null("size", kLargestOffset);
  if (!fields.is_null("etag")) {
    object.tag = StrongTag::parse(fields.text("etag"));
    if (!object.tag) fields.fail_at("etag");
  }
  object.last_modified = fields.text("last_modified");
  object.date_is_strong = fields.flag("date_is_strong");
  if (format >= 3) object.media_type = fields.text("media_type");
  object.digest = fields.digest_or_null("sha256");
  fields.end();
  return object;
}

GivenTime read_given_time(const Json& json, std::string& problem) {
  Fields fields(json, problem);
  GivenTime time{fields.text("given"), fields.time("time")};
  fields.end();
  return time;
}

QueuePlace read_place(const Json& json, std::string& problem) {
  Fields fields(json, problem);
  QueuePlace place;
  place.position = fields.number_or_null("position", kLargestOffset);
  place.starts_at = fields.time_or_null("starts_at");
  fields.end();
  return place;
}

Shape read_shape(const Json& json, std::uint64_t format, std::string& problem) {
  constexpr auto any = std::numeric_limits<unsigned>::max();
  Fields fields(json, problem);
  Shape shape;
  shape.sha256 = fields.digest_or_null("sha256");
  shape.connections = fields.small("connections", 1, 16);
  shape.range_size = fields.number("range_size", 64 * kKiB, kLargestOffset);
  shape.max_retries = fields.small("max_retries", 0, any);
  shape.max_attempts = fields.small("max_attempts", 0, any);
  shape.connect_timeout = fields.milliseconds("connect_timeout_ms");
  shape.stall_timeout = fields.milliseconds("stall_timeout_ms");
  shape.max_size = fields.number_or_null("max_size", std::numeric_limits<std::uint64_t>::max());
  shape.download_class = fields.text("class");
  shape.remote_time = fields.flag("remote_time");
  if (format >= 3) {
    shape.raw = fields.flag("raw");
    shape.force = fields.flag("force");
    shape.limit_rate = fields.number("limit_rate", 0, std::numeric_limits<std::uint64_t>::max());
  }
  if (format >= 2) {
    if (!fields.is_null("not_before")) shape.not_before = read_given_time(fields.take("not_before"), problem);
    if (!fields.is_null("not_after")) shape.not_after = read_given_time(fields.take("not_after"), problem);
    shape.wait_limit = fields.milliseconds_or_null("wait_limit_ms");
  }
  shape.token_file = fields.text("token_file");
  for (auto& path : fields.texts("header_files")) shape.header_files.emplace_back(std::move(path));
  shape.header_names = fields.texts("header_names");
  fields.end();
  return shape;
}

std::optional<HeldTicket> read_ticket(const Json& json, std::string& problem) {
  Fields fields(json, problem);
  const auto ticket = Ticket::parse(fields.text("ticket"));
  if (!ticket) fields.fail_at("ticket");
  const auto received = fields.time("received");
  fields.end();
  if (!ticket) return std::nullopt;
  return HeldTicket{*ticket, received};
}

Owner read_owner(const Json& json, std::string& problem) {
  Fields fields(json, problem);
  Owner owner;
  owner.pid = static_cast<std::int64_t>(fields.number("pid", 0, kLargestOffset));
  owner.boot_id = fields.text("boot");
  owner.start_time = fields.number("start", 0, std::numeric_limits<std::uint64_t>::max());
  fields.end();
  return owner;
}

// Sorted, disjoint, not touching, within [0, end).
std::optional<IntervalSet> read_ranges(const Json& json, std::uint64_t end) {
  IntervalSet ranges;
  std::uint64_t free_from = 0;
  if (!json.is_array()) return std::nullopt;
  for (const auto& pair : json) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() || !pair[1].is_number_unsigned())
      return std::nullopt;
    const auto range = ByteRange::make(pair[0].get<std::uint64_t>(), pair[1].get<std::uint64_t>());
    if (!range || range->begin() < free_from || range->end() > end) return std::nullopt;
    ranges.add(*range);
    free_from = range->end() + 1;
  }
  return ranges;
}

std::optional<std::uint64_t> read_digest(std::string_view digits) {
  const auto bytes = bytes_from_hex(digits);
  if (!bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : *bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

// Runs in ascending order, each block claimed.
std::optional<BlockDigests> read_blocks(const Json& json, const std::optional<RemoteObject>& object,
                                        const IntervalSet& claimed) {
  BlockDigests blocks;
  std::uint64_t next = 0;
  if (!json.is_array()) return std::nullopt;
  for (const auto& run : json) {
    if (!run.is_array() || run.size() != 2 || !run[0].is_number_unsigned() || !run[1].is_string()) return std::nullopt;
    const auto first = run[0].get<std::uint64_t>();
    const std::string_view digits = run[1].get_ref<const std::string&>();
    if (first < next || digits.empty() || digits.size() % kChecksumDigits != 0) return std::nullopt;
    next = first;
    for (std::size_t at = 0; at < digits.size(); at += kChecksumDigits, ++next) {
      const auto digest = read_digest(digits.substr(at, kChecksumDigits));
      if (!digest || !block_is_claimed(next, object, claimed)) return std::nullopt;
      blocks.emplace_hint(blocks.end(), next, *digest);
    }
  }
  return blocks;
}

// A name within the target's own folder, or none yet.
bool is_plain_name(const std::string& name) {
  return name.find('/') == std::string::npos && name != "." && name != ".." && name.find('\0') == std::string::npos;
}

// Everything below the format and the checksum. `problem` names the first field that is wrong.
std::optional<Checkpoint> read_fields(const Json& json, std::string& problem) {
  Fields fields(json, problem);
  const auto format = fields.number("format", 1, kCheckpointFormat);
  fields.text("checksum");
  const auto id = DownloadId::parse(fields.text("id"));
  if (!id) fields.fail_at("id");
  const auto url_text = fields.text("url");
  const auto url = Url::parse(url_text);
  if (!url || url->text() != url_text || !url->userinfo().empty()) fields.fail_at("url");
  if (!id || !url) return std::nullopt;

  Checkpoint checkpoint{SavedProgress{DownloadFacts{*id, *url}}};
  auto& facts = checkpoint.progress.facts;
  checkpoint.written = fields.time("written");
  checkpoint.writer = read_owner(fields.take("writer"), problem);
  facts.generation = fields.small("generation", 1, 3);
  if (!fields.is_null("object")) facts.object = read_object(fields.take("object"), format, problem);
  facts.shape = read_shape(fields.take("options"), format, problem);
  if (!fields.is_null("ticket")) facts.ticket = read_ticket(fields.take("ticket"), problem);
  if (format >= 2) {
    if (!fields.is_null("place")) facts.place = read_place(fields.take("place"), problem);
    facts.is_arkvory = fields.flag("arkvory");
  }
  if (format >= 3 && !fields.is_null("guess")) {
    facts.guess = fields.text("guess");
    if (!is_plain_name(*facts.guess)) fields.fail_at("guess");
  }
  facts.waited = fields.milliseconds("waited_ms");
  facts.last_error = fields.text("last_error");

  const auto end = facts.object ? facts.object->size.value_or(kLargestOffset) : kLargestOffset;
  auto claimed = read_ranges(fields.take("synced"), end);
  if (!claimed) fields.fail_at("synced");
  auto blocks = read_blocks(fields.take("blocks"), facts.object, claimed.value_or(IntervalSet()));
  if (!blocks) fields.fail_at("blocks");
  fields.end();
  if (!problem.empty()) return std::nullopt;
  checkpoint.progress.claimed = std::move(*claimed);
  checkpoint.progress.blocks = std::move(*blocks);
  return checkpoint;
}

}  // namespace

bool is_newer_checkpoint(std::string_view text) { return format_of(text).value_or(0) > kCheckpointFormat; }

Result<Checkpoint> decode_checkpoint(std::string_view text, std::string_view name) {
  const auto damaged = [&](const std::string& cause) {
    return fail(Fault::state, "the checkpoint " + std::string(name) + " is damaged", cause);
  };
  const auto format = format_of(text);
  if (!format || *format == 0) return damaged("it does not begin with a format number");
  if (*format > kCheckpointFormat)
    return fail(Fault::state, "the checkpoint " + std::string(name) + " was written by a newer version (format " +
                                  std::to_string(*format) + "); it is left untouched");
  if (!checked_body(text)) return damaged("its checksum is wrong");
  if (!is_modest(text)) return damaged("its structure is wrong");
  const auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return damaged("it is no JSON");
  std::string problem;
  auto checkpoint = read_fields(json, problem);
  if (!checkpoint) return damaged("wrong field: " + problem);
  return std::move(*checkpoint);
}

}  // namespace arkvory
