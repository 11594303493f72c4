// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/strangers.h"

#include <doctest/doctest.h>

#include "tests/e2e/client.h"

namespace arkvory::test {

namespace {

using Arguments = std::vector<std::string>;
using Kind = Stranger::Kind;

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Arguments where(bool condition, Arguments arguments) { return condition ? std::move(arguments) : Arguments(); }

Arguments curl(Kind kind, const std::string& url, const std::string& file) {
  return Arguments{"curl", "-q", "-sS", "--fail"} + where(kind == Kind::patient, {"--retry", "20"}) +
         Arguments{"-o", file, url};
}

Arguments wget(Kind kind, const std::string& url, const std::string& file) {
  return Arguments{"wget", "--no-config", "-nv"} +
         where(kind == Kind::patient, {"--retry-on-http-error=503", "--tries=20", "--waitretry=2"}) +
         Arguments{"-O", file, url};
}

Arguments aria2c(Kind kind, const std::string& url, const std::string& file) {
  return Arguments{"aria2c", "--no-conf", "--file-allocation=none", "--console-log-level=warn"} +
         where(kind == Kind::patient, {"--max-tries=20", "--retry-wait=1"}) + Arguments{"-o", file, url};
}

// It comes back by itself, after half a minute.
Arguments lftp(Kind kind, const std::string& url, const std::string& file) {
  const std::string more = kind == Kind::patient ? "set net:max-retries 20; set net:reconnect-interval-base 1; " : "";
  return {"lftp", "--norc", "-c", more + "get " + url + " -o " + file};
}

// What apt-get downloads packages with. It comes back by itself, three times.
Arguments apt_helper(Kind kind, const std::string& url, const std::string& file) {
  return Arguments{"/usr/lib/apt/apt-helper", "-o", "Acquire::http::Proxy::127.0.0.1=DIRECT"} +
         where(kind == Kind::patient, {"-o", "Acquire::Retries=20", "-o", "Acquire::Retries::Delay::Maximum=2"}) +
         Arguments{"download-file", url, file};
}

Arguments checked(const Stranger& stranger, Arguments arguments) {
  REQUIRE_MESSAGE(run({stranger.program, "--version"}).end.exit_code == 0,
                  stranger.program << " is not there: install Debian's package " << stranger.package);
  return arguments;
}

ProcessOptions at_home_in(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  ProcessOptions options;
  options.folder = folder;
  for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    options.environment[name] = std::nullopt;
  options.environment["HOME"] = folder.string();
  options.environment["LC_ALL"] = "C";
  return options;
}

}  // namespace

const std::vector<Stranger>& strangers() {
  static const std::vector<Stranger> all{{"curl", "curl", curl},
                                         {"wget", "wget", wget},
                                         {"aria2c", "aria2", aria2c},
                                         {"lftp", "lftp", lftp},
                                         {"/usr/lib/apt/apt-helper", "apt", apt_helper}};
  return all;
}

StrangerAtWork::StrangerAtWork(const Stranger& stranger, Kind kind, const std::string& url,
                               const std::filesystem::path& folder, const std::vector<std::string>& more)
    : program_(stranger.program),
      file_(folder / "object.bin"),
      process_(checked(stranger, stranger.command(kind, url, "object.bin") + more), at_home_in(folder)) {}

void StrangerAtWork::check_success(std::span<const std::byte> bytes) {
  const int code = exit_code();
  CAPTURE(program_);
  CAPTURE(process_.output());
  CAPTURE(process_.error_output());
  CHECK(code == 0);
  CHECK(holds(file_, bytes));
}

int StrangerAtWork::exit_code() {
  const auto end = process_.wait(std::chrono::minutes(2));
  REQUIRE_MESSAGE(end.has_value(), program_ << " does not end");
  return end->exit_code;
}

}  // namespace arkvory::test
