// SPDX-License-Identifier: Apache-2.0
#include "tests/transport/worlds.h"

#include <stdlib.h>

#include <utility>

#include "core/base/ensure.h"

namespace arkvory::test {

namespace {

Headers fields_of(const Script& script) {
  auto headers = script.headers;
  if (script.status != 204) headers.add("Content-Length", std::to_string(script.body.size()));
  return headers;
}

void play(const Script& script, const RawRequest& request, RawConnection& connection) {
  connection.send_head(script.status, fields_of(script));
  if (request.method == "HEAD") return;
  connection.send(std::string_view(script.body).substr(0, script.breaks_after.value_or(script.body.size())));
  if (!script.breaks_after) return;
  if (script.stalls) return connection.stall();
  connection.close();
}

std::string name_of(Method method) {
  if (method == Method::head) return "HEAD";
  return method == Method::remove ? "DELETE" : "GET";
}

}  // namespace

std::unique_ptr<Transport> make_loopback_transport(const Clock& clock, TransportOptions options) {
  ensure(setenv("no_proxy", "*", 1) == 0, "a test can change its environment");
  return make_curl_transport(clock, std::move(options));
}

OverCurl::OverCurl(Scripts scripts)
    : scripts_(std::move(scripts)),
      transport_(make_loopback_transport(clock_)),
      origin_([this](const RawRequest& request, RawConnection& connection) {
        play(scripts_.at(request.target), request, connection);
      }) {}

std::string OverCurl::dead_url() const { return "http://127.0.0.1:" + std::to_string(closed_port()) + "/"; }

std::vector<Asked> OverCurl::asked() const {
  std::vector<Asked> result;
  for (const auto& one : origin_.served())
    result.push_back({one.request.method, one.request.target, one.request.headers});
  return result;
}

OverSimulation::OverSimulation(Scripts scripts) : scripts_(std::move(scripts)), network_(clock_, 1) {
  network_.connect("http://origin.example", *this);
  network_.connect("http://dead.example", dead_);
}

sim::SimAnswer OverSimulation::Dead::answer(const sim::SimRequest& /*request*/) {
  sim::SimAnswer answer;
  answer.fails = EndKind::not_connected;
  return answer;
}

sim::SimAnswer OverSimulation::answer(const sim::SimRequest& request) {
  asked_.push_back({name_of(request.method), request.url.path() + request.url.query(), request.headers});
  const auto& script = scripts_.at(asked_.back().target);
  sim::SimAnswer answer;
  answer.head.status = script.status;
  answer.head.headers = fields_of(script);
  if (request.method != Method::head) answer.body = sim::SimBody::of(script.body);
  answer.cut_after = script.breaks_after;
  if (script.stalls) answer.cut_as = std::nullopt;
  return answer;
}

}  // namespace arkvory::test
