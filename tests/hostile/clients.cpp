// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/clients.h"

#include <array>
#include <filesystem>
#include <utility>

#include "tests/support/process.h"

namespace arkvory::hostile {

namespace {

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Arguments where(bool condition, Arguments arguments) { return condition ? std::move(arguments) : Arguments(); }

Arguments ours(const Client& client, const Wish& wish) {
  return Arguments{client.program, "download", "--state-dir", wish.state} + where(!wish.plain, {"--json"}) +
         where(!wish.target.empty(), {"-o", wish.target}) + where(!wish.sha256.empty(), {"--sha256", wish.sha256}) +
         where(!wish.ca_file.empty(), {"--cacert", wish.ca_file}) + wish.options + Arguments{wish.url};
}

// The others are asked for ten tries a second or two apart and for time-outs of five seconds, which is as long as our
// own patience with faults and fits the servers; to go on with what is there; and for nothing that would make one case
// better and others worse. None of them has a digest to check but aria2c.
Arguments curl(const Wish& wish) {
  // It does not go on with a file whose name the server gives.
  const auto target = wish.target.empty() ? Arguments{"-O", "-J"} : Arguments{"-C", "-", "-o", wish.target};
  return Arguments{"curl",
                   "--fail",
                   "--location",
                   "-sS",
                   "--retry",
                   "10",
                   "--retry-delay",
                   "1",
                   "--retry-all-errors",
                   "--connect-timeout",
                   "5",
                   "--speed-limit",
                   "1",
                   "--speed-time",
                   "5"} +
         target + where(!wish.ca_file.empty(), {"--cacert", wish.ca_file}) + Arguments{wish.url};
}

Arguments aria2c(const Wish& wish) {
  return Arguments{"aria2c",
                   "--no-conf",
                   "-c",
                   "-x4",
                   "-s4",
                   "-k1M",
                   "--file-allocation=none",
                   "--disk-cache=0",
                   "--max-tries=10",
                   "--retry-wait=1",
                   "--timeout=5",
                   "--connect-timeout=5",
                   "--auto-file-renaming=false",
                   "--console-log-level=warn",
                   "--summary-interval=0"} +
         where(!wish.target.empty(), {"-o", wish.target}) +
         where(!wish.sha256.empty(), {"--checksum=sha-256=" + wish.sha256}) +
         where(!wish.ca_file.empty(), {"--ca-certificate=" + wish.ca_file}) + Arguments{wish.url};
}

Arguments wget(const std::string& program, const Wish& wish) {
  // Each has an option that the other has not.
  const auto more = program == "wget" ? Arguments{"--retry-on-http-error=408,425,429,500,502,503,504,520,522,524,599",
                                                  "--retry-on-host-error"}
                                      : Arguments{"--no-compression"};
  return Arguments{program, "-nv", "-c", "--tries=10", "--waitretry=2", "--timeout=5", "--retry-connrefused"} + more +
         where(!wish.target.empty(), {"-O", wish.target}) + where(wish.target.empty(), {"--content-disposition"}) +
         where(!wish.ca_file.empty(), {"--ca-certificate=" + wish.ca_file}) + Arguments{wish.url};
}

}  // namespace

std::optional<Client> client_called(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, Kind>, 4> others{
      {{"curl", Kind::curl}, {"aria2c", Kind::aria2c}, {"wget", Kind::wget}, {"wget2", Kind::wget2}}};
  for (const auto& [other, kind] : others)
    if (name == other) return Client{kind, name};
  if (name.find('/') == std::string::npos) return std::nullopt;
  return Client{Kind::ours, std::filesystem::absolute(name).string()};
}

bool is_installed(const Client& client) {
  return test::run({client.program, "--version"}, {}, std::chrono::seconds(20)).end.exit_code == 0;
}

bool knows_http2(const Client& client) { return client.kind != Kind::wget && client.kind != Kind::aria2c; }

bool checks_digests(const Client& client) { return client.kind == Kind::ours || client.kind == Kind::aria2c; }

std::vector<std::string> command(const Client& client, const Wish& wish) {
  switch (client.kind) {
    case Kind::ours: return ours(client, wish);
    case Kind::curl: return curl(wish);
    case Kind::aria2c: return aria2c(wish);
    case Kind::wget: return wget("wget", wish);
    case Kind::wget2: return wget("wget2", wish);
  }
  return {};
}

}  // namespace arkvory::hostile
