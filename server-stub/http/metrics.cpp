// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/metrics.h"

#include <chrono>
#include <functional>
#include <string_view>

#include "server-stub/http/metric_text.h"

namespace arkvory::server {
namespace {

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// One sample for each class.
template <typename Value>
void by_class(MetricText& text, const Value& value) {
  for (std::size_t i = 0; i < kClasses; ++i)
    text.sample({{"class", kDownloadClassNames[i]}}, value(static_cast<DownloadClass>(i)));
}

template <typename Names, typename Value>
void by_reason(MetricText& text, const Names& names, const Value& value) {
  for (std::size_t i = 0; i < names.size(); ++i) text.sample({{"reason", names[i]}}, value(i));
}

void write_sessions(MetricText& text, const Scheduler& scheduler, const Census& census) {
  text.gauge("arkvory_sessions", "Downloads that are known, by class and state.");
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto sample = [&](std::string_view state, std::uint64_t count) {
      text.sample({{"class", kDownloadClassNames[i]}, {"state", state}}, count);
    };
    sample("active", census[i].active);
    sample("waiting", census[i].waiting);
    sample("parked", census[i].parked);
  }
  const auto count = [&census](DownloadClass name) { return census[static_cast<std::size_t>(name)]; };
  text.gauge("arkvory_waiting_bytes", "What the waiting downloads still want.");
  by_class(text, [&](DownloadClass name) { return count(name).waiting_bytes; });
  text.gauge("arkvory_oldest_wait_seconds",
             "How long the first of the waiting downloads has waited; 0 where none does.");
  by_class(text, [&](DownloadClass name) { return seconds(count(name).oldest_wait); });
  text.gauge("arkvory_seats", "How many downloads may have a seat at once.");
  text.sample({}, scheduler.seats());
  text.gauge("arkvory_seats_reserved", "How many of the seats are kept for the class interactive.");
  text.sample({}, scheduler.reserved_seats());
  text.gauge("arkvory_seats_taken", "How many downloads have a seat.");
  text.sample({}, std::uint64_t{scheduler.active()});
}

void write_queue(MetricText& text, const Scheduler& scheduler) {
  const auto& tally = scheduler.tally();
  const auto events = [&](Tally::Event event) {
    by_class(text, [&](DownloadClass name) { return tally.times(event, name); });
  };
  text.histogram("arkvory_wait_seconds", "From a download's arrival to its first seat.");
  by_class(text, [&](DownloadClass name) -> const Histogram& { return tally.waits(name); });
  text.counter("arkvory_no_shows_total", "Waiting downloads that were dropped because they did not ask again in time.");
  events(Tally::Event::no_show);
  text.counter("arkvory_lost_seats_total", "Seats lost by idling or by taking too little.");
  events(Tally::Event::seat_lost);
  text.counter("arkvory_preemptions_total", "Seats passed on at the border of a range.");
  events(Tally::Event::preemption);
  text.counter("arkvory_position_rises_total", "Positions told that were greater than the one told before, by reason.");
  by_reason(text, kRiseReasonNames, [&](std::size_t i) { return scheduler.rises().times(static_cast<RiseReason>(i)); });
  text.histogram("arkvory_estimate_error_seconds", "How far the first start that was told was from the real one.");
  text.sample({}, tally.estimate_errors());
  text.counter("arkvory_estimates_inside_interval_total",
               "Starts inside the interval that was told first, of those in arkvory_estimate_error_seconds.");
  text.sample({}, tally.inside_interval());
  text.counter("arkvory_session_sent_bytes_total", "Bytes of files that were sent to downloads with a seat.");
  by_class(text, [&](DownloadClass name) { return scheduler.throughput().total(name); });
}

void write_requests(MetricText& text, QueueDesk& desk) {
  text.gauge("arkvory_held_requests", "Requests that are held open until their turn.");
  text.sample({}, std::uint64_t{desk.held()});
  text.gauge("arkvory_small_answers", "Answers that need no seat and may run, for all of them together.");
  text.sample({{"state", "running"}}, std::uint64_t{desk.small().active()});
  text.sample({{"state", "waiting"}}, std::uint64_t{desk.small().waiting()});
  text.counter("arkvory_refused_requests_total",
               "Requests for files that were not let in, but for those told to wait.");
  by_reason(text, kTurnedAwayNames, [&](std::size_t i) { return desk.times(static_cast<TurnedAway>(i)); });
  text.counter("arkvory_refused_tickets_total", "Queue tickets that were ignored, by reason.");
  by_reason(text, kTicketRefusalNames,
            [&](std::size_t i) { return desk.tickets().refused(static_cast<TicketRefusal>(i)); });
  text.sample({{"reason", "used_up"}}, desk.scheduler().tally().times(Tally::Event::ticket_used_up));
}

void write_server(MetricText& text, const MetricSources& sources) {
  if (!sources.counts.answers.empty()) text.counter("arkvory_answers_total", "Answers begun, by status.");
  for (const auto& [status, count] : sources.counts.answers) text.sample({{"status", std::to_string(status)}}, count);
  text.counter("arkvory_sent_bytes_total", "Bytes sent to clients, heads of answers included.");
  text.sample({}, sources.counts.sent_bytes);
  text.gauge("arkvory_connections", "Open connections.");
  text.sample({}, std::uint64_t{sources.open_connections});
  text.counter("arkvory_connections_accepted_total", "Connections accepted.");
  text.sample({}, sources.counts.connections);
  text.counter("arkvory_failed_handshakes_total", "Connections that never agreed on TLS.");
  text.sample({}, sources.counts.failed_handshakes);
  text.histogram("arkvory_tick_seconds", "How long the scheduler's ticks took.");
  text.sample({}, sources.ticks);
}

}  // namespace

std::string metrics_text(const MetricSources& sources) {
  MetricText text;
  const auto& scheduler = sources.desk.scheduler();
  write_sessions(text, scheduler, sources.desk.census());
  write_queue(text, scheduler);
  write_requests(text, sources.desk);
  write_server(text, sources);
  return text.text();
}

Answer metrics_answer(const MetricSources& sources) {
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = metrics_text(sources);
  return answer;
}

}  // namespace arkvory::server
