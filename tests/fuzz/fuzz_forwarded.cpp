// SPDX-License-Identifier: Apache-2.0
// Each line: a Forwarded field.
#include <string>

#include "server-stub/http/forwarded.h"
#include "server-stub/http/trusted_proxies.h"
#include "tests/fuzz/fuzz_target.h"

using namespace arkvory;
using namespace arkvory::server;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TrustedProxies proxies({*Network::parse("10.0.0.0/8"), *Network::parse("2001:db8::/32")});
  static const auto proxy = *IpAddress::parse("10.0.0.1");
  static const auto stranger = *IpAddress::parse("192.0.2.1");
  auto rest = fuzz::as_text(data, size);
  Headers fields;
  std::string joined;
  while (!rest.empty()) {
    const auto line = fuzz::take_line(rest);
    fields.add("Forwarded", std::string(line));
    joined.append(joined.empty() ? "" : ", ").append(line);
  }
  Headers one;
  one.add("Forwarded", joined);

  const auto path = forwarded_for(fields);
  if (path) ensure(forwarded_for(one) == path, "several fields are one list");
  ensure(proxies.client_of(stranger, fields) == stranger, "a stranger is not believed");
  const auto client = proxies.client_of(proxy, fields);
  bool is_told = client == proxy;
  for (const auto& node : path.value_or(std::vector<std::optional<IpAddress>>())) is_told = is_told || node == client;
  ensure(is_told, "the client is the proxy or a machine of its path");
  ensure(IpAddress::parse(client.who().substr(0, client.who().find('/'))).has_value(),
         "a client is told by an address");
  return 0;
}
