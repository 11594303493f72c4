// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/base/clock.h"
#include "core/base/descriptor.h"
#include "core/base/ensure.h"

namespace arkvory::test {

namespace {

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  ensure(pipe2(ends.data(), O_CLOEXEC) == 0, "a test can make a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// A file in memory rather than a pipe, so that nobody has to feed it.
Descriptor input_of(const std::string& text) {
  Descriptor file(memfd_create("stdin", MFD_CLOEXEC));
  ensure(file.is_open(), "a test can make a file in memory");
  ensure(write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()), "memory takes all");
  ensure(lseek(file.number(), 0, SEEK_SET) == 0, "a file in memory can be wound back");
  return file;
}

Descriptor output_to(const std::filesystem::path& path) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  ensure(file.is_open(), "a test can open the file for a program's output");
  return file;
}

std::vector<std::string> environment_with(const std::map<std::string, std::optional<std::string>>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (!changes.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : changes)
    if (value) all.push_back(name + "=" + *value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// One of the program's two outputs as we read it.
struct Stream {
  Descriptor pipe;
  std::string text{};

  // Takes what is there; closes the pipe at its end.
  void take() {
    std::array<char, 65536> buffer{};
    const auto count = read(pipe.number(), buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) pipe = Descriptor();
  }

  std::optional<std::string> take_line() {
    const auto end = text.find('\n');
    if (end == std::string::npos && (pipe.is_open() || text.empty())) return std::nullopt;
    auto line = text.substr(0, end);
    text.erase(0, end == std::string::npos ? end : end + 1);
    return line;
  }
};

int milliseconds_until(Instant deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SystemClock().now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60'000));
}

std::chrono::microseconds duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

struct Process::State {
  pid_t pid = -1;
  Descriptor end_descriptor;  // readable when the program has ended
  Stream output;
  Stream error_output;
  std::optional<ProcessEnd> end{};

  // Waits until something is there or the deadline has come; true where the program has ended.
  bool poll_once(Instant deadline) {
    std::array<pollfd, 3> watched{};
    watched[0] = {end_descriptor.number(), POLLIN, 0};
    watched[1] = {output.pipe.number(), POLLIN, 0};
    watched[2] = {error_output.pipe.number(), POLLIN, 0};
    ::poll(watched.data(), watched.size(), milliseconds_until(deadline));
    if (watched[1].revents != 0) output.take();
    if (watched[2].revents != 0) error_output.take();
    return watched[0].revents != 0;
  }

  void collect() {
    int status = 0;
    rusage usage{};
    while (wait4(pid, &status, 0, &usage) < 0) ensure(errno == EINTR, "a test's program can be waited for");
    ProcessEnd result;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024U;
    result.cpu = duration_of(usage.ru_utime) + duration_of(usage.ru_stime);
    end = result;
  }

  // What was written before the end; a grandchild that holds the pipe open is not waited for.
  void drain() {
    for (auto* stream : {&output, &error_output}) {
      while (stream->pipe.is_open()) {
        pollfd watched{stream->pipe.number(), POLLIN, 0};
        if (::poll(&watched, 1, 0) <= 0) break;
        stream->take();
      }
    }
  }

  std::optional<std::string> read_line(Stream& stream, std::chrono::milliseconds patience) {
    const auto deadline = SystemClock().now() + patience;
    while (true) {
      if (auto line = stream.take_line()) return line;
      if (!stream.pipe.is_open() || SystemClock().now() >= deadline) return std::nullopt;
      pollfd watched{stream.pipe.number(), POLLIN, 0};
      if (::poll(&watched, 1, milliseconds_until(deadline)) > 0) stream.take();
    }
  }
};

Process::Process(const std::vector<std::string>& arguments, const ProcessOptions& options)
    : state_(std::make_unique<State>()) {
  ensure(!arguments.empty(), "a program has a name");
  // All memory is taken before the fork: the child may only call what is safe beside other threads.
  auto texts = arguments;
  auto environment = environment_with(options.environment);
  const auto argument_pointers = pointers(texts);
  const auto environment_pointers = pointers(environment);
  const auto folder = options.folder.string();
  auto output = make_pipe();
  auto error_output = make_pipe();
  if (options.output_file) output.write_end = output_to(*options.output_file);
  if (options.error_file) error_output.write_end = output_to(*options.error_file);
  const auto input = input_of(options.input);
  const pid_t parent = getpid();

  state_->pid = fork();
  ensure(state_->pid >= 0, "a test can fork");
  if (state_->pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // What the test ignores is not for the program to ignore.
    signal(SIGPIPE, SIG_DFL);
    if (getppid() != parent) _exit(127);
    dup2(input.number(), STDIN_FILENO);
    dup2(output.write_end.number(), STDOUT_FILENO);
    dup2(error_output.write_end.number(), STDERR_FILENO);
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(127);
    execvpe(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
    _exit(127);
  }
  state_->end_descriptor = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, state_->pid, 0)));
  ensure(state_->end_descriptor.is_open(), "a program's end can be polled for");
  if (!options.output_file) state_->output.pipe = std::move(output.read_end);
  if (!options.error_file) state_->error_output.pipe = std::move(error_output.read_end);
}

Process::~Process() {
  if (state_->end) return;
  ::kill(state_->pid, SIGKILL);
  state_->collect();
}

pid_t Process::pid() const { return state_->pid; }

void Process::kill(int signal) {
  if (!state_->end) ::kill(state_->pid, signal);
}

std::optional<std::string> Process::read_line(std::chrono::milliseconds patience) {
  return state_->read_line(state_->output, patience);
}

std::optional<std::string> Process::read_error_line(std::chrono::milliseconds patience) {
  return state_->read_line(state_->error_output, patience);
}

std::optional<ProcessEnd> Process::wait(std::chrono::milliseconds patience) {
  const auto deadline = SystemClock().now() + patience;
  while (!state_->end) {
    if (state_->poll_once(deadline)) {
      state_->collect();
    } else if (SystemClock().now() >= deadline) {
      return std::nullopt;
    }
  }
  state_->drain();
  return state_->end;
}

const std::string& Process::output() const { return state_->output.text; }
const std::string& Process::error_output() const { return state_->error_output.text; }

Finished run(const std::vector<std::string>& arguments, const ProcessOptions& options,
             std::chrono::milliseconds patience) {
  Process process(arguments, options);
  auto end = process.wait(patience);
  if (!end) {
    process.kill(SIGKILL);
    end = process.wait();
  }
  return {*end, process.output(), process.error_output()};
}

}  // namespace arkvory::test
