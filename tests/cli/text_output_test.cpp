// SPDX-License-Identifier: Apache-2.0
#include "cli/text_output.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "core/base/ensure.h"

namespace arkvory::cli {

namespace {

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() { ensure(::pipe2(ends.data(), O_CLOEXEC) == 0, "a test can make a pipe"); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void fill() {
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    const std::string block(4096, 'x');
    while (::write(ends[1], block.data(), block.size()) > 0) continue;
    ::fcntl(ends[1], F_SETFL, 0);
  }
  std::string take(std::size_t most) {
    std::string text(most, '\0');
    const auto got = ::read(ends[0], text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }
};

}  // namespace

TEST_CASE("words that nobody takes are given up once a signal is there") {
  Pipe pipe;
  Pipe signal;
  pipe.fill();
  DescriptorOutput output(pipe.ends[1]);
  output.give_way_to(signal.ends[0]);
  REQUIRE(::write(signal.ends[1], "s", 1) == 1);
  output.write("not taken");  // would block for ever
  CHECK(output.failure() == 0);
}

TEST_CASE("words for which there is room are written although a signal is there") {
  Pipe pipe;
  Pipe signal;
  DescriptorOutput output(pipe.ends[1]);
  output.give_way_to(signal.ends[0]);
  REQUIRE(::write(signal.ends[1], "s", 1) == 1);
  output.write("taken");
  CHECK(pipe.take(100) == "taken");
}

TEST_CASE("a reader that went away is remembered as the failure, and nothing more is written") {
  Pipe pipe;
  ::close(pipe.ends[0]);
  pipe.ends[0] = -1;
  ::signal(SIGPIPE, SIG_IGN);
  DescriptorOutput output(pipe.ends[1]);
  output.write("lost");
  CHECK(output.failure() == EPIPE);
  ::signal(SIGPIPE, SIG_DFL);
}

}  // namespace arkvory::cli
