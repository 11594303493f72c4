// SPDX-License-Identifier: Apache-2.0
// One client's connection: reads a request, has it answered, and again (pipelined requests one after another).
//
// Bytes held per connection: at most 16 KiB received and not yet understood, one request, and what its Sender holds
// while an answer runs (sender.h). While an answer runs nothing is read. While a request is held for its turn only the
// client's leaving is watched for: one that closes its sending end is taken for gone, for it can't be told apart.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "server-stub/http/header_block.h"
#include "server-stub/http/limits.h"
#include "server-stub/http/log.h"
#include "server-stub/http/mishaps.h"
#include "server-stub/http/operator_access.h"
#include "server-stub/http/operator_routes.h"
#include "server-stub/http/pacer.h"
#include "server-stub/http/patience.h"
#include "server-stub/http/queue_desk.h"
#include "server-stub/http/readiness.h"
#include "server-stub/http/request_parser.h"
#include "server-stub/http/routes.h"
#include "server-stub/http/sender.h"
#include "server-stub/http/server_counts.h"
#include "server-stub/http/trusted_proxies.h"
#include "server-stub/http/wire.h"
#include "server-stub/objects/object_store.h"
#include "server-stub/objects/worker_pool.h"

namespace arkvory::server {

class Connection;

// What all connections of a server share.
struct ConnectionContext {
  ObjectStore& store;
  const Clock& clock;
  WorkerPool& workers;
  const Limits& limits;
  LineWriter* access_lines;  // may be null
  LogForm access_form;
  const Principals& principals;
  const ControlKeys& control_keys;
  const std::optional<TlsContext>& tls;  // what new connections show; none: in plain
  QueueDesk& desk;
  Pacer* pacer;      // null: no rate to keep
  Mishaps* mishaps;  // null: none
  std::function<Readiness()> readiness{};
  // Answers the operator API: calls back once, later.
  std::function<void(const OperatorRequest&, const std::string& body, std::function<void(Answer)>)> operate{};
  std::function<Answer()> metrics{};
  ServerCounts counts{};
  TrustedProxies trusted_proxies{};

  std::unordered_set<std::shared_ptr<Connection>> open{};
  std::optional<Instant> cut_at{};       // while stopping: when what still runs is cut
  std::function<void()> on_last_gone{};  // while stopping: the last connection has ended

  bool is_stopping() const { return cut_at.has_value(); }
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, ConnectionContext& context);

  void start();
  // The server stops: ends the connection if it is idle. Otherwise what runs or has come in is answered first.
  void begin_stop();
  // At once, whatever runs.
  void cut();

  // Someone waits to change a file.
  void give_way() { sender_.pages().give_way(); }

  bool is_answering() const { return is_answering_; }

 private:
  void on_greeted(const Wire::Error& error);
  void await_request(Duration patience);
  void read_some();
  void on_received(const Wire::Error& error, std::size_t count);
  void look_at_received();
  void take_request(const HeaderBlock& block);
  void ask_for_body();
  void take_body();
  void refuse(int status, const char* code, std::string_view detail);

  void answer_request();
  void operate(const OperatorRequest& asked);
  std::optional<Answer> answer_at_once(Routed& routed);
  Answer metrics();
  void look_up(ObjectRequest asked);
  std::optional<Result<FoundObject>> look_into_memory(const RelativePath& path, const SessionKey& key);
  void look_up_on_disk(ObjectRequest asked, const SessionKey& key, std::optional<ChangedObject> change);
  Answer answer_for(const ObjectRequest& asked, Result<FoundObject> found,
                    const std::optional<ChangedObject>& change) const;
  void on_looked_up(const ObjectRequest& asked, const SessionKey& key, Answer answer);
  Answer shutting_down();
  SessionKey session_key(const ObjectRequest& asked);
  void watch_held_client();
  void resume(Admitted admitted);
  void send(Answer answer) { send(Admitted{std::move(answer)}); }
  void send(Admitted admitted);
  void send_disturbed(Admitted admitted, const Disturbance& disturbance);
  void on_sent(const Sender::Outcome& outcome);
  void log_answer(const Sender::Outcome& outcome) const;

  void leave(const Wire::Error& why = {});
  void give_up_after(Duration patience) { patience_.set(patience, shared_from_this()); }
  void close_gently();
  void drain();
  void reset_by(Instant latest);

  Wire wire_;
  Patience patience_;  // with the client's part; the sender has its own
  ConnectionContext& context_;
  Sender sender_;

  std::array<char, 4096> incoming_;
  std::string received_;  // not yet understood
  std::optional<RequestParser> parser_;
  bool is_head_begun_ = false;
  bool is_answering_ = false;
  bool is_leaving_ = false;  // as soon as all that was sent has arrived
  bool is_closed_ = false;

  std::optional<QueueDesk::HoldId> hold_;  // while the request waits for its turn here
  bool has_permit_ = false;                // the answer under way
  std::optional<Instant> small_since_;     // likewise: when it began, where it needed no seat

  Request request_;
  Instant begun_{};             // when the request was whole
  int status_ = 0;              // of the answer under way
  bool ends_in_reset_ = false;  // likewise: a mishap, where it ends early
  bool keep_alive_ = false;     // as the answer under way says
};

}  // namespace arkvory::server
