// SPDX-License-Identifier: Apache-2.0
// Where one case is played: a server of its own, a folder and a state folder for the client, and the client's runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/interval_set.h"
#include "tests/hostile/case.h"
#include "tests/hostile/clients.h"
#include "tests/hostile/site.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"

namespace arkvory::hostile {

class Stage {
 public:
  Stage(const Case& one, const Client& client);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const Case& one() const { return one_; }
  const Client& client() const { return client_; }
  Site& site() { return *site_; }
  const Object& object() const { return one_.object(); }

  // The client's current folder, and a place beside it.
  std::filesystem::path files() const { return folder_ / "files"; }
  std::filesystem::path file(const std::string& name) const { return files() / name; }
  std::filesystem::path beside(const std::string& name) const { return folder_ / name; }

  // What the next run is asked for, and how it is started; a case may change both.
  Wish wish{};
  std::map<std::string, std::optional<std::string>> environment{};
  std::vector<std::string> wrapper{};  // a program and its options, before the client's own

  std::unique_ptr<test::Process> start();
  // Waits for the end of what `start` began.
  Run finish(test::Process& process, double patience);
  Run run();
  // PART: empty, or why it could not be played.
  std::string play_part(const Part& part);

  // The newest run, for the table.
  Run last{};

 private:
  const Case& one_;
  Client client_;
  test::TempFolder folder_;
  Instant begun_{};
  std::unique_ptr<Site> site_;
};

// The little that a case reads of a checkpoint (checkpoint/FORMAT.md).
struct Claim {
  int generation = 1;
  IntervalSet synced{};
  std::filesystem::path part{};
};
std::optional<Claim> claim_of(const std::filesystem::path& target);

std::string text_of(const std::filesystem::path& path);
void put(const std::filesystem::path& path, const std::string& text);
bool equals(const std::filesystem::path& path, const std::vector<std::byte>& bytes);

// The JSON events of a run that are called so.
std::vector<nlohmann::json> events(const Run& run, const std::string& name);

}  // namespace arkvory::hostile
