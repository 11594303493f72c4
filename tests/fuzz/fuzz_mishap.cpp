// SPDX-License-Identifier: Apache-2.0
// A file of mishaps; what it makes of answers keeps to what the rest relies on.
#include <string>
#include <variant>

#include "server-stub/http/mishap_answer.h"
#include "server-stub/mishap/mishap_file.h"
#include "tests/fuzz/fuzz_target.h"

using namespace arkvory;
using namespace arkvory::server;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto rules = parse_mishaps(fuzz::as_text(data, size));
  if (!rules) {
    ensure(rules.error().words.find_first_of("\r\n") == std::string::npos, "what is wrong is one line");
    return 0;
  }
  ensure(rules->size() <= MishapScript::kMostRules, "there are no more rules than allowed");
  for (const auto& rule : *rules) {
    ensure(!rule.path.empty() && (!rule.times || *rule.times > 0), "a rule can act");
    fits_pattern(rule.path, "/files/a/b.iso");
    if (std::holds_alternative<ChangedObject>(rule.mishap)) continue;
    Answer answer;
    answer.text = "as it would have been";
    if (!std::holds_alternative<ErrorStatus>(rule.mishap) && !std::holds_alternative<Busy>(rule.mishap) &&
        !std::holds_alternative<Redirect>(rule.mishap))
      continue;  // the others need a file
    disturb(answer, rule.mishap);
    ensure(!answer.file && answer.status >= 300, "an answer that is replaced has no file");
    for (const auto& field : answer.headers.fields())
      ensure(field.value.find_first_of("\r\n") == std::string::npos, "no value breaks out of its line");
  }
  MishapScript script(*rules);
  for (const auto scene : {Scene::look_up, Scene::any_answer, Scene::object_range})
    if (const auto rule = script.choose({"GET", "/files/a", scene}))
      ensure(*rule < rules->size(), "the rule that acts is one of them");
  return 0;
}
