// SPDX-License-Identifier: Apache-2.0
#include "server-stub/mishap/mishap_script.h"

namespace arkvory::server {
namespace {

Scene scene_of(const Mishap& mishap) {
  struct Visitor {
    Scene operator()(const Delay&) const { return Scene::any_answer; }
    Scene operator()(const EmptyReply&) const { return Scene::any_answer; }
    Scene operator()(const ErrorStatus&) const { return Scene::any_answer; }
    Scene operator()(const Busy&) const { return Scene::any_answer; }
    Scene operator()(const Redirect&) const { return Scene::any_answer; }
    Scene operator()(const GarbageHeader&) const { return Scene::any_answer; }
    Scene operator()(const NoValidators&) const { return Scene::object_head; }
    Scene operator()(const WrongDigest&) const { return Scene::object_head; }
    Scene operator()(const WrongType&) const { return Scene::object_head; }
    Scene operator()(const WrongEncoding&) const { return Scene::object_head; }
    Scene operator()(const ShortLength&) const { return Scene::object_head; }
    Scene operator()(const LongLength&) const { return Scene::object_head; }
    Scene operator()(const NoLength&) const { return Scene::object_head; }
    Scene operator()(const Cut&) const { return Scene::object_bytes; }
    Scene operator()(const Reset&) const { return Scene::object_bytes; }
    Scene operator()(const Stall&) const { return Scene::object_bytes; }
    Scene operator()(const Slow&) const { return Scene::object_bytes; }
    Scene operator()(const Corrupt&) const { return Scene::object_bytes; }
    Scene operator()(const IgnoreRange&) const { return Scene::object_range; }
    Scene operator()(const WrongRange&) const { return Scene::object_range; }
    Scene operator()(const ChangedObject&) const { return Scene::look_up; }
  };
  return std::visit(Visitor{}, mishap);
}

bool is_of_the_operator(std::string_view path) {
  return path == "/healthz" || path == "/readyz" || path == "/metrics" || path.starts_with("/api/v1/system/");
}

bool fits(const MishapRule& rule, const Occasion& occasion) {
  const auto scene = scene_of(rule.mishap);
  const bool fits_scene = scene == Scene::look_up ? occasion.scene == Scene::look_up : scene <= occasion.scene;
  return fits_scene && (rule.method.empty() || rule.method == occasion.method) &&
         fits_pattern(rule.path, occasion.path);
}

}  // namespace

MishapScript::MishapScript(std::vector<MishapRule> rules) {
  for (auto& rule : rules) rules_.push_back({std::move(rule)});
}

std::optional<std::size_t> MishapScript::choose(const Occasion& occasion) {
  std::optional<std::size_t> chosen;
  if (is_of_the_operator(occasion.path)) return chosen;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    auto& [rule, seen, acted] = rules_[i];
    if (!fits(rule, occasion)) continue;
    ++seen;
    const bool is_turn = seen > rule.skip && (seen - rule.skip) % rule.every == 0;
    if (chosen || !is_turn || (rule.times && acted >= *rule.times)) continue;
    ++acted;
    chosen = i;
  }
  return chosen;
}

// After a mismatch only the last `*` can be of help: that it takes one character more.
bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_text = 0;
  std::optional<std::size_t> after_star;
  std::size_t star_took_to = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      after_star = ++at;
      star_took_to = in_text;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in_text])) {
      ++at;
      ++in_text;
    } else if (after_star) {
      at = *after_star;
      in_text = ++star_took_to;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace arkvory::server
