// SPDX-License-Identifier: Apache-2.0
#include "cli/json_view.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exit_status.h"
#include "cli/messages.h"
#include "core/base/rfc3339.h"

namespace arkvory::cli {

namespace {

using Json = nlohmann::ordered_json;

Json event(const Clock& clock, std::string_view name, const std::filesystem::path& target) {
  return Json{{"v", 1}, {"time", format_rfc3339(clock.wall_now())}, {"event", name}, {"target", target.native()}};
}

// Bytes that are no UTF-8 come from file names and servers; they must not end the program.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

void JsonView::started(const std::filesystem::path& target, const StartStatus& start) {
  auto json = event(clock_, "start", target);
  json["url"] = start.url.shown();
  json["bytes"] = start.bytes;
  if (start.total) json["total"] = *start.total;
  json["resumed"] = start.bytes > 0;
  json["id"] = start.id.text();
  out_.write(line_of(json));
}

void JsonView::waiting(const std::filesystem::path& target, const WaitStatus& wait) {
  auto json = event(clock_, "waiting", target);
  json["reason"] = to_string(wait.reason);
  if (wait.position) json["position"] = *wait.position;
  if (wait.starts_at) json["startsAt"] = format_rfc3339(*wait.starts_at);
  if (wait.starts_between)
    json["startsBetween"] = {format_rfc3339(wait.starts_between->from), format_rfc3339(wait.starts_between->to)};
  json["checkAt"] = format_rfc3339(wait.until);
  if (!wait.download_class.empty()) json["class"] = wait.download_class;
  if (!wait.why.empty()) json["message"] = wait.why;
  out_.write(line_of(json));
}

void JsonView::progress(const std::filesystem::path& target, const ProgressStatus& progress) {
  const auto now = clock_.now();
  const auto next = next_progress_.find(target);
  if (next != next_progress_.end() && now < next->second) return;
  next_progress_[target] = now + progress_interval();

  auto json = event(clock_, "progress", target);
  json["bytes"] = progress.bytes;
  if (progress.total) json["total"] = *progress.total;
  json["rate"] = static_cast<std::uint64_t>(std::llround(std::max(0.0, progress.rate)));
  out_.write(line_of(json));
}

void JsonView::verifying(const std::filesystem::path& target) {
  out_.write(line_of(event(clock_, "verifying", target)));
}

void JsonView::notice(const std::filesystem::path& target, std::string_view code, std::string_view message) {
  auto json = event(clock_, "notice", target);
  json["code"] = code;
  json["message"] = message;
  out_.write(line_of(json));
}

void JsonView::finished(const std::filesystem::path& target, const Outcome& outcome) {
  next_progress_.erase(target);
  const auto ending = ending_of(outcome);
  auto json = event(clock_, "result", target);
  json["status"] = ending.word;
  json["exit"] = ending.number;
  json["bytes"] = outcome.bytes;
  if (outcome.sha256) json["sha256"] = outcome.sha256->to_hex();
  json["message"] = outcome.error ? failure_sentence(outcome) : success_sentence(outcome);
  out_.write(line_of(json));
}

}  // namespace arkvory::cli
