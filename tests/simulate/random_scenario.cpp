// SPDX-License-Identifier: Apache-2.0
#include "tests/simulate/random_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/rfc3339.h"
#include "core/base/rng.h"

namespace arkvory::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kMB = 1'000'000;

template <typename Value>
Value one_of(Rng& rng, std::initializer_list<Value> values) {
  return values.begin()[rng.below(values.size())];
}

// Round more often than not, so that things meet in one instant.
Duration some_time(Rng& rng, std::uint64_t most_seconds) {
  switch (rng.below(4)) {
    case 0: return seconds(0);
    case 1: return seconds(rng.below(most_seconds + 1));
    case 2: return milliseconds(500 * rng.below(2 * most_seconds + 1));
    default: return std::chrono::microseconds(rng.below(most_seconds * 1'000'000));
  }
}

SchedulerSettings some_settings(Rng& rng) {
  SchedulerSettings settings;
  settings.strategy = one_of(rng, {Strategy::ordered, Strategy::ordered, Strategy::ordered, Strategy::smallest_first});
  if (rng.chance(4)) settings.strategy = Strategy::shared;
  settings.sessions = 1 + rng.below(5);
  if (rng.chance(60)) settings.reserve = rng.below(std::min<std::uint64_t>(*settings.sessions, 3));
  settings.per_principal = one_of<std::uint64_t>(rng, {0, 1, 2, 4});
  settings.idle = one_of<Duration>(rng, {seconds(30), seconds(30), seconds(5), seconds(1)});
  if (rng.chance(30))
    for (auto& weight : settings.weights) weight = 1 + rng.below(10);
  settings.aging = one_of<Duration>(rng, {minutes(0), minutes(1), minutes(1), minutes(2)});
  settings.preempt = rng.chance(60);
  settings.bandwidth_order = one_of(rng, {BandwidthOrder::equal, BandwidthOrder::oldest_first});
  settings.bandwidth_floor = one_of<std::uint64_t>(rng, {0, 64 * kKiB, 64 * kKiB, 500'000});
  if (rng.chance(5)) settings.queue_limit = 4 + rng.below(8);
  if (rng.chance(5)) settings.sessions_per_principal = 1 + rng.below(4);
  return settings;
}

// Some minutes long, around the start.
Window some_window(Rng& rng, WallTime start) {
  const auto zone = one_of<const char*>(rng, {"UTC", "Europe/Berlin"});
  const auto offset = std::string_view(zone) == "UTC" ? minutes(0) : minutes(60);
  const auto of_day =
      std::chrono::floor<minutes>(start + offset) - std::chrono::floor<std::chrono::days>(start + offset);
  const auto day = minutes(24 * 60);
  Window window;
  window.days.fill(true);
  window.zone = zone;
  window.from = (of_day + day + minutes(rng.below(6)) - minutes(2)) % day;
  window.to = (window.from + minutes(1 + rng.below(4))) % day;
  return window;
}

SimulatedClient some_client(Rng& rng, std::size_t index, std::uint64_t principals, std::uint64_t latest) {
  SimulatedClient client;
  client.name = "c" + std::to_string(index);
  client.principal = principals == 0 ? client.name : "p" + std::to_string(rng.below(principals));
  client.download_class = static_cast<DownloadClass>(rng.below(4));
  client.size = rng.chance(50) ? (1 + rng.below(10)) * 40 * kMB : kMB + rng.below(399 * kMB);
  if (rng.chance(30)) client.size = (1 + rng.below(40)) * kMB;
  client.arrive = some_time(rng, latest);
  const auto mode = rng.below(100);
  if (mode < 35) {
    client.mode = PollerMode{};
  } else if (mode < 50) {
    ListedMode listed;
    for (auto at = client.arrive + milliseconds(500 * (1 + rng.below(20))); listed.times.size() < 6;
         at += milliseconds(500 * (1 + rng.below(rng.chance(20) ? 300 : 60))))
      listed.times.push_back(at);
    if (rng.chance(50)) client.arrive = listed.times.front();
    client.mode = listed;
  }
  if (rng.chance(30))
    client.rate = one_of<std::uint64_t>(rng, {30 * kKiB, 60'000, 64 * kKiB, 500'000, 2 * kMB, 5 * kMB});
  client.range = one_of<std::uint64_t>(rng, {8 * kMiB, 8 * kMiB, kMB, 10 * kMB, 40 * kMB, 100 * kKiB});
  client.has_id = rng.chance(80);
  if (rng.chance(12)) client.leave = client.arrive + some_time(rng, 150);
  if (rng.chance(12)) client.cancel = client.arrive + some_time(rng, 150);
  return client;
}

void set_windows(RandomScenario& random) {
  auto& windows = random.scenario.settings.windows;
  const auto has_any =
      std::any_of(random.windows.begin(), random.windows.end(), [](const auto& of_class) { return !of_class.empty(); });
  windows = has_any ? std::make_shared<const ClassWindows>(ClassWindows::make(random.windows).value()) : nullptr;
}

std::string quoted_time(Duration time) {
  return fmt::format("\"{}.{:09}s\"", time.count() / 1'000'000'000, time.count() % 1'000'000'000);
}

std::string time_of_day(minutes time) { return fmt::format("{:02}:{:02}", time.count() / 60, time.count() % 60); }

std::string mode_of(const SimulatedClient& client) {
  if (std::holds_alternative<PresentMode>(client.mode)) return "\"present\"";
  if (std::holds_alternative<PollerMode>(client.mode)) return "\"poller\"";
  std::string times;
  for (const auto time : std::get<ListedMode>(client.mode).times)
    times += (times.empty() ? "" : ",") + quoted_time(time);
  return "[" + times + "]";
}

}  // namespace

RandomScenario random_scenario(std::uint64_t seed) {
  Rng rng(seed);
  RandomScenario random;
  auto& scenario = random.scenario;
  scenario.seed = seed;
  scenario.start = WallTime(seconds(1'806'179'400 + 60 * rng.below(120)));  // in the evening of 2027-03-27
  if (rng.chance(15)) scenario.start += milliseconds(rng.below(60'000));
  scenario.link = one_of<std::uint64_t>(rng, {1, 2, 4, 10, 20, 40}) * kMB;
  if (rng.chance(20)) scenario.link = kMB + rng.below(40 * kMB);
  scenario.network = rng.chance(30) ? milliseconds(50) : milliseconds(0);
  scenario.until = seconds(600 + rng.below(600));
  scenario.settings = some_settings(rng);
  if (rng.chance(25)) {
    for (auto& of_class : random.windows)
      if (rng.chance(50))
        for (auto count = 1 + rng.below(2); count > 0; --count) {
          of_class.push_back(some_window(rng, scenario.start));
          if (rng.chance(40))
            of_class.back().outside_share_ppm = one_of<std::uint32_t>(rng, {100'000, 250'000, 500'000});
        }
    set_windows(random);
  }
  const auto count = 2 + rng.below(rng.chance(40) ? 5 : 24);
  const auto principals = rng.below(5);
  const auto latest = one_of<std::uint64_t>(rng, {1, 20, 120});
  for (std::size_t i = 0; i < count; ++i) scenario.clients.push_back(some_client(rng, i, principals, latest));
  return random;
}

RandomScenario smaller(RandomScenario from, const std::function<bool(const Scenario&)>& is_bad) {
  const auto take_if_bad = [&](const std::function<void(RandomScenario&)>& change) {
    auto changed = from;
    change(changed);
    set_windows(changed);
    if (changed.scenario.clients.empty() || !is_bad(changed.scenario)) return false;
    from = changed;
    return true;
  };
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    for (std::size_t i = from.scenario.clients.size(); i-- > 0;)
      is_smaller |= take_if_bad([i](auto& random) {
        random.scenario.clients.erase(random.scenario.clients.begin() + static_cast<std::ptrdiff_t>(i));
      });
  }
  const SchedulerSettings usual;
  take_if_bad([](auto& random) { random.scenario.network = seconds(0); });
  take_if_bad([](auto& random) { random.windows = {}; });
  for (std::size_t i = 0; i < from.windows.size(); ++i) {
    take_if_bad([i](auto& random) { random.windows[i].clear(); });
    while (from.windows[i].size() > 1 && take_if_bad([i](auto& random) { random.windows[i].pop_back(); })) {
    }
  }
  take_if_bad([](auto& random) { random.scenario.settings.preempt = false; });
  take_if_bad([](auto& random) { random.scenario.settings.aging = seconds(0); });
  take_if_bad([](auto& random) { random.scenario.settings.per_principal = 0; });
  take_if_bad([](auto& random) { random.scenario.settings.reserve = 0; });
  take_if_bad([](auto& random) { random.scenario.settings.bandwidth_floor = 0; });
  take_if_bad([](auto& random) { random.scenario.settings.strategy = Strategy::ordered; });
  take_if_bad([](auto& random) { random.scenario.settings.bandwidth_order = BandwidthOrder::equal; });
  take_if_bad([&](auto& random) { random.scenario.settings.weights = usual.weights; });
  take_if_bad([&](auto& random) { random.scenario.settings.queue_limit = usual.queue_limit; });
  take_if_bad([&](auto& random) { random.scenario.settings.sessions_per_principal = usual.sessions_per_principal; });
  take_if_bad([&](auto& random) { random.scenario.settings.idle = usual.idle; });
  for (std::size_t i = 0; i < from.scenario.clients.size(); ++i) {
    const auto change = [&](const std::function<void(SimulatedClient&)>& step) {
      take_if_bad([&](auto& random) { step(random.scenario.clients[i]); });
    };
    change([](auto& client) { client.leave.reset(); });
    change([](auto& client) { client.cancel.reset(); });
    change([](auto& client) { client.rate.reset(); });
    change([](auto& client) { client.mode = PresentMode{}; });
    change([](auto& client) { client.mode = PollerMode{}; });
    change([](auto& client) { client.has_id = true; });
    change([](auto& client) { client.principal = client.name; });
    change([](auto& client) { client.range = 8 * kMiB; });
    change([](auto& client) { client.download_class = DownloadClass::bulk; });
    change([](auto& client) { client.size = std::max(kMB, client.size / (10 * kMB) * 10 * kMB); });
    if (std::holds_alternative<ListedMode>(from.scenario.clients[i].mode)) {
      while (std::get<ListedMode>(from.scenario.clients[i].mode).times.size() > 1 && take_if_bad([i](auto& random) {
               std::get<ListedMode>(random.scenario.clients[i].mode).times.pop_back();
             })) {
      }
      continue;
    }
    change([](auto& client) { client.arrive = seconds(0); });
    change([](auto& client) { client.arrive = std::chrono::round<seconds>(client.arrive); });
  }
  return from;
}

std::string to_json(const RandomScenario& random) {
  const auto& scenario = random.scenario;
  const auto& settings = scenario.settings;
  constexpr std::string_view kStrategies[] = {"ordered", "smallest-first", "shared"};
  auto text = fmt::format(
      R"({{"seed":{},"start":"{}","link":"{}B/s","network":{},"until":{},"settings":{{"strategy":"{}","sessions":{},)"
      R"("reserve":{},"perPrincipal":{},"weights":"{},{},{},{}","idleSeconds":{},"agingMinutes":{},"preempt":{},)"
      R"("bandwidthOrder":"{}","bandwidthFloor":"{}B/s","queueLimit":{},"sessionsPerPrincipal":{})",
      scenario.seed, format_rfc3339(scenario.start), scenario.link, quoted_time(scenario.network),
      quoted_time(*scenario.until), kStrategies[static_cast<std::size_t>(settings.strategy)], settings.seats(),
      settings.reserved_seats(), settings.per_principal, settings.weights[0], settings.weights[1], settings.weights[2],
      settings.weights[3], settings.idle / seconds(1), settings.aging / minutes(1), settings.preempt,
      settings.bandwidth_order == BandwidthOrder::equal ? "equal" : "oldest-first", settings.bandwidth_floor,
      settings.queue_limit, settings.sessions_per_principal);
  std::string windows;
  for (std::size_t i = 0; i < random.windows.size(); ++i) {
    std::string of_class;
    for (const auto& window : random.windows[i])
      of_class += fmt::format(R"({}{{"days":"mon-sun","from":"{}","to":"{}","zone":"{}","outsideShare":{}}})",
                              of_class.empty() ? "" : ",", time_of_day(window.from), time_of_day(window.to),
                              window.zone, window.outside_share_ppm / 1e6);
    if (!of_class.empty())
      windows += fmt::format(R"({}"{}":[{}])", windows.empty() ? "" : ",", kDownloadClassNames[i], of_class);
  }
  if (!windows.empty()) text += fmt::format(R"(,"windows":{{{}}})", windows);
  text += "},\n \"clients\":[";
  for (const auto& client : scenario.clients) {
    text += fmt::format(
        R"({}{{"name":"{}","size":"{}B","class":"{}","principal":"{}","arrive":{},"mode":{},"range":"{}B","id":{})",
        &client == scenario.clients.data() ? "" : ",\n  ", client.name, client.size, to_string(client.download_class),
        client.principal, quoted_time(client.arrive), mode_of(client), client.range, client.has_id);
    if (client.rate) text += fmt::format(R"(,"rate":"{}B/s")", *client.rate);
    if (client.leave) text += ",\"leave\":" + quoted_time(*client.leave);
    if (client.cancel) text += ",\"cancel\":" + quoted_time(*client.cancel);
    text += "}";
  }
  return text + "]}\n";
}

}  // namespace arkvory::server
