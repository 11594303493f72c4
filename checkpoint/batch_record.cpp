// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/batch_record.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "checkpoint/stored_text.h"
#include "core/base/digest.h"
#include "core/base/utf8.h"

namespace arkvory {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSeal = ",\"checksum\":\"";
constexpr std::size_t kDigits = 16;

std::string digits(std::uint64_t value) {
  char text[kDigits + 1];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

std::string checksum_of(std::string_view body) { return digits(xxh3(std::as_bytes(std::span(body)))); }

Json text(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  return Json{{"hex", bytes_to_hex(bytes)}};
}

Json lines(const IntervalSet& set) {
  auto all = Json::array();
  for (const auto& range : set.ranges()) all.push_back({range.begin(), range.end()});
  return all;
}

bool read_lines(const Json& fields, const char* name, IntervalSet& set) {
  const auto found = fields.find(name);
  if (found == fields.end() || !found->is_array() || found->size() > kMostLineRuns) return false;
  std::uint64_t last = 0;
  for (const auto& pair : *found) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() || !pair[1].is_number_unsigned())
      return false;
    const auto range = ByteRange::make(pair[0], pair[1]);
    if (!range || range->begin() <= last) return false;
    last = range->end();
    set.add(*range);
  }
  return true;
}

bool read_number(const Json& fields, const char* name, std::uint64_t& number) {
  const auto found = fields.find(name);
  if (found == fields.end() || !found->is_number_unsigned()) return false;
  number = *found;
  return true;
}

bool read_digest(const Json& fields, std::uint64_t& digest) {
  const auto found = fields.find("xxh3");
  if (found == fields.end() || !found->is_string()) return false;
  const auto& hex = found->get_ref<const std::string&>();
  if (hex.size() != kDigits || hex.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  digest = std::strtoull(hex.c_str(), nullptr, 16);
  return true;
}

// The fields without the checksum, where that is right.
Json sealed_fields(std::string_view text) {
  const auto seal = text.rfind(kSeal);
  if (seal == std::string_view::npos || text.size() != seal + kSeal.size() + kDigits + 3) return nullptr;
  if (text.substr(seal + kSeal.size(), kDigits) != checksum_of(text.substr(0, seal))) return nullptr;
  return Json::parse(text, nullptr, false);
}

}  // namespace

std::string encode_batch_record(const BatchName& name, const BatchRecord& record) {
  const Json fields{{"format", kBatchFormat},
                    {"list", text(name.list.native())},
                    {"folder", text(name.folder.native())},
                    {"base_url", text(name.base_url)},
                    {"length", record.length},
                    {"xxh3", digits(record.digest)},
                    {"done", lines(record.done)},
                    {"elsewhere", lines(record.elsewhere)},
                    {"open", lines(record.open)}};
  auto body = fields.dump();
  body.pop_back();
  const auto checksum = checksum_of(body);
  return body.append(kSeal).append(checksum).append("\"}\n");
}

Result<BatchRecord> decode_batch_record(std::string_view text, const BatchName& name) {
  const auto fields = sealed_fields(text);
  const bool is_whole = fields.is_object() && fields.contains("format") && fields["format"] == kBatchFormat;
  if (!is_whole) return fail(Fault::state, "the record of this batch is damaged");
  if (fields.value("list", Json()) != arkvory::text(name.list.native()) ||
      fields.value("folder", Json()) != arkvory::text(name.folder.native()) ||
      fields.value("base_url", Json()) != arkvory::text(name.base_url))
    return fail(Fault::state, "the record of this batch is another one's");
  BatchRecord record;
  const bool is_right = read_number(fields, "length", record.length) && read_digest(fields, record.digest) &&
                        read_lines(fields, "done", record.done) && read_lines(fields, "elsewhere", record.elsewhere) &&
                        read_lines(fields, "open", record.open);
  if (!is_right) return fail(Fault::state, "the record of this batch is damaged");
  return record;
}

bool is_newer_batch_record(std::string_view text) {
  constexpr std::string_view beginning = "{\"format\":";
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  const auto end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos || end > 9 || text[end] != ',') return false;
  return std::stoul(std::string(text.substr(0, end))) > kBatchFormat;
}

}  // namespace arkvory
