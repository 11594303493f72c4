// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/crowd.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/ensure.h"
#include "core/base/size.h"
#include "tests/bench/served.h"

namespace arkvory::bench {

Crowd::Crowd(std::uint16_t port, std::size_t connections) {
  for (std::size_t i = 0; i < connections; ++i) lines_.push_back({connect_to(port), {}, {}});
}

bool Crowd::join(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    while (!is_any_free())
      if (!take_answers(std::chrono::seconds(20))) return false;
    if (!ask({clock_.now(), members_++})) return false;
  }
  while (asked_ > 0)
    if (!take_answers(std::chrono::seconds(20))) return false;
  return true;
}

bool Crowd::ask_when_told(Duration duration) {
  const auto end = clock_.now() + duration;
  for (auto now = clock_.now(); now < end; now = clock_.now()) {
    while (is_any_free() && !due_.empty() && due_.top().due <= now) {
      const auto question = due_.top();
      due_.pop();
      if (!ask(question)) return false;
    }
    const auto next = due_.empty() || !is_any_free() ? end : std::min(end, due_.top().due);
    if (!take_answers(std::max(next - now, Duration(0)))) return false;
  }
  return true;
}

bool Crowd::ask_at(double per_second, Duration duration) {
  const auto begin = clock_.now();
  const auto step = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / per_second));
  std::uint64_t asked = 0;
  for (auto now = begin; now < begin + duration; now = clock_.now()) {
    while (is_any_free() && begin + step * static_cast<std::int64_t>(asked) <= now) {
      if (!ask({begin + step * static_cast<std::int64_t>(asked++), next_member_++ % members_})) return false;
    }
    const auto next = is_any_free() ? begin + step * static_cast<std::int64_t>(asked) : begin + duration;
    if (!take_answers(std::max(next - now, Duration(0)))) return false;
  }
  return true;
}

bool Crowd::ask(const Question& question) {
  // In turn, so that none is closed as idle.
  while (lines_[last_line_ = (last_line_ + 1) % lines_.size()].asked) continue;
  auto& line = lines_[last_line_];
  line.asked = question;
  asked_ += 1;
  send_all(line.socket, fmt::format("GET /files/object.bin HTTP/1.1\r\nHost: bench\r\nRange: bytes=0-8388607\r\n"
                                    "Arkvory-Download-Id: member-{:016}\r\n\r\n",
                                    question.member));
  return true;
}

// Waits no longer than until one came.
bool Crowd::take_answers(Duration patience) {
  std::vector<pollfd> waited;
  for (const auto& line : lines_) waited.push_back({line.asked ? line.socket.number() : -1, POLLIN, 0});
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count();
  const timespec most{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  ensure(ppoll(waited.data(), waited.size(), &most, nullptr) >= 0, "connections can be waited for");
  for (std::size_t i = 0; i < waited.size(); ++i)
    if (waited[i].revents != 0 && !take_answer_of(lines_[i])) return false;
  return true;
}

bool Crowd::take_answer_of(Line& line) {
  std::array<char, 8192> piece;
  const auto count = recv(line.socket.number(), piece.data(), piece.size(), 0);
  if (count <= 0) {
    std::fputs("bench: the server closed a connection of one who waits\n", stderr);
    return false;
  }
  line.received.append(piece.data(), static_cast<std::size_t>(count));
  const auto at = line.received.find("Retry-After: ");
  const auto told = at == std::string::npos
                        ? std::nullopt
                        : parse_number(line.received.substr(at + 13, line.received.find('\r', at) - at - 13));
  const auto status = take_answer(line.received);
  if (!status) return true;
  if (*status != 503 || !told) {
    std::fputs(fmt::format("bench: one who waits was answered with {}\n", *status).c_str(), stderr);
    return false;
  }
  const auto now = clock_.now();
  delays_.push_back(now - line.asked->due);
  due_.push({now + std::chrono::seconds(*told), line.asked->member});
  line.asked.reset();
  asked_ -= 1;
  return true;
}

}  // namespace arkvory::bench
