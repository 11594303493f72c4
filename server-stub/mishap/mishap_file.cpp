// SPDX-License-Identifier: Apache-2.0
#include "server-stub/mishap/mishap_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/base/json_pointer.h"
#include "core/base/size.h"
#include "core/protocol/written_json.h"

namespace arkvory::server {
namespace {

using Part = JsonPart;

constexpr std::size_t kLargestFile = kMiB;
constexpr std::size_t kLongestText = 2048;
constexpr std::size_t kLongestBody = 64 * kKiB;
constexpr std::uint64_t kMostTimes = 1'000'000'000;

void only(const Part& part, std::initializer_list<std::string_view> keys) {
  if (keys.size() == 0 && part.json.is_object() && !part.json.empty())
    throw JsonFault{part.pointer + json_pointer_step(part.json.begin().key()),
                    "is unknown; there is nothing to choose"};
  part.only_has({keys.begin(), keys.size()});
}

std::uint64_t size_or(const Part& part, std::string_view key, std::uint64_t least, std::uint64_t otherwise) {
  return part.has(key) ? part.at(key).size(least) : otherwise;
}

std::string text_or(const Part& part, std::string_view key, std::string_view otherwise) {
  return part.has(key) ? part.at(key).name("text", kLongestText) : std::string(otherwise);
}

// Seconds, or text as it is: a date, or what is none to see what a client makes of it.
std::string take_retry_after(const Part& part) {
  if (part.json.is_number_unsigned()) return std::to_string(part.json.get<std::uint64_t>());
  return part.name("seconds, a date or any text", kLongestText);
}

std::uint64_t take_after(const Part& part) { return part.needed("after", "a size such as \"1MB\"").size(0); }

std::uint64_t take_by(const Part& part) {
  only(part, {"by"});
  return size_or(part, "by", 1, 1);
}

Mishap take_delay(const Part& part) {
  only(part, {"for"});
  return Delay{part.needed("for", "a time such as \"2s\"").time()};
}

Mishap take_empty_reply(const Part& part) {
  only(part, {"reset"});
  return EmptyReply{part.has("reset") && part.at("reset").truth()};
}

Mishap take_status(const Part& part) {
  only(part, {"code", "retryAfter", "body"});
  ErrorStatus status{static_cast<int>(part.needed("code", "a status from 400 to 599").number(400, 599)), {}, {}};
  if (part.has("retryAfter")) status.retry_after = take_retry_after(part.at("retryAfter"));
  status.body = fmt::format("{}\n", status.code);
  if (!part.has("body")) return status;
  constexpr std::string_view kTakes = "text of at most 64 KiB";
  status.body = part.at("body").text(kTakes);
  if (status.body.size() > kLongestBody) part.at("body").refuse(kTakes);
  return status;
}

Mishap take_busy(const Part& part) {
  only(part, {"retryAfter"});
  return Busy{part.has("retryAfter") ? take_retry_after(part.at("retryAfter")) : "1"};
}

Mishap take_redirect(const Part& part) {
  only(part, {"location", "code"});
  constexpr std::array kCodes{301, 302, 303, 307, 308};
  Redirect redirect{302, part.needed("location", "a URL or a path").name("a URL or a path", kLongestText)};
  if (!part.has("code")) return redirect;
  redirect.code = static_cast<int>(part.at("code").number(300, 399));
  if (std::find(kCodes.begin(), kCodes.end(), redirect.code) == kCodes.end())
    part.at("code").refuse("301, 302, 303, 307 or 308");
  return redirect;
}

Mishap take_garbage_header(const Part& part) {
  only(part, {"line"});
  return GarbageHeader{text_or(part, "line", "this line is no header field")};
}

Mishap take_wrong_type(const Part& part) {
  only(part, {"type"});
  return WrongType{text_or(part, "type", "text/html")};
}

Mishap take_wrong_encoding(const Part& part) {
  only(part, {"coding"});
  return WrongEncoding{text_or(part, "coding", "gzip")};
}

Mishap take_cut(const Part& part) {
  only(part, {"after"});
  return Cut{take_after(part)};
}

Mishap take_reset(const Part& part) {
  only(part, {"after"});
  return Reset{take_after(part)};
}

Mishap take_stall(const Part& part) {
  only(part, {"after", "for"});
  Stall stall{take_after(part)};
  if (part.has("for")) stall.duration = part.at("for").time();
  return stall;
}

Mishap take_slow(const Part& part) {
  only(part, {"rate"});
  return Slow{part.needed("rate", "a rate such as \"100kB/s\"").rate()};
}

Mishap take_corrupt(const Part& part) {
  only(part, {"at"});
  return Corrupt{size_or(part, "at", 0, 0)};
}

Mishap take_wrong_range(const Part& part) {
  only(part, {"shift"});
  return WrongRange{size_or(part, "shift", 1, 1)};
}

Mishap take_changed(const Part& part) {
  only(part, {"sameBytes"});
  return ChangedObject{part.has("sameBytes") && part.at("sameBytes").truth()};
}

template <typename Kind>
Mishap take_plain(const Part& part) {
  only(part, {});
  return Kind{};
}

template <typename Kind>
Mishap take_length(const Part& part) {
  return Kind{take_by(part)};
}

// In the order of kMishapNames.
constexpr std::array<Mishap (*)(const Part&), kMishapNames.size()> kTakes{take_delay,
                                                                          take_empty_reply,
                                                                          take_status,
                                                                          take_busy,
                                                                          take_redirect,
                                                                          take_garbage_header,
                                                                          take_plain<NoValidators>,
                                                                          take_plain<WrongDigest>,
                                                                          take_wrong_type,
                                                                          take_wrong_encoding,
                                                                          take_length<ShortLength>,
                                                                          take_length<LongLength>,
                                                                          take_plain<NoLength>,
                                                                          take_cut,
                                                                          take_reset,
                                                                          take_stall,
                                                                          take_slow,
                                                                          take_corrupt,
                                                                          take_plain<IgnoreRange>,
                                                                          take_wrong_range,
                                                                          take_changed};

std::string take_method(const Part& part) {
  const auto& method = part.name("a method such as \"GET\"", 32);
  if (std::any_of(method.begin(), method.end(), [](char c) { return c < 'A' || c > 'Z'; }))
    part.refuse("a method such as \"GET\"");
  return method;
}

Mishap take_mishap(const Part& rule) {
  std::optional<Mishap> mishap;
  for (std::size_t kind = 0; kind < kTakes.size(); ++kind) {
    if (!rule.has(kMishapNames[kind])) continue;
    const auto part = rule.at(kMishapNames[kind]);
    if (mishap) throw JsonFault{part.pointer, fmt::format("is one too many, for {} is there", name_of(*mishap))};
    mishap = kTakes[kind](part);
  }
  if (!mishap) throw JsonFault{rule.pointer, fmt::format("needs one of {}", fmt::join(kMishapNames, ", "))};
  return *std::move(mishap);
}

MishapRule take_rule(const Part& part) {
  std::vector<std::string_view> keys{"path", "method", "times", "skip", "every"};
  keys.insert(keys.end(), kMishapNames.begin(), kMishapNames.end());
  part.only_has(keys);
  MishapRule rule{.mishap = take_mishap(part)};
  if (part.has("path")) rule.path = part.at("path").name("a pattern such as \"/files/*\",", kLongestText);
  if (part.has("method")) rule.method = take_method(part.at("method"));
  if (part.has("times")) rule.times = part.at("times").number(1, kMostTimes);
  if (part.has("skip")) rule.skip = part.at("skip").number(0, kMostTimes);
  if (part.has("every")) rule.every = part.at("every").number(1, kMostTimes);
  return rule;
}

}  // namespace

Result<std::vector<MishapRule>> parse_mishaps(std::string_view text) {
  try {
    const auto json = parse_written_json(text);
    const Part list{json, ""};
    if (!json.is_array()) list.refuse("a list of rules");
    if (json.size() > MishapScript::kMostRules)
      throw JsonFault{"", fmt::format("has more than {} rules", MishapScript::kMostRules)};
    std::vector<MishapRule> rules;
    for (std::size_t i = 0; i < json.size(); ++i) rules.push_back(take_rule(list.at(i)));
    return rules;
  } catch (const JsonFault& fault) {
    return fail(Fault::usage, fault.line());
  }
}

Result<MishapScript> load_mishaps(FileSystem& files, const std::filesystem::path& path) {
  const auto content = read_whole(files, path, kLargestFile);
  if (!content) return pass_on(content.error());
  if (!*content) return fail(Fault::usage, "there is no mishap file " + path.string());
  auto rules = parse_mishaps(**content);
  if (!rules) return fail(Fault::usage, "the mishap file " + path.string() + ": " + rules.error().words);
  return MishapScript(std::move(*rules));
}

}  // namespace arkvory::server
