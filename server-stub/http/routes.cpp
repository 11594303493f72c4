// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/routes.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/http/content_range.h"
#include "core/http/http_date.h"
#include "core/http/repr_digest.h"
#include "core/protocol/header_names.h"
#include "server-stub/http/conditions.h"
#include "server-stub/http/folder_page.h"
#include "server-stub/http/target.h"

namespace arkvory::server {
namespace {

constexpr std::string_view kFiles = "/files/";
constexpr std::string_view kArtifacts = "/api/v1/artifacts/";
constexpr std::string_view kSha256 = "sha256:";
constexpr Duration kIndexingPause = std::chrono::seconds(1);

// Without principals everyone is the person `anonymous` (protocol.md §6).
constexpr DownloadClass kAnonymousClass = DownloadClass::interactive;

Answer invalid(std::string detail, std::string field = {}) {
  return refusal(400, "invalid_request", std::move(detail), std::move(field));
}

Answer not_found() { return refusal(404, "not_found", "there is no such object here"); }

Answer method_not_allowed(std::string allowed) {
  auto answer = refusal(405, "method_not_allowed", "allowed here: " + allowed);
  answer.headers.add("Allow", std::move(allowed));
  return answer;
}

// The refusal of a field that came twice or that its parser refuses.
template <typename Value>
struct Field {
  std::optional<Value> value;
  std::optional<Answer> refused;
};

template <typename Parse>
auto one_field(const Request& request, std::string_view name, std::string expected, Parse parse)
    -> Field<typename decltype(parse(std::string_view()))::value_type> {
  const auto values = request.headers.all(name);
  if (values.empty()) return {};
  if (values.size() > 1) return {std::nullopt, invalid("the header came more than once", std::string(name))};
  auto value = parse(values.front());
  if (!value) return {std::nullopt, invalid(std::move(expected), std::string(name))};
  return {std::move(value), std::nullopt};
}

Answer healthz(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return method_not_allowed("GET, HEAD");
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", "text/plain; charset=utf-8");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = "ok\n";
  return answer;
}

std::variant<Answer, ObjectRequest> route_object(const Request& request, ObjectName object) {
  auto id = one_field(request, header::kDownloadId, "16 to 64 of A-Za-z0-9_-", DownloadId::parse);
  if (id.refused) return std::move(*id.refused);
  auto asked =
      one_field(request, header::kDownloadClass, "one of interactive, release, bulk, background", parse_download_class);
  if (asked.refused) return std::move(*asked.refused);
  if (request.method == "DELETE" && !id.value)
    return invalid("a download is ended by its id", std::string(header::kDownloadId));
  if (request.method == "DELETE") return refusal(404, "not_found", "there is no such download here");
  if (request.method != "GET" && request.method != "HEAD") return method_not_allowed("GET, HEAD, DELETE");
  ObjectRequest wanted{std::move(object), request.method == "HEAD", NoRange{},
                       lowered(kAnonymousClass, asked.value.value_or(kAnonymousClass)), std::move(id.value)};
  if (!wanted.is_head) wanted.range = range_request(request.headers);
  if (std::holds_alternative<MalformedRange>(wanted.range))
    return invalid("a single range of bytes, such as bytes=0-99, bytes=100- or bytes=-100", "Range");
  return wanted;
}

std::variant<Answer, ObjectRequest> route_any(const Request& request) {
  const auto path = path_of(request.target);
  if (path == "/healthz") return healthz(request);
  if (path.starts_with(kFiles) || path == kFiles.substr(0, kFiles.size() - 1)) {
    const auto encoded = path.size() < kFiles.size() ? std::string_view() : path.substr(kFiles.size());
    auto object = RelativePath::from_url(encoded);
    if (!object) return invalid(object.error().words);
    return route_object(request, std::move(*object));
  }
  if (path.starts_with(kArtifacts)) {
    const auto name = path.substr(kArtifacts.size());
    if (!name.starts_with(kSha256)) return not_found();
    const auto digest = Sha256Digest::from_hex(name.substr(kSha256.size()));
    if (!digest) return invalid("an artifact is named sha256: and 64 hexadecimal digits");
    return route_object(request, *digest);
  }
  return not_found();
}

// What every answer with the object's bytes carries, and a 304 as well (RFC 9110 §15.4.5).
Headers object_headers(const Validators& validators) {
  Headers headers;
  headers.add("ETag", validators.tag);
  headers.add("Last-Modified", format_http_date(validators.last_modified));
  headers.add("Accept-Ranges", "bytes");
  return headers;
}

Answer range_not_satisfiable(std::uint64_t size) {
  auto answer = refusal(416, "range_not_satisfiable", "the object has " + std::to_string(size) + " bytes", "Range");
  answer.headers.add("Content-Range", ContentRange{std::nullopt, size}.to_header());
  return answer;
}

Answer answer_file(const Request& request, const ObjectRequest& asked, const std::shared_ptr<ObjectFile>& file,
                   const std::optional<Sha256Digest>& digest, WallTime now) {
  const auto size = file->identity().size;
  const Validators validators{entity_tag(file->identity()), last_modified(file->identity(), now)};
  const auto precondition = evaluate(request.headers, validators, now);
  if (precondition == Precondition::failed)
    return refusal(412, "precondition_failed", "the object is not the one that the condition names");
  Answer answer;
  answer.headers = object_headers(validators);
  if (precondition == Precondition::not_modified) {
    answer.status = 304;
    answer.is_body_sent = false;
    return answer;
  }
  answer.status = 200;
  answer.file = FileBody{file, 0, size};
  const auto* single = std::get_if<SingleRange>(&asked.range);
  if (single != nullptr && range_applies(request.headers, validators, now)) {
    const auto range = resolve(*single, size);
    if (!range) return range_not_satisfiable(size);
    answer.status = 206;
    answer.file = FileBody{file, range->begin(), range->end()};
    answer.headers.add("Content-Range", ContentRange{*range, size}.to_header());
  }
  answer.headers.add("Content-Type", "application/octet-stream");
  answer.headers.add("X-Content-Type-Options", "nosniff");
  answer.headers.add(std::string(header::kDownloadClass), std::string(to_string(asked.download_class)));
  if (digest) answer.headers.add("Repr-Digest", repr_digest_value(*digest));
  return answer;
}

Answer answer_found(const Request& request, const ObjectRequest& asked, const FoundObject& found,
                    const std::optional<Sha256Digest>& digest, WallTime now) {
  if (const auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&found))
    return answer_file(request, asked, *file, digest, now);
  if (const auto* folder = std::get_if<Folder>(&found))
    return folder_page(*folder, std::get<RelativePath>(asked.object), request.headers);
  if (std::holds_alternative<StillIndexing>(found))
    return busy("indexing", "not all files have been read yet", kIndexingPause);
  return not_found();
}

// A HEAD has the headers of the GET, its Content-Length too (RFC 9110 §9.3.2).
Answer for_method(const Request& request, Answer answer) {
  if (request.method == "HEAD") answer.is_body_sent = false;
  return answer;
}

}  // namespace

std::variant<Answer, ObjectRequest> route(const Request& request) {
  const auto hosts = request.headers.all("Host").size();
  if (hosts > 1 || (hosts == 0 && !request.is_http_1_0))
    return for_method(request, invalid("exactly one Host", "Host"));
  auto routed = route_any(request);
  if (auto* answer = std::get_if<Answer>(&routed)) *answer = for_method(request, std::move(*answer));
  return routed;
}

Answer answer_object(const Request& request, const ObjectRequest& asked, const Result<FoundObject>& found,
                     const std::optional<Sha256Digest>& digest, WallTime now) {
  if (!found) return for_method(request, refusal(500, "internal", found.error().words));
  return for_method(request, answer_found(request, asked, *found, digest, now));
}

}  // namespace arkvory::server
