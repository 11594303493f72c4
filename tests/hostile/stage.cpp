// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/stage.h"

#include <signal.h>

#include <condition_variable>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace arkvory::hostile {

namespace fs = std::filesystem;

namespace {

constexpr int kSendBuffer = 64 * 1024;
constexpr auto kPartPatience = seconds(20);
// More than ten tries of five seconds each with two between them, and what is merely slow.
constexpr double kPatienceWithOthers = 120;

double seconds_between(Instant from, Instant to) { return std::chrono::duration<double>(to - from).count(); }

std::uint64_t size_of(const fs::path& path) {
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  return failure ? 0 : size;
}

// An event that a server tells a case of.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_all();
  }
  bool wait(milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return rung_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

}  // namespace

std::uint64_t Run::bytes_sent() const {
  std::uint64_t sum = 0;
  for (const auto& one : served) sum += one.bytes_sent;
  return sum;
}

std::vector<double> Run::gaps() const {
  std::vector<double> all;
  auto before = begun;
  for (const auto& one : served) all.push_back(seconds_between(std::exchange(before, one.time), one.time));
  return all;
}

Stage::Stage(const Case& one, const Client& client) : one_(one), client_(client) {
  fs::create_directories(files());
  test::RawOriginOptions options{.address = one.address, .opens_later = one.opens_later, .send_buffer = kSendBuffer};
  if (one.tls) {
    auto tls = std::make_shared<test::TlsServer>(*one.tls);
    put(beside("ca.pem"), tls->certificate_pem());
    wish.ca_file = beside("ca.pem").string();
    options.tls = std::move(tls);
  }
  site_ = std::make_unique<Site>(object(), options);
  site_->client_folder = files();
  wish.url = site_->url(one.path);
  wish.target = one.target;
  wish.sha256 = one.digest ? object().sha256 : "";
  wish.state = beside("state").string();
  wish.plain = one.plain;
  wish.options = one.options;
  // A proxy of the machine's own must not come between; messages are compared in English.
  for (const auto* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    environment[name] = std::nullopt;
  environment["LC_ALL"] = "C";
  environment["HOME"] = folder_.path().string();
}

Stage::~Stage() = default;

std::unique_ptr<test::Process> Stage::start() {
  auto arguments = wrapper;
  for (auto& argument : command(client_, wish)) arguments.push_back(std::move(argument));
  test::ProcessOptions options;
  options.environment = environment;
  options.folder = files();
  begun_ = SystemClock().now();
  return std::make_unique<test::Process>(arguments, options);
}

Run Stage::finish(test::Process& process, double patience) {
  Run run;
  run.begun = begun_;
  run.end = process.wait(milliseconds(static_cast<long>(patience * 1000)));
  run.time = seconds_between(begun_, SystemClock().now());
  if (!run.end) {
    process.kill(SIGKILL);
    process.wait();
  }
  run.served = site_->served();
  run.accepted = site_->accepted();
  run.output = process.output();
  run.errors = process.error_output();
  for (const auto& entry : fs::directory_iterator(files())) run.names.insert(entry.path().filename().string());
  run.has_target = fs::exists(fs::symlink_status(file(one_.target.empty() ? "f.bin" : one_.target)));
  if (!one_.target.empty()) run.is_right = equals(file(one_.target), object().bytes);
  // Where the client finds the name itself there is one file to look at.
  if (one_.target.empty() && run.names.size() == 1) run.is_right = equals(file(*run.names.begin()), object().bytes);
  last = run;
  return run;
}

Run Stage::run() {
  const auto process = start();
  const auto longest = one_.right.most_time + 5;
  return finish(*process, client_.kind == Kind::ours ? longest : std::max(longest, kPatienceWithOthers));
}

std::string Stage::play_part(const Part& part) {
  const bool is_ours = client_.kind == Kind::ours;
  const auto& served_object = part.object != nullptr ? *part.object : object();
  const auto bell = std::make_shared<Bell>();
  // Ours has what came on disk and in its record before it asks again; of the others the file tells.
  const auto how = is_ours ? Break::fin : Break::stall;
  auto cut_short = edited(
      [=](Prepared& answer, const Ask& ask) {
        part.edit(answer, ask);
        answer.cut_at = part.bytes;
        answer.how = how;
      },
      part.facts);
  const Answer held = [bell](const Ask& ask) {
    bell->ring();
    ask.wire.stall();
  };
  site_->serve(served_object);
  site_->answer_with(first(1, std::move(cut_short), held));
  const auto process = start();
  const auto target = file(one_.target);
  const auto is_there = [&] {
    if (!is_ours) return size_of(target) + 64UL * 1024 >= part.bytes;
    const auto claim = claim_of(target);
    return claim && claim->synced.total() >= part.bytes;
  };
  if (is_ours) {
    bell->wait(kPartPatience);
  } else {
    const auto deadline = SystemClock().now() + kPartPatience;
    while (!is_there() && SystemClock().now() < deadline && !process->wait(milliseconds(50))) {
    }
  }
  process->kill(SIGKILL);
  const auto end = process->wait();
  site_->serve(object());
  if (!is_ours || is_there()) return {};
  if (end && end->signal == 0) return "PART ended by itself: " + process->output() + process->error_output();
  return "PART has no record of its bytes";
}

std::optional<Claim> claim_of(const fs::path& target) {
  const auto text = text_of(target.string() + ".arkvory");
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("synced")) return std::nullopt;
  Claim claim{.generation = json.value("generation", 1)};
  for (const auto& pair : json.at("synced")) claim.synced.add(ByteRange(pair.at(0), pair.at(1)));
  const auto number = claim.generation > 1 ? ".g" + std::to_string(claim.generation) : std::string();
  claim.part = target.string() + number + ".arkvory-part";
  return claim;
}

std::string text_of(const fs::path& path) {
  std::string text(size_of(path), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  // What is no file of a size, such as what the kernel tells of itself, is read until its end.
  if (!text.empty()) return text.substr(0, static_cast<std::size_t>(file.gcount()));
  file.clear();
  return {(std::istreambuf_iterator<char>(file)), {}};
}

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

bool equals(const fs::path& path, const std::vector<std::byte>& bytes) {
  if (!fs::is_regular_file(path) || size_of(path) != bytes.size()) return false;
  const auto text = text_of(path);
  return text.size() == bytes.size() && std::memcmp(text.data(), bytes.data(), bytes.size()) == 0;
}

std::vector<nlohmann::json> events(const Run& run, const std::string& name) {
  std::vector<nlohmann::json> all;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.value("event", "") == name) all.push_back(std::move(json));
  }
  return all;
}

}  // namespace arkvory::hostile
