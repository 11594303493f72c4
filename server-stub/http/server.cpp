// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/wide.h"
#include "server-stub/http/connection.h"
#include "server-stub/http/desk_driver.h"
#include "server-stub/http/live_settings.h"
#include "server-stub/http/metrics.h"
#include "server-stub/http/mishaps.h"
#include "server-stub/http/operator_desk.h"
#include "server-stub/http/pacer.h"
#include "server-stub/http/queue_desk.h"
#include "server-stub/objects/worker_pool.h"

namespace arkvory::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

bool ran_out(const error_code& error) {
  return error == asio::error::no_descriptors || error == asio::error::no_memory ||
         error == asio::error::no_buffer_space || error == boost::system::errc::too_many_files_open_in_system;
}

// Made anew for each process, from what nobody can guess.
SipKey fresh_hash_key() {
  const auto bytes = TicketKey::fresh().reveal();
  SipKey key;
  std::memcpy(&key.first, bytes.data(), sizeof key.first);
  std::memcpy(&key.second, bytes.data() + sizeof key.first, sizeof key.second);
  return key;
}

// As they are stored, before anything is decided by them.
const SchedulerSettings& settings_at_start(LiveSettings& live, SettingsStore& store) {
  live.take(stored_settings(store, live.environment()));
  return live.in_force();
}

BandwidthOrder order_of(const SchedulerSettings& settings) {
  return settings.strategy == Strategy::shared ? BandwidthOrder::equal : settings.bandwidth_order;  // O1
}

template <typename Value>
std::optional<Result<Value>> read_again(const std::function<Result<Value>()>& reader) {
  if (!reader) return std::nullopt;
  return reader();
}

// Bytes a second, never none.
std::uint64_t part_of(std::uint64_t rate, std::uint32_t millionths) {
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(static_cast<Wide>(rate) * millionths / 1'000'000U), 1);
}

}  // namespace

class Server::Loop {
 public:
  Loop(const ServerSettings& settings, const ServerParts& parts)
      : settings_(settings),
        parts_(parts),
        principals_(parts.principals),
        control_keys_(parts.control_keys),
        tls_(parts.tls),
        live_(settings.scheduler),
        desk_(settings_at_start(live_, parts.state), parts.clock, fresh_hash_key(),
              end_of_grace(parts.state, parts.clock, live_.in_force().restart_grace)),
        guard_(io_.get_executor()),
        acceptor_(io_),
        accept_timer_(io_),
        stop_timer_(io_),
        signals_(io_),
        reload_signals_(io_),
        wanted_files_(io_, kFileWanted),
        workers_(settings.limits.workers),
        driver_(io_, workers_, desk_, parts.state, parts.clock, parts.log),
        operators_(io_, workers_, parts.state, parts.clock, parts.log, live_, parts.principals,
                   {[this](const SchedulerSettings& changed) { apply(changed); },
                    [this](const Principals& changed) { principals_ = changed; }}),
        context_{parts.store,
                 parts.clock,
                 workers_,
                 settings_.limits,
                 parts.access_lines,
                 parts.access_form,
                 principals_,
                 control_keys_,
                 tls_,
                 desk_,
                 nullptr,
                 nullptr} {
    if (parts.mishaps) context_.mishaps = &mishaps_.emplace(*parts.mishaps, parts.log);
    const auto& scheduler = live_.in_force();
    if (const auto rate = scheduler.bandwidth)
      context_.pacer =
          &pacer_.emplace(io_.get_executor(), parts.clock, *rate, scheduler.bandwidth_floor, order_of(scheduler));
    context_.trusted_proxies = settings.trusted_proxies;
    context_.readiness = [this] { return readiness(); };
    context_.operate = [this](const OperatorRequest& asked, const std::string& body,
                              std::function<void(Answer)> reply) { operators_.answer(asked, body, std::move(reply)); };
    context_.metrics = [this] {
      return metrics_answer({desk_, context_.counts, driver_.ticks(), context_.open.size()});
    };
    context_.on_last_gone = [this] { io_.stop(); };
  }

  // What the workers hold goes back to the loop before it ends.
  ~Loop() { workers_.finish(Duration::max() / 4); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Result<ListenAddress> listen(const ListenAddress& address) {
    const tcp::endpoint wanted(asio::ip::make_address(address.host), address.port);
    error_code error;
    acceptor_.open(wanted.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(wanted, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) return fail(Fault::local, "can't listen on " + address.url(tls_.has_value()), error.message());
    await_wanted_file();
    driver_.start([this] { limit_outside(); });
    operators_.start();
    auto taken = address;
    taken.port = acceptor_.local_endpoint(error).port();
    accept();
    return taken;
  }

  void stop_on_signals() {
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    await_signal();
    reload_signals_.add(SIGHUP);
    await_reload();
  }

  bool run() {
    io_.run();
    return workers_.finish(std::chrono::seconds(1));
  }

  void post_stop() {
    asio::post(io_, [this] { begin_stop(); });
  }

 private:
  void accept() {
    acceptor_.async_accept(
        [this](const error_code& error, tcp::socket socket) { on_accepted(error, std::move(socket)); });
  }

  void on_accepted(const error_code& error, tcp::socket socket) {
    if (context_.is_stopping()) return;
    if (ran_out(error)) return accept_later(error);
    has_run_out_ = false;
    if (!error) std::make_shared<Connection>(std::move(socket), context_)->start();
    accept();
  }

  // The connection stays in the queue of the kernel: asking again at once would only spin.
  void accept_later(const error_code& error) {
    if (!has_run_out_) parts_.log.warn("accept_paused", {{"reason", error.message()}});
    has_run_out_ = true;
    accept_timer_.expires_after(settings_.limits.accept_pause);
    accept_timer_.async_wait([this](const error_code& cancelled) {
      if (!cancelled && !context_.is_stopping()) accept();
    });
  }

  void await_signal() {
    signals_.async_wait([this](const error_code& error, int) {
      if (error) return;
      if (context_.is_stopping()) return cut();
      begin_stop();
      await_signal();
    });
  }

  void await_wanted_file() {
    wanted_files_.async_wait([this](const error_code& error, int) {
      if (error) return;
      await_wanted_file();
      for (const auto& connection : everyone()) connection->give_way();
    });
  }

  void await_reload() {
    reload_signals_.async_wait([this](const error_code& error, int) {
      if (error) return;
      await_reload();
      if (is_reloading_) return;
      is_reloading_ = true;
      workers_.run([this] {
        asio::post(io_, [this, principals = read_again(parts_.reload_principals),
                         keys = read_again(parts_.reload_control_keys), tls = read_again(parts_.reload_tls),
                         mishaps = read_again(parts_.reload_mishaps)]() mutable {
          is_reloading_ = false;
          if (auto changed = reloaded("principals", std::move(principals))) operators_.take(std::move(*changed));
          if (auto changed = reloaded("control_keys", std::move(keys))) control_keys_ = std::move(*changed);
          if (auto changed = reloaded("certificate", std::move(tls))) tls_ = std::move(*changed);
          if (auto changed = reloaded("mishaps", std::move(mishaps))) mishaps_->replace(std::move(*changed));
        });
      });
    });
  }

  // What was read again, if anything; what can't be used is kept as it was, and the log says so.
  template <typename Value>
  std::optional<Value> reloaded(const std::string& name, std::optional<Result<Value>> read) {
    if (!read) return std::nullopt;
    if (!*read) {
      parts_.log.warn(name + "_kept", {{"problem", read->error().text()}});
      return std::nullopt;
    }
    parts_.log.info(name + "_reloaded");
    return std::move(**read);
  }

  // Without a restart, from the next decision on.
  void apply(const SchedulerSettings& changed) {
    desk_.change(changed);
    if (pacer_) pacer_->change(changed.bandwidth_floor, order_of(changed));
  }

  // W1: what began outside the window of its class, while others are there.
  void limit_outside() {
    const auto rate = live_.in_force().bandwidth;
    if (!pacer_ || !rate) return;
    const auto shares = desk_.outside_shares();
    for (std::size_t i = 0; i < shares.size(); ++i)
      pacer_->limit(i, shares[i] ? std::optional(part_of(*rate, *shares[i])) : std::nullopt);
  }

  // What is wrong is said without the path, which is in the log: everyone may read this.
  Readiness readiness() const {
    const auto& scheduler = desk_.scheduler();
    Readiness ready{scheduler.active(), scheduler.waiting(), desk_.held(), driver_.last_tick(), parts_.has_state};
    if (!driver_.problem().empty() || live_.is_store_failing())
      ready.problem = "the state folder can't be used; the log says why";
    ready.settings_problem = live_.problem();
    return ready;
  }

  void begin_stop() {
    if (context_.is_stopping()) return;
    context_.cut_at = parts_.clock.now() + settings_.stop_timeout;
    error_code ignored;
    acceptor_.close(ignored);
    accept_timer_.cancel();
    const auto open = everyone();
    const auto running = std::count_if(open.begin(), open.end(), [](const auto& one) { return one->is_answering(); });
    parts_.log.info("stopping", {{"running", static_cast<std::uint64_t>(running)}});
    stop_timer_.expires_after(settings_.stop_timeout);
    stop_timer_.async_wait([this](const error_code& cancelled) {
      if (!cancelled) cut();
    });
    desk_.stop(settings_.stop_timeout);
    for (const auto& connection : open) connection->begin_stop();
    if (context_.open.empty()) io_.stop();
  }

  void cut() {
    const auto open = everyone();
    if (!open.empty()) parts_.log.warn("cut", {{"connections", static_cast<std::uint64_t>(open.size())}});
    for (const auto& connection : open) connection->cut();
    if (context_.open.empty()) io_.stop();
  }

  // A copy: connections leave the set as they end.
  std::vector<std::shared_ptr<Connection>> everyone() const { return {context_.open.begin(), context_.open.end()}; }

  const ServerSettings settings_;
  const ServerParts parts_;
  Principals principals_;
  ControlKeys control_keys_;
  std::optional<TlsContext> tls_;
  LiveSettings live_;
  QueueDesk desk_;  // before the loop: what connections still hold at the end goes back to it
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  tcp::acceptor acceptor_;
  asio::steady_timer accept_timer_;
  asio::steady_timer stop_timer_;
  asio::signal_set signals_;
  asio::signal_set reload_signals_;
  asio::signal_set wanted_files_;
  bool is_reloading_ = false;
  bool has_run_out_ = false;
  WorkerPool workers_;
  DeskDriver driver_;
  OperatorDesk operators_;
  std::optional<Pacer> pacer_;
  std::optional<Mishaps> mishaps_;
  ConnectionContext context_;
};

Server::Server(const ServerSettings& settings, const ServerParts& parts)
    : loop_(std::make_unique<Loop>(settings, parts)) {}
Server::~Server() = default;

Result<ListenAddress> Server::listen(const ListenAddress& address) { return loop_->listen(address); }
void Server::stop_on_signals() { loop_->stop_on_signals(); }
bool Server::run() { return loop_->run(); }
void Server::stop() { loop_->post_stop(); }

}  // namespace arkvory::server
