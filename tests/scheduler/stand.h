// SPDX-License-Identifier: Apache-2.0
// A scheduler with clients that a test moves by hand, in virtual time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

struct Wish {
  std::string principal = "anna";
  DownloadClass download_class = DownloadClass::interactive;
  std::uint64_t size = 100 * kMiB;
  std::optional<ByteRange> wanted{};  // none: all of it
  bool is_tail_read = false;
  bool has_download_id = true;
  std::optional<TicketClaim> ticket{};
};

class Stand {
 public:
  explicit Stand(SchedulerSettings settings = {}, std::optional<Instant> grants_from = std::nullopt)
      : scheduler(settings, SipKey{1, 2}, Instant(), grants_from) {}
  // All clients go away: in the end the scheduler's counters are at zero again (L5).
  ~Stand();
  Stand(const Stand&) = delete;
  Stand& operator=(const Stand&) = delete;

  // A request of `client` comes and is answered in the same instant: true where it got a seat, which it then holds.
  bool ask(const std::string& client, const Wish& wish = {});
  // It comes and is held.
  SessionId hold(const std::string& client, const Wish& wish = {});
  // So much of its answer is sent.
  void send(const std::string& client, std::uint64_t bytes);
  std::uint64_t left(const std::string& client) const { return lengths_.at(client); }
  // The client sends what is left of its answer, whole.
  void end(const std::string& client);
  // The answer is broken off after `sent` bytes.
  void cut(const std::string& client, std::uint64_t sent = 0);
  // `DELETE`; false where there is no such session.
  bool cancel(const std::string& client);
  // Time goes on, tick by tick.
  void run(Duration time);

  bool is_seated(const std::string& client) const { return seats.count(client) != 0; }
  const Notice& notice(const std::string& client) const { return notices.at(client); }
  // In what order seats were given.
  const std::vector<std::string>& granted() const { return granted_; }

  Scheduler scheduler;
  Instant now{};
  std::map<std::string, Seat> seats;
  std::map<std::string, Notice> notices;
  std::map<std::string, SessionId> ids;
  std::int64_t next_stamp = 1000;
  std::optional<Refused> refused;
  std::vector<Change> changes;  // all there were

 private:
  void settle(const std::string& asking = {});
  std::map<std::string, std::uint64_t> lengths_;
  std::map<std::string, Wish> held_;
  std::vector<std::string> granted_;
};

SessionKey key_of(const std::string& client);

}  // namespace arkvory::server
