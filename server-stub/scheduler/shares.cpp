// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/shares.h"

namespace arkvory::server {

PrincipalIndex Shares::make() {
  counts_.emplace_back();
  return static_cast<PrincipalIndex>(counts_.size() - 1);
}

bool Shares::is_below(const Counts& counts) const {
  return per_principal_ == 0 || counts.seats < static_cast<std::int64_t>(per_principal_);
}

bool Shares::is_above(PrincipalIndex principal) const {
  return per_principal_ != 0 && counts_[principal].seats > static_cast<std::int64_t>(per_principal_);
}

bool Shares::is_over(const Counts& counts) const {
  return per_principal_ != 0 && counts.seats + counts.waiting > static_cast<std::int64_t>(per_principal_);
}

void Shares::add_to_sums(const Counts& counts) {
  if (is_below(counts)) waiting_below_ += static_cast<std::size_t>(counts.waiting);
  if (is_over(counts)) ++principals_over_;
  if (counts.waiting > 0) ++principals_waiting_;
}

void Shares::take_from_sums(const Counts& counts) {
  if (is_below(counts)) waiting_below_ -= static_cast<std::size_t>(counts.waiting);
  if (is_over(counts)) --principals_over_;
  if (counts.waiting > 0) --principals_waiting_;
}

void Shares::change_counts(PrincipalIndex principal, std::int64_t waiting, std::int64_t seats) {
  auto& counts = counts_[principal];
  take_from_sums(counts);
  counts.waiting += waiting;
  counts.seats += seats;
  add_to_sums(counts);
}

void Shares::change(std::uint64_t per_principal) {
  per_principal_ = per_principal;
  waiting_below_ = principals_over_ = principals_waiting_ = 0;
  for (const auto& counts : counts_) add_to_sums(counts);
}

}  // namespace arkvory::server
