// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/line_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace arkvory::server {
namespace {

// A failing disk loses lines; there is no better place to say so.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

struct LineWriter::State {
  State(int number, bool owned) : descriptor(number), is_owner(owned) {}
  ~State() {
    if (is_owner) close(descriptor);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const int descriptor;
  const bool is_owner;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> lines;
  std::size_t lost = 0;
  bool is_writing = false;
  bool is_ending = false;
};

Result<std::unique_ptr<LineWriter>> LineWriter::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (descriptor < 0) return fail(Fault::local, "can't write to " + path.string(), std::strerror(errno));
  return std::make_unique<LineWriter>(descriptor, true);
}

LineWriter::LineWriter(int descriptor, bool is_owner) : state_(std::make_shared<State>(descriptor, is_owner)) {
  thread_ = std::thread([state = state_] { run(state); });
}

LineWriter::~LineWriter() {
  const bool is_flushed = flush(std::chrono::seconds(1));
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_ending = true;
    state_->changed.notify_all();
  }
  if (is_flushed)
    thread_.join();
  else
    thread_.detach();
}

void LineWriter::write(std::string line) {
  const std::lock_guard lock(state_->mutex);
  if (state_->lines.size() >= kMostLines) {
    state_->lost += 1;
    return;
  }
  line += '\n';
  state_->lines.push_back(std::move(line));
  state_->changed.notify_all();
}

bool LineWriter::flush(Duration most) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, most, [this] { return state_->lines.empty() && !state_->is_writing; });
}

void LineWriter::run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&state] { return state->is_ending || !state->lines.empty(); });
    if (state->lines.empty()) return;
    auto line = std::move(state->lines.front());
    state->lines.pop_front();
    if (state->lost > 0) line += "(" + std::to_string(std::exchange(state->lost, 0)) + " lines lost)\n";
    state->is_writing = true;
    lock.unlock();
    write_all(state->descriptor, line);
    lock.lock();
    state->is_writing = false;
    state->changed.notify_all();
  }
}

}  // namespace arkvory::server
