// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/written_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/json_pointer.h"
#include "core/base/size.h"
#include "core/base/utf8.h"

namespace arkvory {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 8;

bool is_control(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F; }

// Where the parser is, so that a key given twice and what is nested too deeply are named.
class Depths {
 public:
  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start: begin(false); break;
      case Event::array_start: begin(true); break;
      case Event::object_end:
      case Event::array_end:
        levels_.pop_back();
        value_ended();
        break;
      case Event::value: value_ended(); break;
      case Event::key:
        levels_.back().key = parsed.get<std::string>();
        if (!levels_.back().keys.insert(levels_.back().key).second) throw JsonFault{pointer(), "is given twice"};
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool is_array;
    std::size_t index = 0;
    std::string key{};
    std::set<std::string> keys{};
  };
  void begin(bool is_array) {
    if (levels_.size() >= kDeepest) throw JsonFault{pointer(), "is nested too deeply"};
    levels_.push_back({is_array});
  }
  void value_ended() {
    if (!levels_.empty() && levels_.back().is_array) ++levels_.back().index;
  }
  std::string pointer() const {
    std::string all;
    for (const auto& level : levels_)
      all += level.is_array ? json_pointer_step(level.index) : json_pointer_step(level.key);
    return all;
  }
  std::vector<Level> levels_;
};

}  // namespace

std::string JsonFault::line() const { return (pointer.empty() ? "it" : pointer + ":") + " " + words; }

Json parse_written_json(std::string_view text) {
  if (!is_utf8(text)) throw JsonFault{"", "is not UTF-8"};
  Depths depths;
  try {
    return Json::parse(
        text, [&depths](int depth, Json::parse_event_t event, Json& parsed) { return depths(depth, event, parsed); });
  } catch (const Json::parse_error& error) {
    const auto before = text.substr(0, std::min<std::size_t>(error.byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw JsonFault{"", fmt::format("is not JSON, from line {} on", line)};
  } catch (const Json::exception&) {
    throw JsonFault{"", "has a number that is out of range"};
  }
}

void JsonPart::refuse(std::string_view takes) const {
  auto shown = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t kShown = 40;
  if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
  throw JsonFault{pointer, fmt::format("takes {}, not {}", takes, shown)};
}

void JsonPart::needs_object() const {
  if (!json.is_object()) refuse("an object");
}

void JsonPart::only_has(std::span<const std::string_view> keys) const {
  needs_object();
  for (const auto& [key, value] : json.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw JsonFault{pointer + json_pointer_step(key), fmt::format("is unknown; known are {}", fmt::join(keys, ", "))};
}

bool JsonPart::has(std::string_view key) const { return json.contains(key); }

JsonPart JsonPart::at(std::string_view key) const { return {json.at(key), pointer + json_pointer_step(key)}; }

JsonPart JsonPart::needed(std::string_view key, std::string_view what) const {
  if (!has(key)) throw JsonFault{pointer + json_pointer_step(key), fmt::format("is needed, {}", what)};
  return at(key);
}

JsonPart JsonPart::at(std::size_t index) const { return {json.at(index), pointer + json_pointer_step(index)}; }

const std::string& JsonPart::text(std::string_view takes) const {
  if (!json.is_string()) refuse(takes);
  return json.get_ref<const std::string&>();
}

const std::string& JsonPart::name(std::string_view what, std::size_t longest) const {
  const auto takes = fmt::format("{} of 1 to {} bytes without control characters", what, longest);
  const auto& name = text(takes);
  if (name.empty() || name.size() > longest || std::any_of(name.begin(), name.end(), is_control)) refuse(takes);
  return name;
}

std::uint64_t JsonPart::number(std::uint64_t least, std::uint64_t most) const {
  const auto takes = fmt::format("a whole number from {} to {}", least, most);
  if (!json.is_number_unsigned()) refuse(takes);
  const auto number = json.get<std::uint64_t>();
  if (number < least || number > most) refuse(takes);
  return number;
}

bool JsonPart::truth() const {
  if (!json.is_boolean()) refuse("true or false");
  return json.get<bool>();
}

std::uint64_t JsonPart::size(std::uint64_t least) const {
  constexpr std::string_view kTakes = "a size such as \"40MB\"";
  const auto size = json.is_number_unsigned() ? json.get<std::uint64_t>() : read_written(*this, parse_size, kTakes);
  if (size < least || size > kMostWrittenBytes) refuse(fmt::format("a size from {} to 2^60 bytes", least));
  return size;
}

std::uint64_t JsonPart::rate() const {
  const auto rate = read_written(*this, parse_rate, "a rate such as \"40MB/s\"");
  if (rate == 0 || rate > kMostWrittenBytes) refuse("a rate above 0");
  return rate;
}

Duration JsonPart::time() const {
  const auto time = read_written(*this, parse_duration, "a time such as \"10.5s\"");
  if (time > kLongestWrittenTime) refuse("a time within fifty years");
  return time;
}

}  // namespace arkvory
