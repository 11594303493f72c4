// SPDX-License-Identifier: Apache-2.0
#include "cli/dry_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checkpoint/read_checkpoint.h"
#include "cli/messages.h"
#include "cli/safe_text.h"
#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "core/engine/file_names.h"
#include "core/http/file_name.h"

namespace arkvory::cli {

namespace {

Result<void> look_for_state(Plan& plan, FileSystem& files, ProcessTable& processes) {
  auto owner = running_owner(files, processes, plan.target);
  if (!owner) return pass_on(owner.error());
  if (*owner) return fail(Fault::locked, fmt::format("the process with pid {} works on it", (*owner)->pid));
  auto checkpoint = read_checkpoint(files, plan.target);
  if (!checkpoint) return pass_on(checkpoint.error());
  if (!*checkpoint || !plan.job->resume) return {};
  const auto& saved = (*checkpoint)->progress;
  plan.bytes = saved.claimed.total();
  if (saved.facts.object) plan.total = saved.facts.object->size;
  return {};
}

Result<void> look_at_target(Plan& plan, FileSystem& files) {
  auto standing = files.status(plan.target);
  if (!standing) return pass_on(standing.error());
  if (!*standing || plan.is_guessed) return {};
  if ((*standing)->kind != FileKind::regular)
    return fail(Fault::local, "what stands under this name is no regular file");
  plan.is_to_compare = plan.job->shape.sha256.has_value();
  if (plan.is_to_compare || plan.job->shape.force) return {};
  auto unfinished = files.status(checkpoint_path(plan.target));
  if (!unfinished) return pass_on(unfinished.error());
  if (*unfinished) return {};
  return fail(Fault::local, "exists already: give --sha256 to compare it, or --force to replace it");
}

// The options that are not the usual ones.
std::string options_in_words(const Shape& shape, bool resume) {
  const Shape usual;
  std::string text;
  if (shape.connections != usual.connections) text += fmt::format(", {} connections", shape.connections);
  if (shape.range_size != usual.range_size) text += fmt::format(", ranges of {}", format_size(shape.range_size));
  if (!shape.download_class.empty()) text += ", class " + shape.download_class;
  if (shape.limit_rate > 0) text += ", at most " + format_rate(static_cast<double>(shape.limit_rate));
  if (shape.max_size) text += ", refused if larger than " + format_size(*shape.max_size);
  if (shape.not_before) text += ", not before " + format_rfc3339(shape.not_before->time);
  if (shape.not_after) text += ", not after " + format_rfc3339(shape.not_after->time);
  if (shape.wait_limit) text += ", waiting at most " + format_duration(*shape.wait_limit);
  if (shape.raw) text += ", kept encoded";
  if (shape.remote_time) text += ", with the server's time";
  if (shape.force) text += ", replacing what stands there";
  if (!resume) text += ", from the beginning";
  return text;
}

std::string digest_in_words(const std::optional<Sha256Digest>& digest) {
  return digest ? ", verified by SHA-256 " + digest->to_hex()
                : ", verified by a digest of the server's if it sends one";
}

}  // namespace

Plan plan_of(Job job, FileSystem& files, ProcessTable& processes) {
  Plan plan;
  plan.is_guessed = job.name.empty();
  plan.target = job.folder / (plan.is_guessed ? file_name_for(Headers(), job.url) : job.name);
  plan.job = std::move(job);
  auto looked = look_at_target(plan, files);
  if (looked) looked = look_for_state(plan, files, processes);
  if (!looked) plan.failure = looked.error();
  return plan;
}

Plan plan_of(const supply::Settled& settled) {
  return {.target = settled.target,
          .bytes = settled.outcome.bytes,
          .is_done = settled.outcome.is_of_earlier_run,
          .failure = settled.outcome.error};
}

void each_plan(JobSource& source, FileSystem& files, ProcessTable& processes,
               const std::function<void(const Plan&)>& tell) {
  while (true) {
    auto supply = source.next();
    if (auto* entry = std::get_if<supply::Entry>(&supply)) {
      const auto number = entry->number;
      const auto plan = plan_of(std::move(entry->job), files, processes);
      tell(plan);
      source.ended(number, plan.target, Outcome{.error = plan.failure});
    } else if (const auto* settled = std::get_if<supply::Settled>(&supply)) {
      tell(plan_of(*settled));
    } else {
      return;
    }
  }
}

std::string plan_sentence(const Plan& plan, const std::filesystem::path& current) {
  const auto name = shown_target(plan.target, current);
  if (plan.failure) return printable_line(fmt::format("{}: would fail: {}", name, plan.failure->text()));
  if (plan.is_done) return fmt::format("{}: was done by an earlier run", name);
  const auto& job = *plan.job;
  auto text = fmt::format("{}: would ", name);
  if (plan.is_to_compare) text += "be compared with its digest, and if it differs ";
  if (plan.is_to_compare && !job.shape.force) return printable_line(text + "fail");
  text += plan.bytes > 0 ? "go on with " : "fetch ";
  text += job.url.shown();
  if (plan.bytes > 0) text += fmt::format(", {} held", format_size(plan.bytes));
  if (plan.bytes > 0 && plan.total) text += " of " + format_size(*plan.total);
  if (plan.is_guessed) text += ", if the server gives no other name";
  return printable_line(text + digest_in_words(job.shape.sha256) + options_in_words(job.shape, job.resume));
}

std::string plan_event(const Plan& plan, WallTime now) {
  using Json = nlohmann::ordered_json;
  Json json{{"v", 1}, {"time", format_rfc3339(now)}, {"event", "plan"}, {"target", plan.target.native()}};
  const auto ending = ending_of({.error = plan.failure});
  json["status"] = ending.word;
  json["exit"] = ending.number;
  if (plan.failure) json["message"] = plan.failure->text();
  json["bytes"] = plan.bytes;
  if (plan.total) json["total"] = *plan.total;
  if (plan.job) {
    json["url"] = plan.job->url.shown();
    if (plan.job->shape.sha256) json["sha256"] = plan.job->shape.sha256->to_hex();
    if (!plan.job->shape.download_class.empty()) json["class"] = plan.job->shape.download_class;
    json["connections"] = plan.job->shape.connections;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace arkvory::cli
