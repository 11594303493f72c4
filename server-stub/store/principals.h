// SPDX-License-Identifier: Apache-2.0
// Who may ask (protocol.md §6): persons, service accounts and share links, known by their tokens, of which only the
// SHA-256 is kept.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/result.h"
#include "core/protocol/download_class.h"

namespace arkvory::server {

enum class PrincipalKind { person, service, link };

struct Principal {
  std::string name;  // of a link: `link:` and its name; no other name has a colon
  PrincipalKind kind = PrincipalKind::person;
  DownloadClass own_class = DownloadClass::interactive;
  std::string issuer{};  // of a link: who gave it out
  std::string path{};    // of a link: the only object it may have, below the root

  // Whose share its downloads count to (O2): of a link its issuer's.
  const std::string& counted_as() const { return kind == PrincipalKind::link ? issuer : name; }
  // Limits per principal do not apply to it (L1).
  bool is_anonymous() const;
};

// The person `anonymous`: everyone, where no principals are configured.
std::shared_ptr<const Principal> anonymous();

// A file of principals, read once. A principal that was looked up outlives it.
class Principals {
 public:
  // No file: everyone is `anonymous`.
  Principals() = default;

  // Fault::usage, with words that name the place by a JSON Pointer: what is missing, of another type, unknown, or a
  // name or a token that comes twice.
  static Result<Principals> parse(std::string_view json);
  // As `parse`, with the file's name in the words; also where there is no such file. Fault::local where it can't be
  // read.
  static Result<Principals> load(FileSystem& files, const std::filesystem::path& path);

  bool are_configured() const { return are_configured_; }
  // Null for a token that is nobody's.
  std::shared_ptr<const Principal> by_token(std::string_view token) const;
  // Null where no service is called so.
  std::shared_ptr<const Principal> service(std::string_view name) const;
  // The same, but for the classes of these services.
  Principals with_classes(const std::map<std::string, DownloadClass, std::less<>>& of_services) const;

 private:
  bool are_configured_ = false;
  std::map<std::string, std::shared_ptr<const Principal>, std::less<>> by_hash_{};  // SHA-256 in lower-case hex
};

// One more principal for a file.
struct NewPrincipal {
  std::string name;
  PrincipalKind kind = PrincipalKind::person;
  std::optional<DownloadClass> own_class{};  // of a service; none: release
  std::string path{};                        // of a link
  std::string issuer{};                      // of a link
};

// Adds it to the file, durably and readable by its owner only; makes the file where there is none; keeps all that is in
// it. Returns the new token, which nothing else will ever tell. Fault::usage where the name is taken or the outcome
// would be no file of principals, Fault::locked where another process adds at the same time.
Result<std::string> add_principal(FileSystem& files, const std::filesystem::path& path, const NewPrincipal& added);

}  // namespace arkvory::server
