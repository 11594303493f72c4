// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/rfc3339.h"
#include "core/base/rng.h"
#include "core/base/size.h"
#include "core/protocol/written_json.h"
#include "server-stub/scheduler/setting_json.h"
#include "server-stub/scheduler/setting_options.h"

namespace arkvory::server {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostClients = kMostSessions;
constexpr std::string_view kLastStart = "2100-01-01T00:00:00Z";
constexpr std::size_t kMostTimes = std::size_t{1} << 22U;  // at which clients come, of all together
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestPrincipal = 128;

std::uint64_t take_size(const JsonPart& part) { return part.size(1); }
Duration take_time(const JsonPart& part) { return part.time(); }

// A value, or a range of them as in `"4GB..20GB"`.
template <typename Value>
struct Span {
  Value least;
  Value most;
};

template <typename Value>
Span<Value> take_span(const JsonPart& part, Value (*take_one)(const JsonPart&)) {
  const std::string* text = part.json.is_string() ? &part.json.get_ref<const std::string&>() : nullptr;
  const auto dots = text == nullptr ? std::string::npos : text->find("..");
  if (dots == std::string::npos) {
    const auto one = take_one(part);
    return {one, one};
  }
  const Json least = text->substr(0, dots);
  const Json most = text->substr(dots + 2);
  const Span<Value> span{take_one({least, part.pointer}), take_one({most, part.pointer})};
  if (span.most < span.least) part.refuse("a range from the lesser to the greater");
  return span;
}

SchedulerSettings take_scenario_settings(const JsonPart& part) {
  std::vector<std::string> names;
  for (const auto& row : setting_rows())
    if (setting_name(row) != "bandwidth") names.push_back(setting_name(row));  // it is the link
  names.emplace_back("windows");
  SchedulerSettings settings;
  take_settings(part, std::vector<std::string_view>(names.begin(), names.end()), Reading::strict, settings);
  return settings;
}

// --- Clients --------------------------------------------------------------------------------------------------------

ClientMode take_mode(const JsonPart& part) {
  constexpr std::string_view kTakes = "\"present\", \"poller\" or a list of times";
  if (part.json.is_string()) {
    const auto& name = part.text(kTakes);
    if (name == "present") return PresentMode{};
    if (name == "poller") return PollerMode{};
  }
  if (!part.json.is_array() || part.json.empty()) part.refuse(kTakes);
  ListedMode listed;
  for (std::size_t i = 0; i < part.json.size(); ++i) listed.times.push_back(take_time(part.at(i)));
  if (!std::is_sorted(listed.times.begin(), listed.times.end())) part.refuse("times one after another");
  return listed;
}

// `a`, `b`, …: what a group is called that has no name.
std::string default_name(std::size_t group) {
  std::string name(1, static_cast<char>('a' + group % 26));
  if (group >= 26) name += std::to_string(group / 26);
  return name;
}

class Clients {
 public:
  Clients(std::uint64_t seed, std::uint64_t link) : rng_(seed), link_(link) {}

  void add_group(const JsonPart& part, std::size_t group) {
    constexpr std::array<std::string_view, 12> kKeys{"name", "count", "size",  "class", "principal", "arrive",
                                                     "mode", "rate",  "range", "id",    "leave",     "cancel"};
    part.only_has(kKeys);
    if (!part.has("size")) throw JsonFault{part.pointer + "/size", "is needed, a size such as \"40MB\""};
    const auto count = part.has("count") ? part.at("count").number(1, kMostClients) : 1;
    if (made_.size() + count > kMostClients)
      throw JsonFault{part.pointer + "/count", fmt::format("makes more than {} clients", kMostClients)};
    const auto name = part.has("name") ? part.at("name").name("a name", kLongestName) : default_name(group);
    SimulatedClient client;
    const auto sizes = take_span(part.at("size"), take_size);
    const auto arrivals =
        part.has("arrive") ? take_span(part.at("arrive"), take_time) : Span<Duration>{Duration(0), Duration(0)};
    if (part.has("class")) {
      const auto& text = part.at("class").text("a class");
      const auto known = parse_download_class(text);
      if (!known) part.at("class").refuse("interactive, release, bulk or background");
      client.download_class = *known;
    }
    if (part.has("mode")) client.mode = take_mode(part.at("mode"));
    if (const auto* listed = std::get_if<ListedMode>(&client.mode)) count_times(listed->times.size() * count, part);
    if (part.has("rate") && part.at("rate").json != "none") client.rate = part.at("rate").rate();
    if (part.has("range")) client.range = take_size(part.at("range"));
    if (part.has("id")) client.has_id = part.at("id").truth();
    if (part.has("leave")) client.leave = take_time(part.at("leave"));
    if (part.has("cancel")) client.cancel = take_time(part.at("cancel"));
    client.principal =
        part.has("principal") ? part.at("principal").name("\"each\" or a name", kLongestPrincipal) : "each";
    spread(client, name, count, sizes, arrivals, part);
  }

  std::vector<SimulatedClient> take() && { return std::move(made_); }

 private:
  // Each client has a list of its own.
  void count_times(std::size_t times, const JsonPart& part) {
    times_ += times;
    if (times_ > kMostTimes)
      part.at("mode").refuse(fmt::format("at most {} times for all clients together", kMostTimes));
  }

  void spread(const SimulatedClient& like, const std::string& name, std::uint64_t count,
              const Span<std::uint64_t>& sizes, const Span<Duration>& arrivals, const JsonPart& part) {
    std::vector<SimulatedClient> group(count, like);
    for (auto& client : group) {
      client.size = sizes.least + rng_.below(sizes.most - sizes.least + 1);
      client.arrive = arrivals.least + rng_.up_to(arrivals.most - arrivals.least);
      bytes_ += client.size;
      if (bytes_ > kMostWrittenBytes)
        throw JsonFault{part.pointer + "/size", "makes more than 2^60 bytes for all together"};
      if (takes_too_long(bytes_, link_))
        throw JsonFault{part.pointer + "/size", "keeps the link busy for over fifty years"};
      if (client.rate && takes_too_long(client.size, *client.rate))
        throw JsonFault{part.pointer + "/rate", "needs over fifty years for the size"};
    }
    std::stable_sort(group.begin(), group.end(), [](const SimulatedClient& left, const SimulatedClient& right) {
      return left.arrive < right.arrive;
    });
    for (std::size_t i = 0; i < group.size(); ++i) {
      auto& client = group[i];
      client.name = count == 1 ? name : fmt::format("{}-{}", name, i + 1);
      if (!names_.insert(client.name).second)
        throw JsonFault{part.pointer + "/name", fmt::format("makes a second client {}", client.name)};
      if (like.principal == "each") client.principal = "each " + client.name;
      made_.push_back(std::move(client));
    }
  }

  static bool takes_too_long(std::uint64_t bytes, std::uint64_t rate) {
    return bytes / rate >=
           static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(kLongestWrittenTime).count());
  }

  Rng rng_;
  std::uint64_t link_;
  std::set<std::string> names_;
  std::uint64_t bytes_ = 0;
  std::size_t times_ = 0;
  std::vector<SimulatedClient> made_;
};

Scenario take_scenario(const JsonPart& part) {
  constexpr std::array<std::string_view, 7> kKeys{"seed", "start", "link", "network", "until", "settings", "clients"};
  part.only_has(kKeys);
  Scenario scenario;
  scenario.start = *parse_rfc3339("2027-01-01T00:00:00Z");
  if (part.has("seed")) scenario.seed = part.at("seed").number(0, UINT64_MAX);
  if (part.has("start"))
    scenario.start = read_written(part.at("start"), parse_rfc3339, "a time such as \"2027-03-27T21:30:00+01:00\"");
  if (scenario.start >= *parse_rfc3339(kLastStart)) part.at("start").refuse("a time before the year 2100");
  if (!part.has("link")) throw JsonFault{"/link", "is needed, a rate such as \"40MB/s\""};
  scenario.link = part.at("link").rate();
  if (part.has("network")) scenario.network = take_time(part.at("network"));
  if (part.has("until")) scenario.until = take_time(part.at("until"));
  if (part.has("settings")) scenario.settings = take_scenario_settings(part.at("settings"));
  if (!part.has("clients")) throw JsonFault{"/clients", "is needed, a list of groups of clients"};
  const auto list = part.at("clients");
  if (!list.json.is_array() || list.json.empty()) list.refuse("a list of groups of clients");
  Clients clients(scenario.seed, scenario.link);
  for (std::size_t i = 0; i < list.json.size(); ++i) clients.add_group(list.at(i), i);
  scenario.clients = std::move(clients).take();
  return scenario;
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text) {
  try {
    const auto json = parse_written_json(text);
    return take_scenario({json, ""});
  } catch (const JsonFault& wrong) {
    return fail(Fault::usage, wrong.line());
  }
}

}  // namespace arkvory::server
