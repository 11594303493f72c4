// SPDX-License-Identifier: Apache-2.0
// What each principal has: sessions (L1), seats and waiting sessions (O8).
//
// A principal is at its share when it holds `per_principal` seats or more; those below theirs go first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server-stub/scheduler/service_order.h"

namespace arkvory::server {

class Shares {
 public:
  // 0: no share, nobody is ever at it.
  explicit Shares(std::uint64_t per_principal) : per_principal_(per_principal) {}
  void change(std::uint64_t per_principal);

  // One more principal. It is never forgotten.
  PrincipalIndex make();

  void add_session(PrincipalIndex principal) { counts_[principal].sessions += 1; }
  void remove_session(PrincipalIndex principal) { counts_[principal].sessions -= 1; }
  std::size_t sessions(PrincipalIndex principal) const { return counts_[principal].sessions; }

  void add_waiting(PrincipalIndex principal) { change_counts(principal, 1, 0); }
  void remove_waiting(PrincipalIndex principal) { change_counts(principal, -1, 0); }
  void add_seat(PrincipalIndex principal) { change_counts(principal, 0, 1); }
  void remove_seat(PrincipalIndex principal) { change_counts(principal, 0, -1); }

  bool is_below(PrincipalIndex principal) const { return is_below(counts_[principal]); }
  bool is_above(PrincipalIndex principal) const;
  std::uint64_t per_principal() const { return per_principal_; }
  std::int64_t seats(PrincipalIndex principal) const { return counts_[principal].seats; }
  std::int64_t waiting(PrincipalIndex principal) const { return counts_[principal].waiting; }
  std::size_t principals() const { return counts_.size(); }

  // Waiting sessions of principals that are not at their share.
  std::size_t waiting_below() const { return waiting_below_; }
  // Whether a share may let one pass another: several principals wait, and one of them wants more than its share.
  bool may_bind() const { return principals_over_ > 0 && principals_waiting_ > 1; }

 private:
  struct Counts {
    std::size_t sessions = 0;
    std::int64_t seats = 0;
    std::int64_t waiting = 0;
  };
  bool is_below(const Counts& counts) const;
  bool is_over(const Counts& counts) const;
  void change_counts(PrincipalIndex principal, std::int64_t waiting, std::int64_t seats);
  void add_to_sums(const Counts& counts);
  void take_from_sums(const Counts& counts);

  std::uint64_t per_principal_;
  std::vector<Counts> counts_;
  std::size_t waiting_below_ = 0;
  std::size_t principals_over_ = 0;
  std::size_t principals_waiting_ = 0;
};

}  // namespace arkvory::server
