// SPDX-License-Identifier: Apache-2.0
#include "cli/run_jobs.h"

#include <fmt/format.h>

#include <utility>

namespace arkvory::cli {

namespace {

class JobList final : public JobSource {
 public:
  JobList(std::vector<Job> jobs, JobSource* further) : jobs_(std::move(jobs)), further_(further) {}

  Supply next() override {
    if (given_ < jobs_.size()) return supply::Entry{std::move(jobs_[given_++])};
    if (further_ == nullptr) return supply::Over{};
    return further_->next();
  }
  void ended(std::uint64_t number, const std::filesystem::path& target, const Outcome& outcome) override {
    if (number > 0) further_->ended(number, target, outcome);
  }
  std::size_t left() const { return jobs_.size() - given_; }

 private:
  std::vector<Job> jobs_;
  JobSource* further_;
  std::size_t given_ = 0;
};

}  // namespace

RunEnd run_jobs(const Platform& platform, std::vector<Job> jobs, unsigned at_once, bool keep_going,
                std::vector<Fault> earlier, JobSource* further) {
  JobList list(std::move(jobs), further);
  const auto result = run_batch(platform, list, at_once, keep_going);
  for (const auto& failure : result.failures) earlier.push_back(failure.fault);
  return {combined(earlier), result.signal, result.succeeded, result.failed, list.left()};
}

std::string list_summary(const std::string& list, const RunEnd& end, std::uint64_t done_earlier,
                         const std::optional<std::uint64_t>& unbegun) {
  auto text = fmt::format("{}: {} ended well", list, end.succeeded);
  if (done_earlier > 0) text += fmt::format(", {} of them in earlier runs", done_earlier);
  if (end.failed > 0) text += fmt::format("; {} failed", end.failed);
  if (!unbegun) text += "; the rest was not begun";
  if (unbegun && *unbegun > 0) text += fmt::format("; {} not begun", *unbegun);
  if (end.failed > 0 || unbegun != 0U) text += "; the same command goes on";
  if (end.failed > 0 && unbegun != 0U) text += ", with --keep-going past failures";
  return text;
}

}  // namespace arkvory::cli
