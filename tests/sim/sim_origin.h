// SPDX-License-Identifier: Apache-2.0
// A correct origin in the simulated network, until a test makes it err.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_range.h"
#include "tests/sim/simulated_network.h"
#include "tests/support/object_answer.h"

namespace arkvory::sim {

class SimOrigin final : public SimServer {
 public:
  // An object of the bytes `test::pattern(seed, size)`.
  struct Object {
    std::uint64_t seed = 1;
    std::uint64_t size = 0;
    std::optional<std::string> etag = "\"v1\"";
    std::optional<std::string> last_modified = "Sun, 06 Nov 1994 08:49:37 GMT";
    std::optional<std::string> repr_digest{};
    bool ranges = true;
  };

  // One request as it was answered.
  struct Entry {
    std::uint64_t number = 0;  // over the whole network
    Instant time;
    Method method = Method::get;
    std::string path;                  // without the query
    Headers headers;                   // of the request
    int status = 0;                    // 0: no head
    std::optional<ByteRange> bytes{};  // of the object that the answer states
    std::uint64_t bytes_sent = 0;
  };

  // Is part of the network from now on, under `origin` (such as `http://files.example`). Must outlive its requests.
  SimOrigin(SimulatedNetwork& network, VirtualClock& clock, std::string origin);

  std::string url(std::string_view path) const { return origin_ + std::string(path); }

  // The object is there, or is another one, for requests from now on. Any other path is 404.
  void put(std::string path, Object object) { objects_[std::move(path)] = std::move(object); }
  void remove(const std::string& path) { objects_.erase(path); }

  // The next `count` requests get this answer, whatever they ask. Several calls queue up.
  void answer_next(int count, int status, const Headers& headers = {}, std::string body = {});
  // The next `count` answers with a body break off after `after` bytes; without a kind they fall silent there.
  void cut_next(int count, std::uint64_t after, std::optional<EndKind> as = EndKind::cut);
  // Bytes a second for each answer from now on; 0: no limit.
  void set_rate(std::uint64_t rate) { rate_ = rate; }
  // From a request's arrival to its head, from now on.
  void set_delay(Duration delay) { delay_ = delay; }
  // Nobody listens any more, and running requests are cut.
  void go_down();
  void come_up() { is_down_ = false; }
  void down_between(Instant from, Instant to);
  // The last word on each answer, for whatever the functions above can't say.
  void amend(std::function<void(const SimRequest&, SimAnswer&)> amendment) { amendment_ = std::move(amendment); }

  const std::vector<Entry>& log() const { return log_; }
  std::uint64_t bytes_sent() const;  // of all bodies

  SimAnswer answer(const SimRequest& request) override;
  void sent(std::uint64_t number, std::uint64_t bytes) override;

 private:
  struct Cut {
    std::uint64_t after;
    std::optional<EndKind> as;
  };

  SimAnswer whole_answer(const SimRequest& request, Entry& entry);
  SimAnswer object_answer(const SimRequest& request, const Object& object, Entry& entry) const;

  SimulatedNetwork& network_;
  VirtualClock& clock_;
  std::string origin_;
  std::map<std::string, Object> objects_;
  std::deque<SimAnswer> scripted_;
  std::deque<Cut> cuts_;
  std::function<void(const SimRequest&, SimAnswer&)> amendment_;
  std::vector<Entry> log_;
  std::uint64_t rate_ = 0;
  Duration delay_{};
  bool is_down_ = false;
};

}  // namespace arkvory::sim
