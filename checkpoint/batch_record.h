// SPDX-License-Identifier: Apache-2.0
// How far a list of downloads has come, as the text of a file. Described in FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/interval_set.h"
#include "core/base/result.h"

namespace arkvory {

inline constexpr unsigned kBatchFormat = 1;
inline constexpr std::size_t kLargestBatchRecord = 16 << 20;  // bytes of text
// Runs of lines that a record keeps apart. What is beyond them is not remembered.
inline constexpr std::size_t kMostLineRuns = 100'000;

// What makes it the same batch: the same list, into the same folder.
struct BatchName {
  std::filesystem::path list;    // absolute
  std::filesystem::path folder;  // absolute
  std::string base_url{};        // --base-url, its userinfo left out; empty: none
  friend bool operator==(const BatchName&, const BatchName&) = default;
};

// Sets of lines by their numbers, from 1.
struct BatchRecord {
  std::uint64_t length = 0;  // of the list's text that this speaks of, and its XXH3: an edited list is another one
  std::uint64_t digest = 0;
  IntervalSet done{};       // ended well, or nothing to do
  IntervalSet elsewhere{};  // of these, those whose target is not where the list leads to expect it
  IntervalSet open{};       // may have begun, and have not ended; their targets were absent before
  friend bool operator==(const BatchRecord&, const BatchRecord&) = default;
};

std::string encode_batch_record(const BatchName& name, const BatchRecord& record);

// Fault::state where the text is damaged, of a newer version (`is_newer_batch_record`), or of another batch.
Result<BatchRecord> decode_batch_record(std::string_view text, const BatchName& name);
bool is_newer_batch_record(std::string_view text);

}  // namespace arkvory
