// SPDX-License-Identifier: Apache-2.0
#include "core/http/curl_transport.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/ensure.h"
#include "core/http/curl_transfer.h"

namespace arkvory {

namespace {

// The clock is asked again at least this often, whatever the deadline: timers don't count all that passes.
constexpr auto longest_step = std::chrono::seconds(60);
// Handles kept for later requests. More than any number of connections we open at once.
constexpr std::size_t idle_handles_max = 32;

struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

void initialise_library() {
  static const auto code = curl_global_init(CURL_GLOBAL_DEFAULT);
  ensure(code == CURLE_OK, "libcurl can be initialised");
}

// A timer on the boot clock. A poll's own time-out stands still while the machine is suspended; this one has expired
// when it wakes, so the wait ends at once.
class BootTimer {
 public:
  BootTimer() : descriptor_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {}
  ~BootTimer() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  BootTimer(const BootTimer&) = delete;
  BootTimer& operator=(const BootTimer&) = delete;

  int descriptor() const { return descriptor_; }
  // Becomes readable after `delay`, which is positive. Setting it anew makes it unreadable again.
  void set(Duration delay) {
    if (descriptor_ < 0) return;
    const auto whole = std::chrono::floor<std::chrono::seconds>(delay);
    itimerspec when{};
    when.it_value.tv_sec = whole.count();
    when.it_value.tv_nsec = (delay - whole).count();
    timerfd_settime(descriptor_, 0, &when, nullptr);
  }

 private:
  int descriptor_;
};

class CurlTransport final : public Transport {
 public:
  CurlTransport(const Clock& clock, TransportOptions options) : clock_(clock), shared_{std::move(options)} {
    initialise_library();
    multi_.reset(curl_multi_init());
    ensure(multi_ != nullptr, "libcurl gives a multi handle");
  }

  ~CurlTransport() override {
    for (const auto& [id, transfer] : transfers_)
      if (transfer->handle() != nullptr) curl_multi_remove_handle(multi_.get(), transfer->handle());
  }

  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  TransferId start(const Request& request, ResponseSink& sink) override;
  void limit_rate(TransferId id, std::uint64_t rate_limit) override;
  void cancel(TransferId id) override;
  void wait_until(Instant deadline) override;
  void wake() override;

 private:
  struct Failed {
    TransferId id;
    TransferEnd end;
  };

  CurlEasy take_handle();
  void keep_handle(CurlEasy handle);
  std::unique_ptr<CurlTransfer> withdraw(TransferId id);
  bool make_progress();
  void finish(CURL* handle, CURLcode code);
  void end_failed();
  bool poll(Duration left);

  const Clock& clock_;
  CurlShared shared_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::unordered_map<TransferId, std::unique_ptr<CurlTransfer>> transfers_;
  std::unordered_map<CURL*, TransferId> ids_;
  std::vector<Failed> failed_;  // requests that never reached libcurl, for the next wait
  std::vector<CurlEasy> idle_;
  BootTimer timer_;
  std::atomic<bool> woken_ = false;
  TransferId last_id_ = 0;
  bool waiting_ = false;
};

CurlEasy CurlTransport::take_handle() {
  if (idle_.empty()) return CurlEasy(curl_easy_init());
  auto handle = std::move(idle_.back());
  idle_.pop_back();
  return handle;
}

void CurlTransport::keep_handle(CurlEasy handle) {
  if (handle && idle_.size() < idle_handles_max) idle_.push_back(std::move(handle));
}

TransferId CurlTransport::start(const Request& request, ResponseSink& sink) {
  ensure(!waiting_, "no request is started from a call-back");
  const auto id = ++last_id_;
  auto transfer = std::make_unique<CurlTransfer>(take_handle(), request, shared_, sink);
  if (transfer->unfit()) {
    failed_.push_back({id, *transfer->unfit()});
  } else if (const auto code = curl_multi_add_handle(multi_.get(), transfer->handle()); code != CURLM_OK) {
    failed_.push_back({id, {EndKind::internal, curl_multi_strerror(code), 0}});
  } else {
    ids_.emplace(transfer->handle(), id);
  }
  transfers_.emplace(id, std::move(transfer));
  return id;
}

std::unique_ptr<CurlTransfer> CurlTransport::withdraw(TransferId id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return nullptr;
  auto transfer = std::move(found->second);
  transfers_.erase(found);
  if (ids_.erase(transfer->handle()) != 0) curl_multi_remove_handle(multi_.get(), transfer->handle());
  return transfer;
}

void CurlTransport::limit_rate(TransferId id, std::uint64_t rate_limit) {
  const auto found = transfers_.find(id);
  if (found != transfers_.end()) found->second->limit_rate(rate_limit);
}

void CurlTransport::cancel(TransferId id) {
  ensure(!waiting_, "no request is cancelled from a call-back");
  std::erase_if(failed_, [&](const Failed& failed) { return failed.id == id; });
  if (const auto transfer = withdraw(id)) keep_handle(transfer->release_handle());
}

void CurlTransport::finish(CURL* handle, CURLcode code) {
  const auto found = ids_.find(handle);
  ensure(found != ids_.end(), "libcurl finishes only what was started");
  auto& transfer = *transfers_.at(found->second);
  if (transfer.is_to_go_again(code)) {
    transfer.go_again();
    curl_multi_remove_handle(multi_.get(), handle);
    ensure(curl_multi_add_handle(multi_.get(), handle) == CURLM_OK, "a handle can be added again");
    return;
  }
  const auto end = transfer.end(code);
  auto& sink = transfer.sink();
  keep_handle(withdraw(found->second)->release_handle());
  ++shared_.call_backs;
  sink.on_end(end);
}

void CurlTransport::end_failed() {
  for (const auto& failed : std::exchange(failed_, {})) {
    const auto transfer = withdraw(failed.id);
    keep_handle(transfer->release_handle());
    ++shared_.call_backs;
    transfer->sink().on_end(failed.end);
  }
}

// Does what can be done without waiting. True where a call-back was made.
bool CurlTransport::make_progress() {
  const auto before = shared_.call_backs;
  end_failed();
  int running = 0;
  ensure(curl_multi_perform(multi_.get(), &running) == CURLM_OK, "libcurl can go on");
  int left = 0;
  while (const auto* message = curl_multi_info_read(multi_.get(), &left))
    if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
  return shared_.call_backs != before;
}

// Waits for a socket, a wake or the watched descriptor; true for the last.
bool CurlTransport::poll(Duration left) {
  const auto step = std::min<Duration>(left, longest_step);
  std::array<curl_waitfd, 2> extra{};
  unsigned count = 0;
  const auto add = [&](int descriptor) {
    if (descriptor >= 0) extra.at(count++) = {descriptor, CURL_WAIT_POLLIN, 0};
  };
  add(shared_.options.watched_descriptor);
  if (step > Duration::zero()) {
    timer_.set(step);
    add(timer_.descriptor());
  }
  // Rounded up, so that the last part of a millisecond is not spent in a spin.
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(step).count();
  const auto code = curl_multi_poll(multi_.get(), extra.data(), count, static_cast<int>(milliseconds), nullptr);
  ensure(code == CURLM_OK, "libcurl can wait");
  return shared_.options.watched_descriptor >= 0 && extra[0].revents != 0;
}

void CurlTransport::wait_until(Instant deadline) {
  ensure(!waiting_, "one wait at a time");
  waiting_ = true;
  while (!make_progress() && !woken_.exchange(false)) {
    const auto now = clock_.now();
    const auto left = deadline > now ? deadline - now : Duration::zero();
    const bool watched = poll(left);
    if (!watched && left > Duration::zero()) continue;
    make_progress();
    break;
  }
  waiting_ = false;
}

void CurlTransport::wake() {
  woken_ = true;
  curl_multi_wakeup(multi_.get());
}

}  // namespace

std::string transport_version() {
  const auto* version = curl_version_info(CURLVERSION_NOW);
  std::string text = "libcurl " + std::string(version->version);
  if (version->ssl_version != nullptr) text += ", " + std::string(version->ssl_version);
  return text;
}

std::unique_ptr<Transport> make_curl_transport(const Clock& clock, TransportOptions options) {
  return std::make_unique<CurlTransport>(clock, std::move(options));
}

}  // namespace arkvory
