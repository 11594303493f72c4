// SPDX-License-Identifier: Apache-2.0
#include "tests/server/stub.h"

#include <nlohmann/json.hpp>

namespace arkvory::test {

Reply Stub::ask(std::string_view method, std::string_view target, std::string_view headers) const {
  if (!is_secure) return test::ask(port, method, target, headers);
  RawClient client(port, {});
  client.send(request(method, target, headers));
  return client.read_reply(method != "HEAD");
}

std::uint64_t Stub::ready(const char* name) const {
  return nlohmann::json::parse(ask("GET", "/readyz").body).at(name).get<std::uint64_t>();
}

bool Stub::comes_to(const char* name, std::uint64_t wanted, Duration patience) const {
  const SystemClock clock;
  for (const auto end = clock.now() + patience; clock.now() < end;)
    if (ready(name) == wanted) return true;
  return false;
}

}  // namespace arkvory::test
