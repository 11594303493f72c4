// SPDX-License-Identifier: Apache-2.0
#include "cli/run_jobs.h"

#include <utility>

namespace arkvory::cli {

namespace {

class JobList final : public JobSource {
 public:
  explicit JobList(std::vector<Job> jobs) : jobs_(std::move(jobs)) {}

  std::optional<Job> next() override {
    if (given_ == jobs_.size()) return std::nullopt;
    return std::move(jobs_[given_++]);
  }
  std::size_t left() const { return jobs_.size() - given_; }

 private:
  std::vector<Job> jobs_;
  std::size_t given_ = 0;
};

}  // namespace

RunEnd run_jobs(const Platform& platform, std::vector<Job> jobs, unsigned at_once, bool keep_going,
                std::vector<Fault> earlier) {
  JobList list(std::move(jobs));
  const auto result = run_batch(platform, list, at_once, keep_going);
  for (const auto& failure : result.failures) earlier.push_back(failure.fault);
  return {combined(earlier), result.signal, list.left()};
}

}  // namespace arkvory::cli
