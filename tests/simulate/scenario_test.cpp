// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/scenario.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "server-stub/scheduler/windows.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

std::string with_client(const std::string& client) { return R"({"link":"1MB/s","clients":[)" + client + "]}"; }

std::string with_setting(const std::string& setting) {
  return R"({"link":"1MB/s","settings":{)" + setting + R"(},"clients":[{"size":"1MB"}]})";
}

std::string fault_of(const std::string& text) {
  const auto parsed = parse_scenario(text);
  if (parsed) return "none";
  CHECK(parsed.error().fault == Fault::usage);
  CHECK(parsed.error().words.find('\n') == std::string::npos);
  return parsed.error().words;
}

bool starts(const std::string& text, std::string_view with) { return text.starts_with(with); }

}  // namespace

TEST_CASE("a scenario needs a link and clients with a size; the rest has its defaults") {
  const auto parsed = parse_scenario(R"({"link":"40MB/s","clients":[{"size":"40MB"}]})");
  REQUIRE(parsed);
  CHECK(parsed->link == 40'000'000);
  CHECK(parsed->seed == 1);
  CHECK(parsed->start == std::chrono::sys_days(std::chrono::year(2027) / 1 / 1));
  CHECK(parsed->network == 0s);
  CHECK_FALSE(parsed->until);
  REQUIRE(parsed->clients.size() == 1);
  const auto& client = parsed->clients.front();
  CHECK(client.name == "a");
  CHECK(client.size == 40'000'000);
  CHECK(client.download_class == DownloadClass::bulk);
  CHECK(std::holds_alternative<PresentMode>(client.mode));
  CHECK_FALSE(client.rate);
  CHECK(client.range == 8 * kMiB);
  CHECK(client.has_id);
}

TEST_CASE("the example of the format is understood, every key of it") {
  const auto parsed = parse_scenario(R"({"seed": 1, "start": "2027-03-27T21:30:00+01:00", "link": "40MB/s",
 "network": "0s", "until": "100000s",
 "settings": {"strategy": "ordered", "sessions": 4, "reserve": 0, "agingMinutes": 0, "preempt": false,
              "bandwidthOrder": "equal", "bandwidthFloor": "0B/s", "windows": {"bulk": [{"days": "mon-sun", "from": "22:00",
              "to": "06:00", "zone": "Europe/Berlin", "outsideShare": 0}]}},
 "clients": [{"name": "a", "count": 500, "size": "40MB", "class": "bulk", "principal": "each", "arrive": "0s",
              "mode": "present", "rate": "none", "range": "8MiB", "id": true}]})");
  REQUIRE(parsed);
  CHECK(parsed->until == 100'000s);
  CHECK(parsed->settings.sessions == 4U);
  CHECK(parsed->settings.aging == 0s);
  CHECK(parsed->settings.bandwidth_order == BandwidthOrder::equal);
  REQUIRE(parsed->settings.windows);
  CHECK(parsed->settings.windows->has_any(DownloadClass::bulk));
  CHECK_FALSE(parsed->settings.windows->is_open(DownloadClass::bulk, parsed->start));
  CHECK(parsed->settings.windows->is_open(DownloadClass::bulk, parsed->start + 30min));
  CHECK(parsed->clients.size() == 500);
  CHECK(parsed->clients[499].name == "a-500");
  CHECK(parsed->clients[0].principal != parsed->clients[1].principal);
}

TEST_CASE("ranges of sizes and arrivals are drawn from the seed, and a group is named in order of arrival") {
  const auto text = [](int seed) {
    return R"({"seed":)" + std::to_string(seed) +
           R"(,"link":"1MB/s","clients":[{"name":"m","count":300,"size":"4GB..20GB","arrive":"0s..10min"}]})";
  };
  const auto one = parse_scenario(text(1));
  const auto same = parse_scenario(text(1));
  const auto other = parse_scenario(text(2));
  REQUIRE(one);
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    CHECK(one->clients[i].size == same->clients[i].size);
    if (i > 0) CHECK(one->clients[i - 1].arrive <= one->clients[i].arrive);
    CHECK(one->clients[i].name == "m-" + std::to_string(i + 1));
    least = std::min(least, one->clients[i].size);
    most = std::max(most, one->clients[i].size);
  }
  CHECK(least >= 4'000'000'000);
  CHECK(least < 5'000'000'000);
  CHECK(most <= 20'000'000'000);
  CHECK(most > 19'000'000'000);
  CHECK(one->clients[7].size != other->clients[7].size);
}

TEST_CASE("MB is 10^6, MiB is 2^20") {
  const auto parsed = parse_scenario(with_client(R"({"size":"3MB"},{"size":"3MiB","name":"b"})"));
  REQUIRE(parsed);
  CHECK(parsed->clients[0].size == 3'000'000);
  CHECK(parsed->clients[1].size == 3 * kMiB);
}

TEST_CASE("a fault is one line with the JSON Pointer to it") {
  struct Row {
    std::string text;
    std::string_view begins;
  };
  const std::vector<Row> rows{
      {"", "it is not JSON"},
      {"{", "it is not JSON"},
      {"[]", "it takes an object"},
      {"\xff", "it is not UTF-8"},
      {R"({"clients":[{"size":"1MB"}]})", "/link: is needed"},
      {R"({"link":"1MB/s"})", "/clients: is needed"},
      {R"({"link":"0MB/s","clients":[{"size":"1MB"}]})", "/link: takes a rate"},
      {R"({"link":5,"clients":[{"size":"1MB"}]})", "/link: takes a rate"},
      {R"({"link":"1MB/s","clients":[]})", "/clients: takes a list"},
      {R"({"link":"1MB/s","clients":{}})", "/clients: takes a list"},
      {R"({"link":"1MB/s","link":"1MB/s","clients":[{"size":"1MB"}]})", "/link: is given twice"},
      {R"({"link":"1MB/s","clients":[{"size":"1MB","size":"2MB"}]})", "/clients/0/size: is given twice"},
      {R"({"link":"1MB/s","bogus":1,"clients":[{"size":"1MB"}]})", "/bogus: is unknown"},
      {R"({"link":"1MB/s","a/b~c":1,"clients":[{"size":"1MB"}]})", "/a~1b~0c: is unknown"},
      {R"({"link":"1MB/s","seed":-1,"clients":[{"size":"1MB"}]})", "/seed: takes a whole number"},
      {R"({"link":"1MB/s","start":"yesterday","clients":[{"size":"1MB"}]})", "/start: takes a time"},
      {R"({"link":"1MB/s","until":"never","clients":[{"size":"1MB"}]})", "/until: takes a time"},
      {with_client("{}"), "/clients/0/size: is needed"},
      {with_client(R"({"size":"x"})"), "/clients/0/size: takes a size"},
      {with_client(R"({"size":0})"), "/clients/0/size: takes a size"},
      {with_client(R"({"size":"0B"})"), "/clients/0/size: takes a size"},
      {with_client(R"({"size":"-1MB"})"), "/clients/0/size: takes a size"},
      {with_client(R"({"size":"9223372036854775808B"})"), "/clients/0/size: takes a size"},
      {with_client(R"({"size":"5MB..4MB"})"), "/clients/0/size: takes a range"},
      {with_client(R"({"size":"1MB"},{"size":"1MB","sise":1})"), "/clients/1/sise: is unknown"},
      {with_client(R"({"size":"1MB","count":0})"), "/clients/0/count: takes a whole number"},
      {with_client(R"({"size":"1MB","count":1048577})"), "/clients/0/count: takes a whole number"},
      {with_client(R"({"size":"1MB","count":1.5})"), "/clients/0/count: takes a whole number"},
      {with_client(R"({"size":"1MB","class":"best"})"), "/clients/0/class: takes interactive"},
      {with_client(R"({"size":"1MB","mode":"lazy"})"), "/clients/0/mode: takes"},
      {with_client(R"({"size":"1MB","mode":[]})"), "/clients/0/mode: takes"},
      {with_client(R"({"size":"1MB","mode":["1s","x"]})"), "/clients/0/mode/1: takes a time"},
      {with_client(R"({"size":"1MB","mode":["2s","1s"]})"), "/clients/0/mode: takes times one after another"},
      {with_client(R"({"size":"1MB","rate":"0B/s"})"), "/clients/0/rate: takes a rate"},
      {with_client(R"({"size":"1MB","range":"0B"})"), "/clients/0/range: takes a size"},
      {with_client(R"({"size":"1MB","id":1})"), "/clients/0/id: takes true or false"},
      {with_client(R"({"size":"1MB","leave":"-1s"})"), "/clients/0/leave: takes a time"},
      {with_client(R"({"size":"1MB","name":"x"},{"size":"1MB","name":"x"})"),
       "/clients/1/name: makes a second client x"},
      {with_client(R"({"size":"1MB","name":""})"), "/clients/0/name: takes a name"},
      {R"({"link":"1152921504606846976B/s","clients":[{"size":"1152921504606846976B"},{"size":"1B"}]})",
       "/clients/1/size: makes more than"},
      {with_client(R"({"size":"500TB"},{"size":"2000TB"})"),
       "/clients/1/size: keeps the link busy for over fifty years"},
      {with_client(R"({"size":"1TB","rate":"1B/s"})"), "/clients/0/rate: needs over fifty years"},
      {with_client(R"({"size":"1MB","arrive":"18301d"})"), "/clients/0/arrive: takes a time within fifty years"},
      {R"({"link":"1MB/s","start":"2100-01-01T00:00:00Z","clients":[{"size":"1MB"}]})", "/start: takes a time before"},
      {R"({"link":"1MB/s","seed":1e999,"clients":[{"size":"1MB"}]})", "it has a number that is out of range"},
      {with_client(R"({"size":"1MB","count":1048576,"mode":["1s","2s","3s","4s","5s"]})"),
       "/clients/0/mode: takes at most 4194304 times"},
      {with_client(R"({"size":"1MB","count":524289},{"size":"1MB","count":524288})"),
       "/clients/1/count: makes more than 1048576 clients"},
      {with_client(R"({"size":"1MB","name":"a\nb"})"), "/clients/0/name: takes a name"},
      {with_client(R"({"size":"1MB","principal":"a\u007fb"})"), "/clients/0/principal: takes"},
      {with_client(R"({"size":"1MB","principal":")" + std::string(129, 'p') + R"("})"), "/clients/0/principal: takes"},
      {with_client(R"({"size":"1MB","a\nb":1})"), "/clients/0/a?b: is unknown"},
      {with_setting(R"("windows":{"bulk":[{"from":"22:00","to":"06:00","zone":"UTC\n"}]})"),
       "/settings/windows/bulk/0/zone: takes a zone"},
      {with_setting(R"("strategy":null)"), "/settings/strategy: takes ordered"},
      {with_setting(R"("sessions":{"a":1})"), "/settings/sessions: takes a number"},
      {with_setting(R"("session":4)"), "/settings/session: is unknown"},
      {with_setting(R"("bandwidth":"1MB/s")"), "/settings/bandwidth: is unknown"},
      {with_setting(R"("sessions":0)"), "/settings/sessions: takes a number"},
      {with_setting(R"("weights":[8,4,2])"), "/settings/weights: takes four numbers"},
      {with_setting(R"("preempt":"maybe")"), "/settings/preempt: takes true or false"},
      {with_setting(R"("windows":{"bulk":[{"from":"22:00"}]})"), "/settings/windows/bulk/0/to: is needed"},
      {with_setting(R"("windows":{"bulk":[{"from":"25:00","to":"06:00"}]})"), "/settings/windows/bulk/0/from: takes"},
      {with_setting(R"("windows":{"bulk":[{"from":"22:00","to":"06:00","zone":"Mars/Olympus"}]})"),
       "/settings/windows/bulk/0/zone: there is no zone"},
      {with_setting(R"("windows":{"bulk":[{"from":"22:00","to":"06:00","days":"someday"}]})"),
       "/settings/windows/bulk/0/days: takes days"},
      {with_setting(R"("windows":{"bulk":[{"from":"22:00","to":"06:00","outsideShare":2}]})"),
       "/settings/windows/bulk/0/outsideShare: takes a share"},
      {with_setting(R"("windows":{"all":[]})"), "/settings/windows/all: is unknown"},
      {R"({"link":"1MB/s","clients":[[[[[[[[[[]]]]]]]]]]})", "/clients/0/0/0/0/0/0/0: is nested too deeply"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto fault = fault_of(row.text);
    CAPTURE(fault);
    CHECK(starts(fault, row.begins));
  }
}

TEST_CASE("settings are taken by their names, as numbers, switches, lists or text") {
  const auto parsed = parse_scenario(with_setting(
      R"("sessions":"8","weights":[4,3,2,1],"idleSeconds":2.5,"preempt":true,"sessionMinBytes":"1MiB","perPrincipal":0)"));
  REQUIRE(parsed);
  CHECK(parsed->settings.sessions == 8U);
  CHECK(parsed->settings.weights == std::array<std::uint64_t, 4>{4, 3, 2, 1});
  CHECK(parsed->settings.idle == 2500ms);
  CHECK(parsed->settings.preempt);
  CHECK(parsed->settings.session_min_bytes == kMiB);
  CHECK(parsed->settings.per_principal == 0);
}

TEST_CASE("every scenario that is kept can be read") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SCENARIOS)) {
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(fault_of(text) == "none");
    ++count;
  }
  CHECK(count >= 6);
}
