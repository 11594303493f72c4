// SPDX-License-Identifier: Apache-2.0
// A crowd of clients that wait in a server's queue and ask again, over a few connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/descriptor.h"

namespace arkvory::bench {

class Crowd {
 public:
  Crowd(std::uint16_t port, std::size_t connections);

  // Lets `count` more in, as fast as they are answered. Whether all were told to wait.
  bool join(std::size_t count);
  // Each asks when it was told to, for so long.
  bool ask_when_told(Duration duration);
  // So many questions a second, evenly, by one after the other, whether they are due or not.
  bool ask_at(double per_second, Duration duration);

  std::size_t size() const { return members_; }
  // From the moment that a question was due to its answer, since the last call.
  std::vector<Duration> take_delays() { return std::exchange(delays_, {}); }

 private:
  struct Question {
    Instant due;
    std::uint64_t member;
    bool operator>(const Question& other) const { return due > other.due; }
  };
  struct Line {
    Descriptor socket;
    std::string received;
    std::optional<Question> asked;
  };

  bool ask(const Question& question);
  bool take_answers(Duration patience);
  bool take_answer_of(Line& line);
  bool is_any_free() const { return asked_ < lines_.size(); }

  SystemClock clock_;
  std::vector<Line> lines_;
  std::size_t last_line_ = 0;
  std::size_t asked_ = 0;
  std::uint64_t members_ = 0;
  std::uint64_t next_member_ = 0;
  std::priority_queue<Question, std::vector<Question>, std::greater<>> due_;
  std::vector<Duration> delays_;
};

}  // namespace arkvory::bench
