// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/principals.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/base/base64.h"
#include "core/base/json_pointer.h"
#include "core/base/utf8.h"

namespace arkvory::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestFile = 64 * 1024 * 1024;
constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestPath = 4096;
constexpr std::string_view kAnonymous = "anonymous";
constexpr std::string_view kLinkPrefix = "link:";

constexpr DownloadClass kPersonClass = DownloadClass::interactive;  // O2
constexpr DownloadClass kOtherClass = DownloadClass::release;

std::string hash_of(std::string_view token) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(token)));
  return sum.finish().to_hex();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Anything that can be shown on a line. A colon would let a name look like a link's.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && text != kAnonymous && is_utf8(text) &&
         text.find(':') == std::string_view::npos && std::none_of(text.begin(), text.end(), is_control);
}

// A path below the root as objects have it: no component is empty, `.` or `..`, or holds a NUL, CR or LF.
bool is_object_path(std::string_view text) {
  if (text.empty() || text.size() > kLongestPath) return false;
  if (text.find_first_of(std::string_view("\0\r\n", 3)) != std::string_view::npos) return false;
  while (true) {
    const auto slash = text.find('/');
    const auto name = text.substr(0, slash);
    if (name.empty() || name == "." || name == "..") return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_hash(std::string_view text) {
  const auto digest = Sha256Digest::from_hex(text);
  return digest && digest->to_hex() == text;
}

struct Entry {
  Principal principal;
  std::string hash;
};

// Reads the document; remembers the first place that is wrong and goes on with values that mean nothing.
class Reader {
 public:
  std::vector<Entry> read(const Json& document) {
    if (!document.is_object()) complain("", "has to be an object");
    only("", document, {"principals", "links"});
    each(document, "principals", [this](const std::string& at, const Json& item) { return principal(at, item); });
    each(document, "links", [this](const std::string& at, const Json& item) { return link(at, item); });
    return std::move(entries_);
  }

  // `POINTER: what is wrong`; empty where nothing is.
  const std::string& problem() const { return problem_; }

 private:
  template <typename Read>
  void each(const Json& document, const char* list, Read read_one) {
    if (!document.is_object() || !document.contains(list)) return;
    const auto& items = document[list];
    const std::string at = std::string("/") + list;
    if (!items.is_array()) return complain(at, "has to be an array");
    for (std::size_t i = 0; i < items.size() && problem_.empty(); ++i) {
      const auto place = at + '/' + std::to_string(i);
      if (!items[i].is_object()) return complain(place, "has to be an object");
      keep(place, Entry{read_one(place, items[i]), hash(place, items[i])});
    }
  }

  Principal principal(const std::string& at, const Json& item) {
    only(at, item, {"name", "kind", "class", "tokenSha256"});
    Principal principal;
    principal.name = name(at, item, "name");
    const auto kind = text(at, item, "kind");
    if (kind != "person" && kind != "service") complain(at + "/kind", "has to be person or service");
    if (kind == "person" && item.contains("class")) complain(at + "/class", "is for services only");
    principal.kind = kind == "person" ? PrincipalKind::person : PrincipalKind::service;
    principal.own_class = kind == "person" ? kPersonClass : kOtherClass;
    if (!item.contains("class")) return principal;
    const auto own_class = parse_download_class(text(at, item, "class"));
    if (!own_class) complain(at + "/class", "has to be one of interactive, release, bulk, background");
    principal.own_class = own_class.value_or(kOtherClass);
    return principal;
  }

  Principal link(const std::string& at, const Json& item) {
    only(at, item, {"name", "issuer", "path", "tokenSha256"});
    Principal principal;
    principal.kind = PrincipalKind::link;
    principal.own_class = kOtherClass;
    principal.name = std::string(kLinkPrefix) + name(at, item, "name");
    principal.issuer = name(at, item, "issuer");
    principal.path = text(at, item, "path");
    if (!is_object_path(principal.path)) complain(at + "/path", "has to be a path below the root, such as folder/file");
    return principal;
  }

  std::string hash(const std::string& at, const Json& item) {
    auto hash = text(at, item, "tokenSha256");
    if (!is_hash(hash)) complain(at + "/tokenSha256", "has to be 64 hexadecimal digits in lower case");
    return hash;
  }

  std::string name(const std::string& at, const Json& item, const char* member) {
    auto found = text(at, item, member);
    if (!is_name(found))
      complain(at + '/' + member,
               "has to be 1 to 128 bytes of text without colons and control characters, other than anonymous");
    return found;
  }

  std::string text(const std::string& at, const Json& item, const char* member) {
    const auto place = at + '/' + member;
    if (!item.contains(member)) complain(place, "is missing");
    if (!item.contains(member)) return {};
    if (!item[member].is_string()) complain(place, "has to be a text");
    return item[member].is_string() ? item[member].get<std::string>() : std::string();
  }

  // A member that is misspelt must not be passed over: a class left out is a higher one.
  void only(const std::string& at, const Json& object, std::initializer_list<std::string_view> members) {
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items())
      if (std::find(members.begin(), members.end(), key) == members.end())
        complain(at + json_pointer_step(key), "is unknown here");
  }

  void keep(const std::string& at, Entry entry) {
    if (!problem_.empty()) return;
    if (!names_.insert(entry.principal.name).second) return complain(at + "/name", "is there twice");
    if (!hashes_.insert(entry.hash).second) return complain(at + "/tokenSha256", "is there twice");
    entries_.push_back(std::move(entry));
  }

  void complain(const std::string& pointer, const char* what) {
    if (problem_.empty()) problem_ = (pointer.empty() ? "the document" : pointer) + ' ' + what;
  }

  std::vector<Entry> entries_;
  std::set<std::string> names_;
  std::set<std::string> hashes_;
  std::string problem_;
};

Result<std::vector<Entry>> entries_of(const Json& document) {
  if (document.is_discarded())
    return fail(Fault::usage, "the document is no JSON, or has an object with a member that comes twice");
  Reader reader;
  auto entries = reader.read(document);
  if (!reader.problem().empty()) return fail(Fault::usage, reader.problem());
  return entries;
}

// Discarded where it is no JSON, or where an object has a member twice: which of the two counts is not for us to guess.
Json parsed(std::string_view json) {
  std::vector<std::set<std::string>> members;
  bool is_clear = true;
  const auto look = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) members.emplace_back();
    if (event == Json::parse_event_t::object_end) members.pop_back();
    if (event == Json::parse_event_t::key) is_clear &= members.back().insert(value.get<std::string>()).second;
    return true;
  };
  auto document = Json::parse(json.begin(), json.end(), look, false);
  return is_clear ? document : Json(Json::value_t::discarded);
}

Error in_file(const std::filesystem::path& path, const Error& error) {
  return Error{error.fault, "the principals file " + path.string() + ": " + error.words, error.cause};
}

std::string fresh_token() {
  std::array<std::byte, 32> bits{};
  const auto first = random_128_bits();
  const auto second = random_128_bits();
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), bits.begin()));
  return to_base64url(bits);
}

Json described(const NewPrincipal& added, const std::string& token) {
  Json item{{"name", added.name}};
  if (added.kind == PrincipalKind::link) {
    item["issuer"] = added.issuer;
    item["path"] = added.path;
  } else {
    item["kind"] = added.kind == PrincipalKind::person ? "person" : "service";
    if (added.own_class) item["class"] = to_string(*added.own_class);
  }
  item["tokenSha256"] = hash_of(token);
  return item;
}

// Opens and locks the file that is at `path` now. A replacement between the two leaves the lock on a file without a
// name, and then the next one is tried.
Result<std::shared_ptr<File>> locked_file(FileSystem& files, const std::filesystem::path& path) {
  while (true) {
    auto file = files.open_or_create(path, Access::owner_only);
    if (!file) return pass_on(file.error());
    auto is_locked = (*file)->try_lock();
    if (!is_locked) return pass_on(is_locked.error());
    if (!*is_locked) return fail(Fault::locked, "another process is changing " + path.string() + " now");
    auto identity = (*file)->identity();
    if (!identity) return pass_on(identity.error());
    auto there = files.status(path);
    if (!there) return pass_on(there.error());
    if (*there && (*there)->identity == *identity) return file;
  }
}

// The document with one more; an empty file is one that was just made.
Result<std::string> with_added(std::string_view content, const NewPrincipal& added, const std::string& token) {
  auto document = content.empty() ? Json::object() : parsed(content);
  if (auto sound = entries_of(document); !sound) return pass_on(sound.error());
  const char* list = added.kind == PrincipalKind::link ? "links" : "principals";
  if (!document.contains(list)) document[list] = Json::array();
  for (const auto& item : document[list])
    if (item["name"] == added.name) return fail(Fault::usage, "there is already one with the name " + added.name);
  document[list].push_back(described(added, token));
  if (auto sound = entries_of(document); !sound) return pass_on(sound.error());
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

bool Principal::is_anonymous() const { return name == kAnonymous; }

std::shared_ptr<const Principal> anonymous() {
  static const auto everyone =
      std::make_shared<const Principal>(Principal{std::string(kAnonymous), PrincipalKind::person, kPersonClass});
  return everyone;
}

Result<Principals> Principals::parse(std::string_view json) {
  auto entries = entries_of(parsed(json));
  if (!entries) return pass_on(entries.error());
  Principals principals;
  principals.are_configured_ = true;
  for (auto& entry : *entries)
    principals.by_hash_.emplace(std::move(entry.hash), std::make_shared<const Principal>(std::move(entry.principal)));
  return principals;
}

Result<Principals> Principals::load(FileSystem& files, const std::filesystem::path& path) {
  const auto content = read_whole(files, path, kLargestFile);
  if (!content) return pass_on(content.error());
  if (!*content) return fail(Fault::usage, "there is no principals file " + path.string());
  auto principals = parse(**content);
  if (!principals) return pass_on(in_file(path, principals.error()));
  return principals;
}

std::shared_ptr<const Principal> Principals::by_token(std::string_view token) const {
  const auto found = by_hash_.find(hash_of(token));
  return found == by_hash_.end() ? nullptr : found->second;
}

std::shared_ptr<const Principal> Principals::service(std::string_view name) const {
  for (const auto& [hash, principal] : by_hash_)
    if (principal->kind == PrincipalKind::service && principal->name == name) return principal;
  return nullptr;
}

Principals Principals::with_classes(const std::map<std::string, DownloadClass, std::less<>>& of_services) const {
  auto changed = *this;
  for (auto& [hash, principal] : changed.by_hash_) {
    const auto found = of_services.find(principal->name);
    if (found == of_services.end() || principal->kind != PrincipalKind::service) continue;
    auto other = *principal;
    other.own_class = found->second;
    principal = std::make_shared<const Principal>(std::move(other));
  }
  return changed;
}

Result<std::string> add_principal(FileSystem& files, const std::filesystem::path& path, const NewPrincipal& added) {
  auto token = fresh_token();
  // Alone first: what is wrong with it makes no file.
  if (auto sound = with_added("", added, token); !sound) return pass_on(sound.error());
  const auto held = locked_file(files, path);
  if (!held) return pass_on(held.error());
  const auto content = read_whole(files, path, kLargestFile);
  if (!content) return pass_on(content.error());
  const auto changed = with_added(content->value_or(""), added, token);
  if (!changed) return pass_on(in_file(path, changed.error()));
  if (auto kept = files.replace_durably(path, std::as_bytes(std::span(*changed))); !kept) return pass_on(kept.error());
  return token;
}

}  // namespace arkvory::server
