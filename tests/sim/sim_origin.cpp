// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_origin.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/http/content_range.h"
#include "core/http/http_date.h"
#include "tests/support/pattern.h"

namespace arkvory::sim {

namespace {

std::string name_of(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::remove: return "DELETE";
  }
  return {};
}

SimAnswer with_status(int status, const Headers& headers, std::string body) {
  SimAnswer answer;
  answer.head.status = status;
  answer.head.headers = headers;
  if (!headers.has("Content-Length") && !headers.has("Transfer-Encoding"))
    answer.head.headers.add("Content-Length", std::to_string(body.size()));
  answer.body = SimBody::of(std::move(body));
  return answer;
}

}  // namespace

SimOrigin::SimOrigin(SimulatedNetwork& network, VirtualClock& clock, std::string origin)
    : network_(network), clock_(clock), origin_(std::move(origin)) {
  network_.connect(origin_, *this);
}

void SimOrigin::answer_next(int count, int status, const Headers& headers, std::string body) {
  for (int i = 0; i < count; ++i) scripted_.push_back(with_status(status, headers, body));
}

void SimOrigin::cut_next(int count, std::uint64_t after, std::optional<EndKind> as) {
  for (int i = 0; i < count; ++i) cuts_.push_back({after, as});
}

void SimOrigin::go_down() {
  is_down_ = true;
  network_.break_off(origin_, EndKind::cut);
}

void SimOrigin::down_between(Instant from, Instant to) {
  network_.at(from, [this] { go_down(); });
  network_.at(to, [this] { come_up(); });
}

std::uint64_t SimOrigin::bytes_sent() const {
  std::uint64_t sum = 0;
  for (const auto& entry : log_) sum += entry.bytes_sent;
  return sum;
}

SimAnswer SimOrigin::object_answer(const SimRequest& request, const Object& object, Entry& entry) const {
  const test::ObjectFacts facts{object.size, object.etag, object.last_modified, object.repr_digest, object.ranges};
  auto right = test::answer_for(facts, name_of(request.method), request.headers);
  entry.bytes = right.bytes;
  SimAnswer answer;
  answer.head.status = right.status;
  answer.head.headers = std::move(right.headers);
  if (!right.bytes) return answer;
  answer.body.length = right.bytes->length();
  answer.body.fill = [seed = object.seed, begin = right.bytes->begin()](std::uint64_t offset,
                                                                        std::span<std::byte> bytes) {
    test::fill_pattern(seed, begin + offset, bytes);
  };
  return answer;
}

SimAnswer SimOrigin::whole_answer(const SimRequest& request, Entry& entry) {
  if (!scripted_.empty()) {
    auto answer = std::move(scripted_.front());
    scripted_.pop_front();
    if (request.method == Method::head) answer.body = {};
    return answer;
  }
  if (request.method == Method::remove) return with_status(204, {}, {});
  const auto found = objects_.find(request.url.path());
  if (found == objects_.end()) return with_status(404, {}, {});
  return object_answer(request, found->second, entry);
}

SimAnswer SimOrigin::answer(const SimRequest& request) {
  Entry entry{request.number, request.time, request.method, request.url.path(), request.headers, 0, {}, 0};
  SimAnswer answer;
  if (is_down_) {
    answer.fails = EndKind::not_connected;
  } else {
    answer = whole_answer(request, entry);
    answer.head.headers.add("Date", format_http_date(clock_.wall_now()));
    answer.rate = rate_;
    answer.delay = delay_;
    if (!cuts_.empty() && answer.body.length > 0) {
      answer.cut_after = cuts_.front().after;
      answer.cut_as = cuts_.front().as;
      cuts_.pop_front();
    }
  }
  if (amendment_) amendment_(request, answer);
  if (!answer.fails && !answer.silent) entry.status = answer.head.status;
  const auto stated = ContentRange::parse(answer.head.headers.first("Content-Range").value_or(""));
  if (entry.bytes && stated && stated->range) entry.bytes = stated->range;
  log_.push_back(std::move(entry));
  return answer;
}

void SimOrigin::sent(std::uint64_t number, std::uint64_t bytes) {
  const auto found =
      std::find_if(log_.rbegin(), log_.rend(), [&](const Entry& entry) { return entry.number == number; });
  if (found != log_.rend()) found->bytes_sent += bytes;
}

}  // namespace arkvory::sim
