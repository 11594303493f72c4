// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/client.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ensure.h"
#include "core/base/size.h"

namespace arkvory::test {

ClientFolder::ClientFolder() { std::filesystem::create_directories(files()); }

std::set<std::string> ClientFolder::names() const {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(files())) all.insert(entry.path().filename().string());
  return all;
}

std::vector<std::string> ClientFolder::command(const std::string& name,
                                               const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{ARKVORYCTL, name, "--state-dir", (folder_ / "state").string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

ProcessOptions ClientFolder::options() const {
  ProcessOptions options;
  options.folder = files();
  // A proxy of the machine's own must not come between; messages are compared in English.
  for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    options.environment[name] = std::nullopt;
  options.environment["LC_ALL"] = "C";
  return options;
}

Finished ClientFolder::run(const std::string& name, const std::vector<std::string>& arguments) const {
  return test::run(command(name, arguments), options());
}

std::vector<nlohmann::json> ClientFolder::list() const {
  std::vector<nlohmann::json> all;
  for (const auto& line : lines_of(run("list", {"--json"}).output)) all.push_back(nlohmann::json::parse(line));
  return all;
}

std::optional<Claim> claim_of(const std::filesystem::path& target) {
  std::ifstream file(target.string() + ".arkvory");
  if (!file) return std::nullopt;
  const auto json = nlohmann::json::parse(file);
  Claim claim{json.at("id"), {}};
  for (const auto& pair : json.at("synced")) claim.synced.add(ByteRange(pair.at(0), pair.at(1)));
  return claim;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string hex_sha256(std::span<const std::byte> bytes) {
  Sha256 sha256;
  sha256.update(bytes);
  return sha256.finish().to_hex();
}

void put(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  ensure(file.good(), "a test can write its files");
}

bool holds(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code failure;
  if (std::filesystem::file_size(path, failure) != bytes.size() || failure) return false;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(kMiB);
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), buffer.size()));
    if (!file.read(buffer.data(), static_cast<std::streamsize>(piece.size()))) return false;
    if (std::memcmp(buffer.data(), piece.data(), piece.size()) != 0) return false;
    bytes = bytes.subspan(piece.size());
  }
  return true;
}

std::optional<nlohmann::json> next_event(Process& client, const std::string& name, std::chrono::milliseconds patience) {
  const SystemClock clock;
  const auto deadline = clock.now() + patience;
  while (clock.now() < deadline) {
    const auto line = client.read_line(std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now()));
    if (!line) return std::nullopt;
    auto event = nlohmann::json::parse(*line);
    if (event.at("event") == name) return event;
  }
  return std::nullopt;
}

std::optional<nlohmann::json> next_progress(Process& client, std::uint64_t bytes) {
  while (auto event = next_event(client, "progress"))
    if (event->at("bytes") >= bytes) return event;
  return std::nullopt;
}

}  // namespace arkvory::test
