// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/connection.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "core/base/ensure.h"
#include "server-stub/http/framing.h"
#include "server-stub/http/queue_view.h"

namespace arkvory::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Bytes of later requests that are taken while a request is held.
constexpr std::size_t kMostHeldAhead = 16 * 1024;

}  // namespace

Connection::Connection(tcp::socket socket, ConnectionContext& context)
    : wire_(std::move(socket), context.tls),
      patience_(wire_.socket().get_executor(), context.clock, [this] { leave(); }),
      context_(context),
      sender_(wire_, context.workers, context.limits, context.clock, context.pacer, context.counts) {
  error_code ignored;
  wire_.socket().set_option(tcp::no_delay(true), ignored);
}

void Connection::start() {
  context_.open.insert(shared_from_this());
  context_.counts.connections += 1;
  is_head_begun_ = true;  // a new connection owes its first request at once
  give_up_after(context_.limits.header_time);
  wire_.greet([self = shared_from_this()](const error_code& error) { self->on_greeted(error); });
}

void Connection::on_greeted(const error_code& error) {
  if (is_closed_) return;
  if (!error) return look_at_received();
  context_.counts.failed_handshakes += 1;
  close_gently();
}

void Connection::await_request(Duration patience) {
  parser_.reset();
  give_up_after(patience);
  look_at_received();
}

void Connection::read_some() {
  wire_.read_some(asio::buffer(incoming_), [self = shared_from_this()](const error_code& error, std::size_t count) {
    self->on_received(error, count);
  });
}

// A client that closes its end before a request is whole has nothing to be told.
void Connection::on_received(const error_code& error, std::size_t count) {
  if (is_closed_) return;
  if (error) return leave(error);
  received_.append(incoming_.data(), count);
  if (parser_) return take_body();
  look_at_received();
}

void Connection::look_at_received() {
  const auto block = inspect(received_);
  switch (block.state) {
    case BlockState::complete: return take_request(block);
    case BlockState::malformed:
      return refuse(400, "invalid_request", "a bare line feed, a NUL or a folded line in the header block");
    case BlockState::target_too_long: return refuse(414, "too_large", "the request target is longer than 4096 bytes");
    case BlockState::block_too_long: return refuse(431, "too_large", "the header block is longer than 8192 bytes");
    case BlockState::incomplete: break;
  }
  received_.erase(0, block.begin);
  if (!received_.empty() && !is_head_begun_) {
    is_head_begun_ = true;
    give_up_after(context_.limits.header_time);
  }
  read_some();
}

void Connection::take_request(const HeaderBlock& block) {
  parser_.emplace();
  const auto state = parser_->take_head(std::string_view(received_).substr(block.begin, block.end - block.begin));
  received_.erase(0, block.end);
  if (state == ParseState::malformed) return refuse(400, "invalid_request", "the header block can't be understood");
  if (state == ParseState::body_too_large) return refuse(413, "too_large", "the body is longer than 65536 bytes");
  request_ = parser_->request();
  if (const auto fault = framing_fault(request_); !fault.empty()) return refuse(400, "invalid_request", fault);
  if (state == ParseState::whole) return answer_request();
  const bool is_kept = needs_body(request_, context_.control_keys);
  if (is_kept) parser_->keep_body();
  // Of a body that means nothing the final answer is the word that the client waits for.
  if (parser_->expects_continue() && !is_kept) {
    request_.keep_alive = false;
    return answer_request();
  }
  give_up_after(context_.limits.header_time);
  if (parser_->expects_continue() && received_.empty()) return ask_for_body();
  take_body();
}

void Connection::ask_for_body() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  wire_.write_some({asio::buffer(kContinue), {}},
                   [self = shared_from_this()](const error_code& error, std::size_t count) {
                     if (self->is_closed_) return;
                     // So few bytes always fit into a socket that has sent all that came before them.
                     if (error || count != kContinue.size()) return self->cut();
                     self->take_body();
                   });
}

void Connection::take_body() {
  std::size_t taken = 0;
  const auto state = received_.empty() ? ParseState::needs_body : parser_->take_body(received_, taken);
  received_.erase(0, taken);
  if (state == ParseState::malformed) return refuse(400, "invalid_request", "the body can't be understood");
  if (state == ParseState::body_too_large) return refuse(413, "too_large", "the body is longer than 65536 bytes");
  if (state == ParseState::whole) {
    request_.body = parser_->take_kept_body();
    return answer_request();
  }
  if (received_.size() > kLongestHeaderBlock) return refuse(400, "invalid_request", "the body can't be understood");
  read_some();
}

// For a request that could not be read to its end: where the next one would begin is not known.
void Connection::refuse(int status, const char* code, std::string_view detail) {
  request_ = Request{};
  request_.keep_alive = false;
  begun_ = context_.clock.now();
  is_answering_ = true;
  patience_.clear();
  send(refusal(status, code, std::string(detail)));
}

void Connection::answer_request() {
  parser_.reset();  // a request may be held for long, and needs no more of it
  begun_ = context_.clock.now();
  is_answering_ = true;
  patience_.clear();
  if (context_.is_stopping()) return send(shutting_down());
  auto routed = route(request_, context_.principals, context_.control_keys);
  if (auto answer = answer_at_once(routed)) return send(std::move(*answer));
  if (const auto* asked = std::get_if<OperatorRequest>(&routed)) return operate(*asked);
  auto& asked = std::get<ObjectRequest>(routed);
  if (asked.action == Action::cancel) return send(context_.desk.cancel(asked));
  look_up(std::move(asked));
}

void Connection::operate(const OperatorRequest& asked) {
  const auto body = std::exchange(request_.body, {});
  context_.operate(asked, body, [self = shared_from_this()](Answer answer) {
    answer.is_body_sent = self->request_.method != "HEAD";
    self->send(std::move(answer));
  });
}

// What needs neither the files nor the store.
std::optional<Answer> Connection::answer_at_once(Routed& routed) {
  if (auto* answer = std::get_if<Answer>(&routed)) return std::move(*answer);
  std::optional<Answer> answer;
  if (std::holds_alternative<ReadinessRequest>(routed)) answer = readiness_answer(context_.readiness());
  if (std::holds_alternative<MetricsRequest>(routed)) answer = metrics();
  if (std::holds_alternative<QueueViewRequest>(routed)) answer = queue_view_answer(context_.desk, context_.clock);
  if (answer) answer->is_body_sent = request_.method != "HEAD";
  return answer;
}

Answer Connection::metrics() {
  auto refused = metrics_refusal(request_, context_.control_keys, wire_.peer().is_loopback());
  return refused ? std::move(*refused) : context_.metrics();
}

Answer Connection::shutting_down() {
  request_.keep_alive = false;
  auto answer = busy("shutting_down", "the server is stopping", *context_.cut_at - context_.clock.now());
  answer.is_body_sent = request_.method != "HEAD";
  return answer;
}

void Connection::look_up(ObjectRequest asked) {
  const auto change = context_.mishaps == nullptr ? std::nullopt : context_.mishaps->look_up(request_);
  const auto key = session_key(asked);
  if (const auto* path = std::get_if<RelativePath>(&asked.object))
    if (auto found = look_into_memory(*path, key))
      return on_looked_up(asked, key, answer_for(asked, std::move(*found), change));
  look_up_on_disk(std::move(asked), key, change);
}

// Most questions of those who wait are for what is in memory.
std::optional<Result<FoundObject>> Connection::look_into_memory(const RelativePath& path, const SessionKey& key) {
  const auto now = context_.clock.now();
  if (context_.desk.has_to_wait(key))
    if (auto file = context_.store.found_lately(path, now)) return Result<FoundObject>(std::move(file));
  return context_.store.open_cached(path, now);
}

// On a worker: it waits for the disk. The request stays as it is meanwhile, and this connection goes back with the
// answer, so that it never ends on the worker.
void Connection::look_up_on_disk(ObjectRequest asked, const SessionKey& key, std::optional<ChangedObject> change) {
  context_.workers.run([self = shared_from_this(), asked = std::move(asked), key, change]() mutable {
    auto& context = self->context_;
    auto found = std::visit([&context](const auto& object) { return context.store.open(object); }, asked.object);
    auto answer = self->answer_for(asked, std::move(found), change);
    const auto executor = self->wire_.socket().get_executor();
    asio::post(executor, [held = std::move(self), asked = std::move(asked), key, answer = std::move(answer)]() mutable {
      auto& connection = *held;
      connection.on_looked_up(asked, key, std::move(answer));
    });
  });
}

// Also on a worker.
Answer Connection::answer_for(const ObjectRequest& asked, Result<FoundObject> found,
                              const std::optional<ChangedObject>& change) const {
  if (change && found) found = changed_object(std::move(*found), *change);
  const auto* file = found ? std::get_if<std::shared_ptr<ObjectFile>>(&*found) : nullptr;
  const auto digest = file == nullptr ? std::nullopt : context_.store.digest_of((*file)->identity());
  return answer_object(request_, asked, found, digest, context_.clock.wall_now());
}

// The queue comes after everything that may be refused (S3), and only for an object's bytes.
void Connection::on_looked_up(const ObjectRequest& asked, const SessionKey& key, Answer answer) {
  if (is_closed_) return;
  if (context_.is_stopping()) return send(shutting_down());
  if (!answer.file || !answer.is_body_sent || answer.file->begin == answer.file->end) return send(std::move(answer));
  auto decided = context_.desk.admit(asked, key, std::move(answer), [self = shared_from_this()](Admitted admitted) {
    self->resume(std::move(admitted));
  });
  if (auto* admitted = std::get_if<Admitted>(&decided)) return send(std::move(*admitted));
  hold_ = std::get<QueueDesk::HoldId>(decided);
  patience_.release();  // the hold ends by itself, and may last: nothing is kept for it
  watch_held_client();
}

SessionKey Connection::session_key(const ObjectRequest& asked) {
  if (asked.id) return key_of(asked, {});
  return key_of(asked, context_.trusted_proxies.client_of(wire_.peer(), request_.headers).who());
}

void Connection::watch_held_client() {
  wire_.read_some(asio::buffer(incoming_), [self = shared_from_this()](const error_code& error, std::size_t count) {
    if (self->is_closed_) return;
    self->received_.append(self->incoming_.data(), count);
    if (!self->hold_) return;
    if (error) return self->leave(error);
    // One who sends on without end is no longer watched; its hold ends by itself.
    if (self->received_.size() < kMostHeldAhead) self->watch_held_client();
  });
}

void Connection::resume(Admitted admitted) {
  hold_.reset();
  wire_.cancel();  // the watch
  send(std::move(admitted));
}

void Connection::send(Admitted admitted) {
  if (is_closed_) return;
  has_permit_ = admitted.permit.has_value();
  small_since_.reset();
  if (has_permit_ && admitted.permit->is_small()) small_since_ = context_.clock.now();
  const auto disturbance = context_.mishaps == nullptr ? std::nullopt : context_.mishaps->befall(request_, admitted);
  auto& answer = admitted.answer;
  status_ = answer.status;
  context_.counts.answers[status_] += 1;
  keep_alive_ = request_.keep_alive && !answer.closes && !context_.is_stopping();
  ends_in_reset_ = false;
  if (disturbance) return send_disturbed(std::move(admitted), *disturbance);
  auto head = head_text(answer, keep_alive_, context_.clock.wall_now());
  sender_.send(std::move(head), std::move(answer), std::move(admitted.permit), shared_from_this(),
               [this](const Sender::Outcome& outcome) { on_sent(outcome); });
}

void Connection::send_disturbed(Admitted admitted, const Disturbance& disturbance) {
  ends_in_reset_ = disturbance.is_reset;
  // Later: the queue may be in the midst of letting requests in.
  if (disturbance.is_unanswered)
    return asio::post(wire_.socket().get_executor(), [self = shared_from_this()] { self->on_sent({}); });
  auto head = disturbed_head(head_text(admitted.answer, keep_alive_, context_.clock.wall_now()), disturbance);
  auto gate = std::make_shared<Gate>(wire_.socket(), context_.clock, send_plan(disturbance, head.size()));
  sender_.send(
      std::move(head), std::move(admitted.answer), std::move(admitted.permit), shared_from_this(),
      [this](const Sender::Outcome& outcome) { on_sent(outcome); }, std::move(gate));
}

void Connection::on_sent(const Sender::Outcome& outcome) {
  is_answering_ = false;
  if (small_since_) context_.desk.took(context_.clock.now() - *small_since_);
  if (has_permit_) context_.desk.settle();
  has_permit_ = false;
  log_answer(outcome);
  if (is_closed_) return;
  if (!outcome.is_complete && ends_in_reset_) return reset_by(context_.clock.now() + context_.limits.linger);
  if (!outcome.is_complete || !keep_alive_) return close_gently();
  is_head_begun_ = false;
  await_request(context_.is_stopping() ? context_.limits.last_request : context_.limits.idle_time);
}

void Connection::log_answer(const Sender::Outcome& outcome) const {
  if (context_.access_lines == nullptr) return;
  ServedAnswer served;
  served.time = context_.clock.wall_now();
  served.method = request_.method;
  served.target = request_.target;
  served.status = status_;
  served.range = request_.headers.first("Range").value_or("");
  served.body_sent = outcome.body_sent;
  served.duration = context_.clock.now() - begun_;
  context_.access_lines->write(access_line(context_.access_form, served));
}

}  // namespace arkvory::server
