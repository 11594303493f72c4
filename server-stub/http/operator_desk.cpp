// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/operator_desk.h"

#include <boost/asio/post.hpp>
#include <utility>
#include <variant>

namespace arkvory::server {
namespace {

// Both are read in one go.
struct Stored {
  Result<UnderstoodSettings> settings;
  Result<std::vector<AccountRecord>> accounts;
};

using ChangedSettings = std::variant<Answer, Changed<UnderstoodSettings>>;

Answer store_failed(const Error& error) { return refusal(500, "internal", error.words); }

// What follows waits for the disk, and is for a worker.

ChangedSettings change_stored(SettingsStore& store, const SchedulerSettings& environment, const std::string& body,
                              const std::string& who, WallTime now) {
  auto change = read_settings_change(body, environment);
  if (auto* refused = std::get_if<Answer>(&change)) return std::move(*refused);
  auto& [expected, overrides] = std::get<SettingsChange>(change);
  const auto changed = store.change_settings(expected, {0, std::move(overrides), who, now});
  if (!changed) return store_failed(changed.error());
  return Changed<UnderstoodSettings>{changed->is_made, understand(environment, changed->record)};
}

}  // namespace

Result<UnderstoodSettings> stored_settings(SettingsStore& store, const SchedulerSettings& environment) {
  const auto stored = store.settings();
  if (!stored) return pass_on(stored.error());
  return understand(environment, *stored);
}

OperatorDesk::OperatorDesk(boost::asio::io_context& io, WorkerPool& workers, Store& store, const Clock& clock, Log& log,
                           LiveSettings& live, Principals in_file, Hooks hooks)
    : io_(io),
      workers_(workers),
      store_(store),
      clock_(clock),
      log_(log),
      live_(live),
      in_file_(std::move(in_file)),
      hooks_(std::move(hooks)),
      timer_(io) {}

void OperatorDesk::start() {
  tell_problem();
  if (live_.record().revision > 0) tell_applied();
  take(store_.accounts());
  look_later();
}

// --- One job at a time ----------------------------------------------------------------------------------------------

template <typename Work, typename Then>
void OperatorDesk::run(Work work, Then then) {
  jobs_.push_back([this, work = std::move(work), then = std::move(then)]() mutable {
    workers_.run([this, work = std::move(work), then = std::move(then)]() mutable {
      boost::asio::post(io_, [this, done = work(), then = std::move(then)]() mutable {
        is_busy_ = false;
        then(std::move(done));
        run_next();
      });
    });
  });
  run_next();
}

void OperatorDesk::run_next() {
  if (is_busy_ || jobs_.empty()) return;
  is_busy_ = true;
  auto job = std::move(jobs_.front());
  jobs_.pop_front();
  job();
}

void OperatorDesk::look_later() {
  timer_.expires_after(kLookEvery);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) look();
  });
}

void OperatorDesk::look() {
  run(
      [this] {
        return Stored{stored_settings(store_, live_.environment()), store_.accounts()};
      },
      [this](const Stored& stored) {
        take(stored.settings);
        take(stored.accounts);
        look_later();
      });
}

// --- What is in force -----------------------------------------------------------------------------------------------

void OperatorDesk::take(const Result<UnderstoodSettings>& stored) {
  const bool is_newer = live_.take(stored);
  tell_problem();
  if (!is_newer) return;
  tell_applied();
  hooks_.apply_settings(live_.in_force());
}

void OperatorDesk::tell_applied() {
  log_.info("settings_applied", {{"revision", live_.record().revision}, {"by", live_.record().updated_by}});
}

void OperatorDesk::tell_problem() {
  auto problem = live_.problem();
  if (problem != told_problem_ && !problem.empty()) log_.warn("settings_problem", {{"problem", problem}});
  told_problem_ = std::move(problem);
}

// Where they can't be read, those that are known stay.
void OperatorDesk::take(const Result<std::vector<AccountRecord>>& stored) {
  if (!stored) return;
  bool has_changed = false;
  for (const auto& account : *stored) {
    auto& known = accounts_[account.name];
    if (account.revision <= known.revision) continue;
    known = account;
    has_changed = true;
  }
  if (has_changed) apply_accounts();
}

void OperatorDesk::take(Principals in_file) {
  in_file_ = std::move(in_file);
  apply_accounts();
}

void OperatorDesk::apply_accounts() {
  std::map<std::string, DownloadClass, std::less<>> classes;
  for (const auto& [name, account] : accounts_)
    if (account.own_class) classes.emplace(name, *account.own_class);
  hooks_.apply_principals(in_file_.with_classes(classes));
}

// --- Requests -------------------------------------------------------------------------------------------------------

void OperatorDesk::answer(const OperatorRequest& asked, const std::string& body, Reply reply) {
  switch (asked.call) {
    case OperatorCall::settings:
      return asked.is_change ? change_settings(asked, body, std::move(reply)) : answer_settings(std::move(reply));
    case OperatorCall::account:
      return asked.is_change ? change_account(asked, body, std::move(reply)) : answer_account(asked, std::move(reply));
  }
}

void OperatorDesk::reply_later(Answer answer, Reply reply) {
  boost::asio::post(io_,
                    [answer = std::move(answer), reply = std::move(reply)]() mutable { reply(std::move(answer)); });
}

void OperatorDesk::answer_settings(Reply reply) {
  run([this] { return stored_settings(store_, live_.environment()); },
      [this, reply = std::move(reply)](const Result<UnderstoodSettings>& stored) {
        take(stored);
        reply(json_answer(live_.to_json()));
      });
}

void OperatorDesk::change_settings(const OperatorRequest& asked, const std::string& body, Reply reply) {
  run([this, body, who = asked.who,
       now = clock_.wall_now()] { return change_stored(store_, live_.environment(), body, who, now); },
      [this, reply = std::move(reply)](ChangedSettings changed) {
        if (auto* refused = std::get_if<Answer>(&changed)) return reply(std::move(*refused));
        const auto& [is_made, stored] = std::get<Changed<UnderstoodSettings>>(changed);
        take(Result<UnderstoodSettings>(stored));
        reply(is_made ? json_answer(live_.to_json()) : revision_mismatch(stored.record.revision));
      });
}

void OperatorDesk::answer_account(const OperatorRequest& asked, Reply reply) {
  run([this] { return store_.accounts(); },
      [this, name = asked.account, reply = std::move(reply)](const Result<std::vector<AccountRecord>>& stored) {
        take(stored);
        reply(account_answer(name));
      });
}

void OperatorDesk::change_account(const OperatorRequest& asked, const std::string& body, Reply reply) {
  if (!in_file_.service(asked.account)) return reply_later(no_such_account(), std::move(reply));
  const auto change = read_account_change(body);
  if (const auto* refused = std::get_if<Answer>(&change)) return reply_later(*refused, std::move(reply));
  const auto& [expected, own_class] = std::get<AccountChange>(change);
  AccountRecord next{asked.account, own_class, 0, asked.who, clock_.wall_now()};
  run([this, expected = expected, next = std::move(next)] { return store_.change_account(expected, next); },
      [this, reply = std::move(reply)](const Result<Changed<AccountRecord>>& changed) {
        if (!changed) return reply(store_failed(changed.error()));
        const auto& record = changed->record;
        if (record.revision > 0) take(Result<std::vector<AccountRecord>>(std::vector{record}));
        if (changed->is_made)
          log_.info("account_changed",
                    {{"account", record.name}, {"revision", record.revision}, {"by", record.updated_by}});
        reply(changed->is_made ? account_answer(record.name) : revision_mismatch(record.revision));
      });
}

Answer OperatorDesk::account_answer(const std::string& name) const {
  const auto in_file = in_file_.service(name);
  if (!in_file) return no_such_account();
  const auto stored = accounts_.find(name);
  return server::account_answer(*in_file, stored == accounts_.end() ? AccountRecord{name} : stored->second);
}

}  // namespace arkvory::server
