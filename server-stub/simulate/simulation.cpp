// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <queue>
#include <tuple>
#include <variant>

#include "core/base/ensure.h"
#include "server-stub/scheduler/scheduler.h"
#include "server-stub/simulate/fluid.h"

namespace arkvory::server {
namespace {

using Seconds = long double;

constexpr Duration kNoRoomPause = std::chrono::seconds(30);  // L1
// Nothing but ticks for so long: nobody will ever be served any more.
constexpr Duration kNothingComes = std::chrono::hours(24 * 8);

// Each client is one of its own, whoever its principal is.
SessionKey key_of(std::size_t client) {
  SessionKey key;
  std::memcpy(key.bytes.data(), &client, sizeof client);
  return key;
}

Seconds in_seconds(Duration time) { return static_cast<Seconds>(time.count()) / 1e9L; }
Duration since_start(Instant at) { return at.time_since_epoch(); }

// What a client is told of its place, and can show later (S11).
struct Ticket {
  Instant arrival{};
  Instant issued{};
};

std::int64_t stamp_of(Instant at) { return at.time_since_epoch().count(); }

struct Client {
  enum class State { away, waiting, seated, gone };
  State state = State::away;
  bool has_come = false;
  bool was_dropped = false;  // since it came last (S11)
  bool is_silent = false;    // has left
  bool lingers = false;      // and the scheduler does not know it yet
  std::optional<SessionId> id{};
  std::optional<Seat> seat{};
  bool is_at_border = false;  // its answer was ended there, in this instant
  long double sent = 0;       // of the object, exactly
  std::uint64_t told = 0;     // of them, what the scheduler was told
  std::uint64_t covered = 0;  // of them, before the answer that runs now
  std::size_t next_listed = 0;
  std::optional<Ticket> ticket{};                               // of its last answer
  std::uint32_t turn = 0;                                       // of its questions: an older one in the queue is void
  std::vector<std::tuple<Instant, StartEstimate>> estimates{};  // since it waits
};

class Simulation {
 public:
  Simulation(const Scenario& scenario, const SimulationWatch& watch)
      : scenario_(scenario),
        watch_(watch),
        settings_(settings_of(scenario)),
        is_shared_(settings_.strategy == Strategy::shared),
        scheduler_(settings_, SipKey{scenario.seed, ~scenario.seed}, Instant(), std::nullopt, scenario.start),
        clients_(scenario.clients.size()) {}

  SimulationReport run();

 private:
  enum class Step { cancel, leave, come };  // the order within an instant
  struct Due {
    Instant at;
    Step step;
    std::size_t client;
    std::uint32_t turn;
    bool operator>(const Due& other) const {
      return std::tie(at, step, client) > std::tie(other.at, other.step, other.client);
    }
  };

  static SchedulerSettings settings_of(const Scenario& scenario) {
    auto settings = scenario.settings;
    settings.bandwidth = scenario.link;
    return settings;
  }

  const SimulatedClient& told_of(std::size_t client) const { return scenario_.clients[client]; }
  bool is_held(std::size_t client) const { return std::holds_alternative<PresentMode>(told_of(client).mode); }

  void plan();
  void ask_later(std::size_t client, Instant at);
  void ask_as_listed(std::size_t client);
  std::optional<Instant> next_instant() const;
  Instant next_end(std::size_t client, std::uint64_t offset) const;
  void advance(Instant to);
  void happen(Instant now);

  void stand_at(std::size_t client, std::uint64_t offset);
  void end_finished();
  void leave(std::size_t client);
  void cancel(std::size_t client);
  void tick();
  Arrival arrival_of(std::size_t client) const;
  void come(std::size_t client);
  void stop_at_borders();
  void settle();
  void answer(std::size_t client);
  void take_seat(std::size_t client);
  void seated(std::size_t client);
  void unseat(std::size_t client);
  void divide_link();
  void pay_debts();
  bool is_other_class_there(DownloadClass name) const;
  void tell_sent(std::size_t client);
  bool is_at(std::size_t client, std::uint64_t offset, long double rate) const;
  std::uint64_t border_at_or_after(std::size_t client) const;
  bool is_wanted(std::size_t client) const { return !is_shared_ && scheduler_.is_wanted(*clients_[client].id); }

  std::size_t client_of(SessionId id) const { return client_by_session_[id.index]; }
  void note(std::size_t client, SimulatedEventKind kind, std::optional<SimulatedAnswer> answer = std::nullopt);
  void show_line() const;
  void measure();

  const Scenario& scenario_;
  const SimulationWatch& watch_;
  SchedulerSettings settings_;
  bool is_shared_;
  Scheduler scheduler_;
  std::vector<Client> clients_;  // after it: where `until` ends the run they still hold seats
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<std::size_t> client_by_session_;  // by the index of its record
  std::vector<std::size_t> seated_;             // the oldest first
  std::vector<Flow> flows_;                     // of the seated, in the same order
  std::vector<std::size_t> asking_;             // in this instant
  long double owed_ = 0;  // bytes that those who came to an end or a border had more or less than their time was worth
  std::size_t outstanding_ = 0;  // clients that are not gone
  Instant now_{};
  Instant last_event_{};
  bool is_eventful_ = false;  // this instant
  std::size_t lost_seats_ = 0;  // since now_
  long double unused_ = 0;      // of the link, since now_: a share
  long double interval_sum_ = 0;
  SimulationReport report_;
};

// --- The course of time ---------------------------------------------------------------------------------------------

void Simulation::plan() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const auto& client = told_of(i);
    ask_later(i, Instant(client.arrive + scenario_.network));
    if (client.leave) due_.push({Instant(*client.leave + scenario_.network), Step::leave, i, 0});
    if (client.cancel) due_.push({Instant(*client.cancel + scenario_.network), Step::cancel, i, 0});
  }
  outstanding_ = clients_.size();
}

void Simulation::ask_later(std::size_t client, Instant at) {
  due_.push({at, Step::come, client, ++clients_[client].turn});
}

void Simulation::ask_as_listed(std::size_t client) {
  const auto& times = std::get<ListedMode>(told_of(client).mode).times;
  auto& next = clients_[client].next_listed;
  // What came up before it arrived, or while it had a seat, is past.
  while (next < times.size() && Instant(times[next] + scenario_.network) <= now_) ++next;
  if (next < times.size()) ask_later(client, Instant(times[next++] + scenario_.network));
}

SimulationReport Simulation::run() {
  plan();
  while (const auto next = next_instant()) {
    if (scenario_.until && since_start(*next) > *scenario_.until) {
      advance(Instant(*scenario_.until));
      last_event_ = now_;
      break;
    }
    advance(*next);
    happen(*next);
    if (now_ - last_event_ > kNothingComes && due_.empty() && seated_.empty()) break;
  }
  report_.unfinished = clients_.size() - report_.finishes.size();
  report_.ended = since_start(last_event_);
  if (!report_.estimate_errors.empty())
    report_.mean_interval_seconds = interval_sum_ / static_cast<long double>(report_.estimate_errors.size());
  if (!is_shared_) {
    report_.preemptions = scheduler_.preemptions();
    for (std::size_t i = 0; i < kRiseReasonNames.size(); ++i)
      if (const auto times = scheduler_.rises().times(static_cast<RiseReason>(i)))
        report_.position_rises[std::string(kRiseReasonNames[i])] = times;
  }
  return std::move(report_);
}

std::optional<Instant> Simulation::next_instant() const {
  std::optional<Instant> next;
  const auto consider = [&](Instant at) {
    if (!next || at < *next) next = std::max(at, now_);
  };
  if (!due_.empty()) consider(due_.top().at);
  for (std::size_t i = 0; i < seated_.size(); ++i) {
    if (flows_[i].rate <= 0) continue;
    const auto client = seated_[i];
    consider(next_end(i, told_of(client).size));
    if (is_wanted(client)) consider(next_end(i, border_at_or_after(client)));
  }
  const bool is_anyone_there = !is_shared_ && scheduler_.active() + scheduler_.waiting() > 0;
  if (outstanding_ == 0 && !is_anyone_there) return std::nullopt;
  // Also where there are only records of who may come back: on ticks they end (S8).
  if (!is_shared_ && scheduler_.live() > 0) consider(Instant((now_.time_since_epoch() / kTick + 1) * kTick));
  if (!is_shared_)
    if (const auto change = scheduler_.gates().next_change()) consider(*change);
  return next;
}

// When the flow will have carried its client's bytes up to the offset, to the nearest nanosecond.
Instant Simulation::next_end(std::size_t flow, std::uint64_t offset) const {
  const auto missing = static_cast<long double>(offset) - clients_[seated_[flow]].sent;
  const auto nanoseconds = std::max(missing, 0.0L) / flows_[flow].rate * 1e9L;
  constexpr long double kMost = 9e17L;  // near the end of what an Instant holds
  return now_ + Duration(static_cast<Duration::rep>(std::llround(std::min(nanoseconds, kMost))));
}

void Simulation::advance(Instant to) {
  const auto time = to - now_;
  const auto seconds = in_seconds(time);
  for (std::size_t i = 0; i < seated_.size(); ++i) {
    auto& client = clients_[seated_[i]];
    const auto before = client.told;
    client.sent += flows_[i].rate * seconds;
    tell_sent(seated_[i]);
    if (flows_[i].is_own_limit && !is_shared_) scheduler_.could_take_more(*client.id, time, client.told - before);
  }
  report_.lost_seat_seconds += static_cast<long double>(lost_seats_) * seconds;
  report_.lost_link_seconds += unused_ * seconds;
  now_ = to;
}

// One instant (Exactly 1).
void Simulation::happen(Instant now) {
  is_eventful_ = false;
  end_finished();
  while (!due_.empty() && due_.top().at <= now && due_.top().step != Step::come) {
    const auto due = due_.top();
    due_.pop();
    due.step == Step::cancel ? cancel(due.client) : leave(due.client);
  }
  if (!is_shared_ && since_start(now) % kTick == Duration(0) && now > Instant()) {
    divide_link();  // what the tick is to know of rates is what those have who are left
    tick();
  }
  asking_.clear();
  while (!due_.empty() && due_.top().at <= now) {
    const auto due = due_.top();
    due_.pop();
    if (due.turn == clients_[due.client].turn && !clients_[due.client].is_silent) come(due.client);
  }
  if (!is_shared_) settle();
  for (const auto client : asking_) is_shared_ ? seated(client) : answer(client);
  divide_link();
  measure();
  if (watch_.on_line && !is_shared_ && is_eventful_) show_line();
}

// --- What happens in an instant -------------------------------------------------------------------------------------

bool Simulation::is_at(std::size_t client, std::uint64_t offset, long double rate) const {
  return static_cast<long double>(offset) - clients_[client].sent <= rate * 1e-9L + 1e-6L;
}

// Has come to the offset, in the time that is rounded to 1 ns.
void Simulation::stand_at(std::size_t index, std::uint64_t offset) {
  auto& sent = clients_[index].sent;
  owed_ += static_cast<long double>(offset) - sent;
  sent = static_cast<long double>(offset);
}

void Simulation::end_finished() {
  std::vector<std::size_t> ended;
  for (std::size_t i = 0; i < seated_.size(); ++i)
    if (is_at(seated_[i], told_of(seated_[i]).size, flows_[i].rate)) ended.push_back(seated_[i]);
  for (const auto index : ended) {
    auto& client = clients_[index];
    stand_at(index, told_of(index).size);
    tell_sent(index);
    if (client.seat) std::move(*client.seat).complete();
    unseat(index);
    client.state = Client::State::gone;
    --outstanding_;
    note(index, SimulatedEventKind::finish);
    report_.finishes.push_back(since_start(now_));
  }
}

void Simulation::leave(std::size_t index) {
  auto& client = clients_[index];
  if (client.state == Client::State::gone) return;
  client.is_silent = true;
  --outstanding_;
  const auto state = std::exchange(client.state, Client::State::gone);
  if (is_shared_ || !client.id) return unseat(index);
  if (state == Client::State::seated) {
    // The ranges before the one that was broken off had been sent to their ends.
    const auto range = told_of(index).range;
    std::move(*client.seat).cut_after(client.told / range * range);
    client.seat.reset();
    client.lingers = true;
    scheduler_.sends_at(*client.id, 0);
    unseat(index);
  } else if (state == Client::State::waiting && is_held(index)) {
    scheduler_.vanish(*client.id, now_);
    note(index, SimulatedEventKind::no_show);
    ++report_.no_shows;
  } else {
    client.lingers = state == Client::State::waiting;
  }
}

void Simulation::cancel(std::size_t index) {
  auto& client = clients_[index];
  if (client.state == Client::State::gone) return;
  const bool was_there = client.state != Client::State::away || client.has_come;
  client.is_silent = true;
  client.state = Client::State::gone;
  --outstanding_;
  unseat(index);
  bool is_known = is_shared_ && was_there;
  if (!is_shared_ && client.id) is_known = scheduler_.cancel(key_of(index), now_);
  client.seat.reset();
  if (is_known) note(index, SimulatedEventKind::cancel);
}

void Simulation::tick() {
  std::vector<Change> changes;
  scheduler_.tick(now_, changes);
  for (const auto& change : changes) {
    const auto index = client_of(change.session);
    auto& client = clients_[index];
    client.lingers = false;
    if (change.kind == Change::Kind::no_show) {
      note(index, SimulatedEventKind::no_show);
      ++report_.no_shows;
      client.was_dropped = true;
      if (!client.is_silent) client.state = Client::State::away;
    } else {
      note(index, SimulatedEventKind::seat_lost);
    }
  }
}

Arrival Simulation::arrival_of(std::size_t index) const {
  const auto& told = told_of(index);
  Arrival arrival;
  arrival.key = key_of(index);
  arrival.principal = told.principal;
  arrival.has_download_id = told.has_id;
  arrival.download_class = told.download_class;
  arrival.size = told.size;
  arrival.wanted = ByteRange(clients_[index].covered, told.size);
  arrival.may_ask_often = true;
  arrival.is_anonymous = told.principal == "anonymous";
  arrival.stamp = stamp_of(now_);
  const auto& ticket = clients_[index].ticket;
  if (ticket && now_ - ticket->issued <= kTicketLife)
    arrival.ticket = TicketClaim{ticket->arrival, stamp_of(ticket->arrival), stamp_of(ticket->issued)};
  return arrival;
}

void Simulation::come(std::size_t index) {
  auto& client = clients_[index];
  auto arrival = arrival_of(index);
  // Who was dropped and has no good ticket any more begins anew.
  const bool begins_anew = !client.has_come || (client.was_dropped && !arrival.ticket);
  client.was_dropped = false;
  if (begins_anew) note(index, SimulatedEventKind::arrive);
  client.has_come = true;
  if (is_shared_) return asking_.push_back(index);
  const auto came = scheduler_.arrive(arrival, now_);
  client.id.reset();
  if (const auto* id = std::get_if<SessionId>(&came)) {
    client.id = *id;
    client.state = Client::State::waiting;
    if (client_by_session_.size() <= id->index) client_by_session_.resize(id->index + 1);
    client_by_session_[id->index] = index;
  }
  if (!client.id || !is_held(index)) asking_.push_back(index);
}

// Those who are to leave their seats end the answer that runs, where they stand at a border.
void Simulation::stop_at_borders() {
  for (const auto index : seated_) {
    auto& client = clients_[index];
    if (client.is_at_border || !is_wanted(index)) continue;
    const auto border = border_at_or_after(index);
    if (static_cast<long double>(border) - client.sent >= 0.5L || border == told_of(index).size) continue;
    stand_at(index, border);
    std::move(*client.seat).complete_up_to(border);
    client.seat.reset();
    client.covered = border;
    client.is_at_border = true;
  }
}

std::uint64_t Simulation::border_at_or_after(std::size_t index) const {
  const auto range = told_of(index).range;
  const auto sent = static_cast<std::uint64_t>(std::llround(std::max(clients_[index].sent, 0.0L)));
  const auto size = told_of(index).size;
  const auto whole = sent / range;
  if (sent % range == 0) return std::min(sent, size);
  return size / range > whole ? (whole + 1) * range : size;
}

void Simulation::settle() {
  for (bool is_settled = false; !is_settled;) {
    is_settled = true;
    stop_at_borders();
    std::vector<Change> changes;
    scheduler_.settle(now_, changes);
    std::vector<std::size_t> again;
    for (const auto& change : changes) {
      const auto index = client_of(change.session);
      auto& client = clients_[index];
      if (change.kind == Change::Kind::granted) {
        seated(index);
        continue;
      }
      note(index, change.kind == Change::Kind::yielded ? SimulatedEventKind::yield : SimulatedEventKind::seat_lost);
      unseat(index);
      client.is_at_border = false;
      client.state = client.is_silent ? Client::State::gone : Client::State::away;
      if (!client.is_silent) again.push_back(index);
    }
    // Where nobody took the seat the next range follows.
    for (const auto index : seated_) {
      auto& client = clients_[index];
      if (!client.is_at_border) continue;
      client.is_at_border = false;
      scheduler_.arrive(arrival_of(index), now_);
      take_seat(index);
    }
    for (const auto index : again) {
      come(index);
      is_settled = false;
    }
  }
}

void Simulation::take_seat(std::size_t index) {
  auto& client = clients_[index];
  auto seat = scheduler_.take(*client.id, ByteRange(client.covered, told_of(index).size));
  ensure(seat.has_value(), "who holds a seat and sends nothing may send");
  client.seat.emplace(std::move(*seat));
}

void Simulation::seated(std::size_t index) {
  auto& client = clients_[index];
  client.state = Client::State::seated;
  seated_.push_back(index);
  note(index, SimulatedEventKind::grant);
  if (is_shared_) return;
  take_seat(index);
  for (const auto& [at, start] : client.estimates) {
    const auto waited = now_ - at;
    report_.estimate_errors.push_back(waited > start.point ? waited - start.point : start.point - waited);
    constexpr Duration kRounding = std::chrono::microseconds(1);
    if (start.from - kRounding <= waited && waited <= start.to + kRounding) ++report_.estimates_inside;
    interval_sum_ += in_seconds(start.to - start.from);
  }
  client.estimates.clear();
}

void Simulation::unseat(std::size_t index) { std::erase(seated_, index); }

void Simulation::answer(std::size_t index) {
  auto& client = clients_[index];
  SimulatedAnswer answer;
  if (!client.id) {
    answer.check_in = kNoRoomPause;
  } else if (client.state != Client::State::waiting) {
    return;
  } else {
    if (told_of(index).has_id) {
      client.ticket = Ticket{scheduler_.arrival(*client.id), now_};
      scheduler_.issued(*client.id, stamp_of(now_));
    }
    const auto notice = scheduler_.tell(*client.id, now_);
    answer.position = notice.position;
    answer.check_in = notice.check_in;
    if (notice.start) {
      answer.starts_in = notice.start->point;
      answer.starts_between = {notice.start->from, notice.start->to};
      client.estimates.emplace_back(now_, *notice.start);
    }
  }
  note(index, SimulatedEventKind::answer, answer);
  if (std::holds_alternative<ListedMode>(told_of(index).mode))
    ask_as_listed(index);
  else
    ask_later(index, now_ + answer.check_in + 2 * scenario_.network);
}

// --- The link -------------------------------------------------------------------------------------------------------

void Simulation::tell_sent(std::size_t index) {
  auto& client = clients_[index];
  const auto sent = static_cast<std::uint64_t>(std::llround(std::max(client.sent, 0.0L)));
  if (sent <= client.told) return;
  if (client.seat) client.seat->sent(sent - client.told);
  client.told = sent;
}

// By those that send fastest: there it changes the least; by all of them, so that what ends in one instant still does.
// A link with room has no debts.
void Simulation::pay_debts() {
  const auto owed = std::exchange(owed_, 0);
  long double fastest = 0;
  for (const auto& flow : flows_) fastest = std::max(fastest, flow.rate);
  std::vector<std::size_t> payers;
  for (std::size_t i = 0; i < flows_.size(); ++i)
    if (flows_[i].rate == fastest && !flows_[i].is_own_limit) payers.push_back(seated_[i]);
  for (const auto client : payers) clients_[client].sent -= owed / static_cast<long double>(payers.size());
}

void Simulation::divide_link() {
  Link link{
      scenario_.link, is_shared_ ? BandwidthOrder::equal : settings_.bandwidth_order, settings_.bandwidth_floor, {}};
  flows_.assign(seated_.size(), Flow{});
  for (std::size_t i = 0; i < seated_.size(); ++i) {
    const auto index = seated_[i];
    flows_[i].most = told_of(index).rate;
    if (is_shared_ || !scheduler_.is_outside(*clients_[index].id)) continue;
    const auto name = told_of(index).download_class;
    if (scheduler_.gates().is_inside(name) || !is_other_class_there(name)) continue;
    if (link.limits.empty())
      for (std::size_t one = 0; one < kClasses; ++one)
        link.limits.push_back(static_cast<long double>(scenario_.link) *
                              scheduler_.gates().outside_share_ppm(static_cast<DownloadClass>(one)) / 1e6L);
    flows_[i].group = static_cast<std::size_t>(name);
  }
  divide(link, flows_);
  pay_debts();
  if (is_shared_ || settings_.bandwidth_order != BandwidthOrder::equal) return;
  for (std::size_t i = 0; i < seated_.size(); ++i)
    scheduler_.sends_at(*clients_[seated_[i]].id, static_cast<std::uint64_t>(std::llround(flows_[i].rate * 1000)));
}

bool Simulation::is_other_class_there(DownloadClass name) const {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const auto state = clients_[i].state;
    const bool is_there = state == Client::State::seated || state == Client::State::waiting || clients_[i].lingers;
    if (is_there && told_of(i).download_class != name) return true;
  }
  return false;
}

void Simulation::measure() {
  lost_seats_ = 0;
  unused_ = 0;
  if (is_shared_ || scheduler_.waiting() == 0) return;
  if (const auto free = scheduler_.free_seats()) lost_seats_ = scheduler_.count_who_may_take(now_, free);
  unused_ = 1;
  for (const auto& flow : flows_) unused_ -= flow.rate / static_cast<long double>(scenario_.link);
}

void Simulation::note(std::size_t client, SimulatedEventKind kind, std::optional<SimulatedAnswer> answer) {
  last_event_ = now_;
  is_eventful_ = true;
  if (watch_.on_event) watch_.on_event({since_start(now_), kind, client, answer});
}

void Simulation::show_line() const {
  std::vector<SimulatedPlace> line;
  for (std::size_t index = 0; index < clients_.size(); ++index) {
    const auto& id = clients_[index].id;
    if (!id || !scheduler_.is_live(*id) || scheduler_.state(*id) != SessionState::waiting) continue;
    const auto ahead = scheduler_.ahead_of(*id);
    line.push_back({index, ahead.sessions, ahead.bytes});
  }
  watch_.on_line(since_start(now_), line);
}

}  // namespace

std::string_view to_string(SimulatedEventKind kind) {
  switch (kind) {
    case SimulatedEventKind::arrive: return "arrive";
    case SimulatedEventKind::answer: return "answer";
    case SimulatedEventKind::grant: return "grant";
    case SimulatedEventKind::yield: return "yield";
    case SimulatedEventKind::seat_lost: return "seat-lost";
    case SimulatedEventKind::no_show: return "no-show";
    case SimulatedEventKind::cancel: return "cancel";
    case SimulatedEventKind::finish: return "finish";
  }
  return "";
}

SimulationReport simulate(const Scenario& scenario, const SimulationWatch& watch) {
  return Simulation(scenario, watch).run();
}

}  // namespace arkvory::server
