// SPDX-License-Identifier: Apache-2.0
// The hostile servers of hostile-cases.md against a client:
//
//   hostile --client build/bin/arkvoryctl [--jobs N] [--full] [--requests] [CASE...]
//
// CASE is an id (A4a), a row (A4) or a letter (A); without any, all cases but the slow ones, which --full adds. `curl`,
// `aria2c`, `wget` and `wget2` are clients as well. One line a case, and with --requests what the server saw; ends with
// 1 where arkvoryctl ends a case otherwise than the page says, with 77 where the client is not installed or nothing
// could be played.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/size.h"
#include "tests/hostile/cases.h"
#include "tests/hostile/clients.h"
#include "tests/hostile/perform.h"
#include "tests/support/process.h"

namespace arkvory::hostile {

namespace {

constexpr int kSkipped = 77;
constexpr int kMostJobs = 64;

struct Options {
  std::string client{};
  std::vector<std::string> chosen{};
  std::uint64_t jobs = 8;
  bool full = false;
  bool requests = false;
  bool inside = false;  // in the namespaces that a case needs
};

std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string name = arguments[i];
    bool* const flag = name == "--full"       ? &options.full
                       : name == "--requests" ? &options.requests
                       : name == "--inside"   ? &options.inside
                                              : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    if (!name.starts_with("--")) {
      options.chosen.push_back(name);
      continue;
    }
    if (++i == arguments.size()) return std::nullopt;
    const auto number = parse_number(arguments[i]);
    if (name == "--client")
      options.client = arguments[i];
    else if (name == "--jobs" && number && *number > 0 && *number <= kMostJobs)
      options.jobs = *number;
    else
      return std::nullopt;
  }
  if (options.client.empty()) return std::nullopt;
  return options;
}

// Whether a word of the command line means the case: its id, its row or its letter.
bool means(const std::string& word, const std::string& id) {
  if (word == id) return true;
  if (!id.starts_with(word)) return false;
  return word.size() == 1 || std::isdigit(static_cast<unsigned char>(id[word.size()])) == 0;
}

std::vector<Case> chosen_cases(const Options& options) {
  auto all = all_cases();
  std::erase_if(all, [&](const Case& one) {
    const auto is_meant = [&](const std::string& word) { return means(word, one.id); };
    const bool named = std::find(options.chosen.begin(), options.chosen.end(), one.id) != options.chosen.end();
    if (one.slow && !options.full && !named) return true;
    return !options.chosen.empty() && std::none_of(options.chosen.begin(), options.chosen.end(), is_meant);
  });
  return all;
}

// A line of the table on its way out of the namespaces.
std::string to_text(const Line& line) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", static_cast<int>(line.verdict.ending), line.verdict.is_skipped,
                     line.exit, line.requests, line.bytes, line.time, line.verdict.words);
}

Line from_text(const std::string& text) {
  Line line;
  std::istringstream words(text);
  int ending = 0;
  std::string skipped;
  words >> ending >> skipped >> line.exit >> line.requests >> line.bytes >> line.time;
  if (!words) return {.verdict = Verdict::skipped("namespaces are refused here")};
  words.get();
  std::getline(words, line.verdict.words);
  line.verdict.ending = static_cast<Ending>(ending);
  line.verdict.is_right = line.verdict.ending == Ending::right;
  line.verdict.is_skipped = skipped == "true";
  return line;
}

Line perform_apart(const Case& one, const Options& options) {
  std::string own(4096, '\0');
  own.resize(static_cast<std::size_t>(std::max<ssize_t>(readlink("/proc/self/exe", own.data(), own.size()), 0)));
  const auto done = test::run({"unshare", "--net", "--mount", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh", own,
                               "--client", options.client, "--inside", one.id});
  return from_text(done.output);
}

class Table {
 public:
  Table(std::size_t lines, bool with_requests) : lines_(lines), with_requests_(with_requests) {}

  // In the order of the page, each as soon as those before it are there.
  void put(std::size_t place, const Case& one, const Line& line) {
    const std::lock_guard lock(mutex_);
    waiting_[place] = fmt::format("{:<5} {:<62} {:<4} {:>4} {:>10} {:>6.1f}  {}\n", one.id, one.title, line.exit,
                                  line.requests, line.bytes, line.time, line.verdict.words);
    if (with_requests_) waiting_[place] += line.requests_seen;
    if (line.verdict.is_skipped)
      ++skipped_;
    else
      ++endings_[line.verdict.ending];
    for (auto next = waiting_.find(printed_); next != waiting_.end(); next = waiting_.find(printed_)) {
      std::fputs(next->second.c_str(), stdout);
      std::fflush(stdout);
      waiting_.erase(next);
      ++printed_;
    }
  }

  void print_head() const {
    fmt::print("{:<5} {:<62} {:<4} {:>4} {:>10} {:>6}  outcome\n", "case", "server", "exit", "reqs", "bytes", "s");
  }
  void print_sum() {
    fmt::print("{} cases: {} right, {} not, {} not played\n", lines_, right(), wrong(), skipped_);
    if (wrong() == 0) return;
    fmt::print(
        "not right: {} exit 0 with wrong or missing bytes, {} hang, {} hammer, {} fail without need, {} otherwise\n",
        endings_[Ending::wrong_bytes], endings_[Ending::hangs], endings_[Ending::hammers],
        endings_[Ending::without_need], endings_[Ending::otherwise]);
  }
  int wrong() { return static_cast<int>(lines_) - skipped_ - right(); }
  int right() { return endings_[Ending::right]; }

 private:
  std::size_t lines_;
  bool with_requests_;
  std::mutex mutex_;
  std::map<std::size_t, std::string> waiting_;
  std::size_t printed_ = 0;
  std::map<Ending, int> endings_;
  int skipped_ = 0;
};

int run_all(const Options& options, const Client& client) {
  const auto cases = chosen_cases(options);
  if (cases.empty()) {
    std::fputs("hostile: no such case\n", stderr);
    return 2;
  }
  Table table(cases.size(), options.requests);
  table.print_head();
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < cases.size(); i = next++)
      table.put(i, cases[i], cases[i].apart ? perform_apart(cases[i], options) : perform(cases[i], client));
  };
  std::vector<std::thread> workers;
  for (std::uint64_t i = 0; i < options.jobs; ++i) workers.emplace_back(work);
  for (auto& worker : workers) worker.join();
  table.print_sum();
  if (table.wrong() > 0) return client.kind == Kind::ours ? 1 : 0;
  return table.right() > 0 ? 0 : kSkipped;
}

int run_inside(const Options& options, const Client& client) {
  const auto cases = chosen_cases(options);
  if (cases.size() != 1) return 2;
  std::fputs(to_text(perform(cases[0], client)).c_str(), stdout);
  return 0;
}

int main_of(std::span<char*> arguments) {
  const auto options = parse(arguments);
  const auto client = options ? client_called(options->client) : std::nullopt;
  if (!client) {
    std::fputs(
        "usage: hostile --client PATH-OF-ARKVORYCTL|curl|aria2c|wget|wget2 [--jobs N] [--full] [--requests] "
        "[CASE]...\n",
        stderr);
    return 2;
  }
  if (!is_installed(*client)) {
    std::fprintf(stderr, "hostile: %s is not installed: skipped\n", client->program.c_str());
    return kSkipped;
  }
  return options->inside ? run_inside(*options, *client) : run_all(*options, *client);
}

}  // namespace

}  // namespace arkvory::hostile

int main(int count, char** arguments) {
  return arkvory::hostile::main_of(std::span(arguments, static_cast<std::size_t>(count)));
}
