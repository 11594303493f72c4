// SPDX-License-Identifier: Apache-2.0
// A scenario; one of few clients is also run, for half a minute of its time.
#include <algorithm>
#include <set>
#include <variant>

#include "server-stub/simulate/report.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::Duration;
using arkvory::ensure;
using namespace arkvory::server;

namespace {

constexpr std::size_t kFew = 32;

void check(const SimulatedClient& client) {
  ensure(!client.name.empty() && !client.principal.empty(), "who comes has a name");
  ensure(client.size > 0 && client.range > 0, "there is something to send");
  ensure(!client.rate || *client.rate > 0, "and it can be taken");
  ensure(client.arrive >= Duration(0), "nobody comes before the start");
  if (const auto* listed = std::get_if<ListedMode>(&client.mode))
    ensure(!listed->times.empty() && std::is_sorted(listed->times.begin(), listed->times.end()),
           "there are times, in order");
}

void run(Scenario scenario) {
  const auto half_a_minute = Duration(std::chrono::seconds(30));
  scenario.until = std::min(scenario.until.value_or(half_a_minute), half_a_minute);
  Duration last{0};
  const auto report =
      simulate(scenario, {[&](const SimulatedEvent& event) {
                 ensure(event.at >= last && event.at <= *scenario.until,
                        "events are in order of time, and none is later than the end");
                 last = event.at;
                 const auto line = json(scenario, event);
                 ensure(line.find('\n') == std::string::npos && line.back() == '}', "an event is a line");
               }});
  ensure(std::is_sorted(report.finishes.begin(), report.finishes.end()), "ends are in order of time");
  ensure(report.finishes.size() + report.unfinished == scenario.clients.size(), "each is finished or not");
  ensure(json(report).find("nan") == std::string::npos, "figures are numbers");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scenario = parse_scenario(arkvory::fuzz::as_text(data, size));
  if (!scenario) {
    const auto& words = scenario.error().words;
    ensure(scenario.error().fault == arkvory::Fault::usage && !words.empty(), "a fault is said");
    ensure(std::none_of(words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
           "in one line");
    return 0;
  }
  ensure(scenario->link > 0 && !scenario->clients.empty(), "there is a link and someone to use it");
  std::set<std::string> names;
  for (const auto& client : scenario->clients) {
    check(client);
    ensure(names.insert(client.name).second, "names are told apart");
  }
  const auto is_small = [](const SimulatedClient& client) {
    const auto* listed = std::get_if<ListedMode>(&client.mode);
    return listed == nullptr || listed->times.size() <= kFew;
  };
  const auto& all = scenario->clients;
  if (all.size() <= kFew && std::all_of(all.begin(), all.end(), is_small)) run(*scenario);
  return 0;
}
