// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fast_link.h"

#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace arkvory::bench {

namespace {

constexpr const char* kServerAddress = "10.78.0.1";
constexpr const char* kClientAddress = "10.78.0.2";

Result<void> ip(const std::vector<std::string>& words) {
  std::vector<std::string> all{"ip"};
  all.insert(all.end(), words.begin(), words.end());
  const auto done = test::run(all);
  if (done.end.exit_code != 0) return fail(Fault::local, "ip(8) can't make a pair of devices", done.error_output);
  return {};
}

Result<void> set_up(const char* address) {
  if (auto done = ip({"address", "add", std::string(address) + "/24", "dev", "bench0"}); !done) return done;
  return ip({"link", "set", "bench0", "up"});
}

}  // namespace

Result<FastLink> FastLink::make() {
  auto server = NetworkSpace::make();
  if (!server) return pass_on(server.error());
  auto client = NetworkSpace::make();
  if (!client) return pass_on(client.error());
  FastLink link(std::move(*server), std::move(*client));
  {
    const auto visit = link.at_server();
    auto made = ip({"link", "add", "bench0", "type", "veth", "peer", "name", "bench0", "netns", link.client_.path()});
    if (made) made = set_up(kServerAddress);
    if (!made) return pass_on(made.error());
  }
  const auto visit = link.at_client();
  if (auto done = set_up(kClientAddress); !done) return pass_on(done.error());
  return link;
}

std::string FastLink::server_address() const { return kServerAddress; }

}  // namespace arkvory::bench
