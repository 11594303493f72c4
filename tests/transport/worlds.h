// SPDX-License-Identifier: Apache-2.0
// The two places where the Transport's contract is kept: libcurl against sockets, and the simulated network. A world
// has one origin that answers by path as it was told.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/http/curl_transport.h"
#include "core/http/transport.h"
#include "tests/sim/simulated_network.h"
#include "tests/sim/virtual_clock.h"
#include "tests/support/raw_origin.h"

namespace arkvory::test {

struct Script {
  int status = 200;
  Headers headers{};  // without Content-Length
  std::string body{};
  std::optional<std::uint64_t> breaks_after{};  // body bytes
  bool stalls = false;                          // at the break: silent, where false: closed
};

using Scripts = std::map<std::string, Script>;  // by target

// A transport for loopback, whatever proxy the environment of the tests names.
std::unique_ptr<Transport> make_loopback_transport(const Clock& clock, TransportOptions options = {});

// What the origin was asked.
struct Asked {
  std::string method;
  std::string target;
  Headers headers;
};

class OverCurl {
 public:
  explicit OverCurl(Scripts scripts);

  Transport& transport() { return *transport_; }
  const Clock& clock() const { return clock_; }
  std::string url(const std::string& path) const { return origin_.url(path); }
  std::string dead_url() const;
  std::string unnamed_url() const { return "http://nobody.invalid/"; }
  std::vector<Asked> asked() const;

 private:
  SystemClock clock_;
  Scripts scripts_;
  std::unique_ptr<Transport> transport_;
  RawOrigin origin_;
};

class OverSimulation final : private sim::SimServer {
 public:
  explicit OverSimulation(Scripts scripts);

  Transport& transport() { return network_; }
  const Clock& clock() const { return clock_; }
  std::string url(const std::string& path) const { return "http://origin.example" + path; }
  std::string dead_url() const { return "http://dead.example/"; }
  std::string unnamed_url() const { return "http://nobody.invalid/"; }
  std::vector<Asked> asked() const { return asked_; }

 private:
  class Dead final : public sim::SimServer {
   public:
    sim::SimAnswer answer(const sim::SimRequest& request) override;
  };

  sim::SimAnswer answer(const sim::SimRequest& request) override;

  sim::VirtualClock clock_;
  Scripts scripts_;
  std::vector<Asked> asked_;
  Dead dead_;
  sim::SimulatedNetwork network_;
};

}  // namespace arkvory::test
