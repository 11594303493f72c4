// SPDX-License-Identifier: Apache-2.0
// Which mishap befalls which request: a list of rules, of which the first that fits and is not used up acts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server-stub/mishap/mishap.h"

namespace arkvory::server {

// What is about to be done. Each of the last four is a special case of the one before.
enum class Scene {
  look_up,       // the object that is asked for is looked up
  any_answer,    // an answer is sent
  object_head,   // it is a 200 or 206 with an object's head
  object_bytes,  // and with bytes of it
  object_range,  // a range of them: 206
};

struct MishapRule {
  std::string path = "*";   // a pattern
  std::string method{};     // empty: any
  std::uint64_t skip = 0;   // so many that fit go by first
  std::uint64_t every = 1;  // of those after them, the last of each so many
  std::optional<std::uint64_t> times{};
  Mishap mishap;
};

struct Occasion {
  std::string_view method;
  std::string_view path;  // as sent, percent-encoded, without the query
  Scene scene = Scene::any_answer;
};

class MishapScript {
 public:
  // The most that a file may have: each is looked at for each answer.
  static constexpr std::size_t kMostRules = 1000;

  MishapScript() = default;
  explicit MishapScript(std::vector<MishapRule> rules);

  // The number of the rule that acts now; every rule that the occasion fits counts it as seen. The answers that tell
  // how the server is (/healthz, /readyz, /metrics and the operator's calls) are left alone.
  std::optional<std::size_t> choose(const Occasion& occasion);
  std::size_t size() const { return rules_.size(); }
  const Mishap& mishap(std::size_t rule) const { return rules_[rule].rule.mishap; }

 private:
  struct Counted {
    MishapRule rule;
    std::uint64_t seen = 0;
    std::uint64_t acted = 0;
  };
  std::vector<Counted> rules_;
};

// `*` is any run of characters, slashes too, `?` is one; everything else is itself. The whole text.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace arkvory::server
