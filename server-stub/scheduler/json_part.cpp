// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/json_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/json_pointer.h"
#include "core/base/utf8.h"

namespace arkvory::server {
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
        if (!levels_.back().keys.insert(levels_.back().key).second) throw Wrong{pointer(), "is given twice"};
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
    if (levels_.size() >= kDeepest) throw Wrong{pointer(), "is nested too deeply"};
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

Json read_json(std::string_view text) {
  if (!is_utf8(text)) throw Wrong{"", "is not UTF-8"};
  Depths depths;
  try {
    return Json::parse(
        text, [&depths](int depth, Json::parse_event_t event, Json& parsed) { return depths(depth, event, parsed); });
  } catch (const Json::parse_error& error) {
    const auto before = text.substr(0, std::min<std::size_t>(error.byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw Wrong{"", fmt::format("is not JSON, from line {} on", line)};
  } catch (const Json::exception&) {
    throw Wrong{"", "has a number that is out of range"};
  }
}

void Part::refuse(std::string_view takes) const {
  auto shown = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t kShown = 40;
  if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
  throw Wrong{pointer, fmt::format("takes {}, not {}", takes, shown)};
}

Part Part::at(const std::string& key) const { return {json.at(key), pointer + json_pointer_step(key)}; }
Part Part::at(std::size_t index) const { return {json.at(index), pointer + json_pointer_step(index)}; }
bool Part::has(const std::string& key) const { return json.contains(key); }

void Part::needs_object() const {
  if (!json.is_object()) refuse("an object");
}

void Part::only_has(std::span<const std::string_view> keys) const {
  needs_object();
  for (const auto& [key, value] : json.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Wrong{pointer + json_pointer_step(key), fmt::format("is unknown; known are {}", fmt::join(keys, ", "))};
}

const std::string& Part::text(std::string_view takes) const {
  if (!json.is_string()) refuse(takes);
  return json.get_ref<const std::string&>();
}

const std::string& Part::name(std::string_view what, std::size_t longest) const {
  const auto takes = fmt::format("{} of 1 to {} bytes without control characters", what, longest);
  const auto& name = text(takes);
  if (name.empty() || name.size() > longest || std::any_of(name.begin(), name.end(), is_control)) refuse(takes);
  return name;
}

std::uint64_t take_number(const Part& part, std::uint64_t least, std::uint64_t most) {
  const auto takes = fmt::format("a whole number from {} to {}", least, most);
  if (!part.json.is_number_unsigned()) part.refuse(takes);
  const auto number = part.json.get<std::uint64_t>();
  if (number < least || number > most) part.refuse(takes);
  return number;
}

}  // namespace arkvory::server
