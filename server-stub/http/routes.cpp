// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/routes.h"

#include <string>
#include <string_view>
#include <utility>

#include "core/http/content_range.h"
#include "core/http/http_date.h"
#include "core/http/repr_digest.h"
#include "core/protocol/header_names.h"
#include "server-stub/http/bearer.h"
#include "server-stub/http/conditions.h"
#include "server-stub/http/folder_page.h"
#include "server-stub/http/framing.h"
#include "server-stub/http/target.h"

namespace arkvory::server {
namespace {

constexpr std::string_view kFiles = "/files/";
constexpr std::string_view kArtifacts = "/api/v1/artifacts/";
constexpr std::string_view kLinks = "/d/";
constexpr std::string_view kSha256 = "sha256:";
constexpr std::string_view kAllowed = "GET, HEAD, DELETE";
constexpr Duration kIndexingPause = std::chrono::seconds(1);

Answer invalid(std::string detail, std::string field = {}) {
  return refusal(400, "invalid_request", std::move(detail), std::move(field));
}

Answer not_found() { return refusal(404, "not_found", "there is no such object here"); }

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

// A page that is only looked at.
Routed looked_at(const Request& request, Routed page) {
  if (request.method == "GET" || request.method == "HEAD") return page;
  return method_not_allowed("GET, HEAD");
}

Answer healthz() {
  Answer answer;
  answer.status = 200;
  answer.headers.add("Content-Type", "text/plain; charset=utf-8");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = "ok\n";
  return answer;
}

// Who asks, or why nobody may.
using Asker = std::variant<Answer, std::shared_ptr<const Principal>>;

Asker asker_of(const Request& request, const Principals& principals) {
  if (!principals.are_configured()) return anonymous();
  const auto authorization = request.headers.first("Authorization");
  if (!authorization) return unauthorized("a token is needed");
  const auto token = bearer_token(*authorization);
  if (!token) return unauthorized("a Bearer token is needed");
  auto principal = principals.by_token(*token);
  if (!principal) return unauthorized("the token is nobody's");
  return principal;
}

bool may_have(const Principal& principal, const ObjectName& object) {
  if (principal.kind != PrincipalKind::link) return true;
  const auto* path = std::get_if<RelativePath>(&object);
  return path != nullptr && path->text() == principal.path;
}

std::optional<Ticket> ticket_of(const Request& request) {
  const auto tickets = request.headers.all(header::kQueueTicket);
  return tickets.size() == 1 ? Ticket::parse(tickets.front()) : std::nullopt;
}

// What a request for an object says, whatever the object and whoever asks.
struct Shape {
  Action action = Action::get;
  RangeRequest range;
  std::optional<DownloadClass> asked_class;
  std::optional<DownloadId> id;
};

std::variant<Answer, Shape> shape_of(const Request& request) {
  if (request.headers.all("Authorization").size() > 1)
    return invalid("the header came more than once", "Authorization");
  auto id = one_field(request, header::kDownloadId, "16 to 64 of A-Za-z0-9_-", DownloadId::parse);
  if (id.refused) return std::move(*id.refused);
  auto asked =
      one_field(request, header::kDownloadClass, "one of interactive, release, bulk, background", parse_download_class);
  if (asked.refused) return std::move(*asked.refused);
  Shape shape{Action::get, NoRange{}, asked.value, std::move(id.value)};
  if (request.method == "HEAD") shape.action = Action::head;
  if (request.method == "DELETE") shape.action = Action::cancel;
  if (shape.action == Action::get && request.method != "GET") return method_not_allowed(std::string(kAllowed));
  if (shape.action == Action::cancel && !shape.id)
    return invalid("a download is ended by its id", std::string(header::kDownloadId));
  if (shape.action == Action::get) shape.range = range_request(request.headers);
  if (std::holds_alternative<MalformedRange>(shape.range))
    return invalid("a single range of bytes, such as bytes=0-99, bytes=100- or bytes=-100", "Range");
  return shape;
}

ObjectRequest object_request(const Request& request, Shape shape, ObjectName object,
                             std::shared_ptr<const Principal> principal) {
  const auto own = principal->own_class;
  auto ticket = ticket_of(request);
  const bool has_broken_ticket = !ticket && request.headers.first(header::kQueueTicket);
  return ObjectRequest{std::move(object),
                       shape.action,
                       shape.range,
                       std::move(principal),
                       lowered(own, shape.asked_class.value_or(own)),
                       std::move(shape.id),
                       std::move(ticket),
                       has_broken_ticket};
}

Routed route_object(const Request& request, const Principals& principals, ObjectName object) {
  auto shape = shape_of(request);
  if (auto* refused = std::get_if<Answer>(&shape)) return std::move(*refused);
  auto asker = asker_of(request, principals);
  if (auto* refused = std::get_if<Answer>(&asker)) return std::move(*refused);
  auto principal = std::get<std::shared_ptr<const Principal>>(std::move(asker));
  if (!may_have(*principal, object)) return refusal(403, "forbidden", "the link is for another object");
  return object_request(request, std::get<Shape>(std::move(shape)), std::move(object), std::move(principal));
}

// A share link: who asks is the link, whatever else the request says of itself (protocol.md §1).
Routed route_link(const Request& request, const Principals& principals, std::string_view token) {
  auto shape = shape_of(request);
  if (auto* refused = std::get_if<Answer>(&shape)) return std::move(*refused);
  auto link = principals.by_token(token);
  if (!link || link->kind != PrincipalKind::link) return not_found();
  auto object = RelativePath::from_text(link->path);
  return object_request(request, std::get<Shape>(std::move(shape)), std::move(object), std::move(link));
}

Routed route_any(const Request& request, const Principals& principals, const ControlKeys& control_keys) {
  const auto path = path_of(request.target);
  if (auto routed = route_operator(request, control_keys))
    return std::visit([](auto& one) { return Routed(std::move(one)); }, *routed);
  if (path == "/healthz") return looked_at(request, healthz());
  if (path == "/readyz") return looked_at(request, ReadinessRequest{});
  if (path == "/metrics") return looked_at(request, MetricsRequest{});
  if (path.starts_with(kLinks)) return route_link(request, principals, path.substr(kLinks.size()));
  if (path.starts_with(kFiles) || path == kFiles.substr(0, kFiles.size() - 1)) {
    const auto encoded = path.size() < kFiles.size() ? std::string_view() : path.substr(kFiles.size());
    auto object = RelativePath::from_url(encoded);
    if (!object) return invalid(object.error().words);
    return route_object(request, principals, std::move(*object));
  }
  const auto artifact = path.starts_with(kArtifacts) ? path.substr(kArtifacts.size()) : std::string_view();
  if (artifact.starts_with(kSha256)) {
    const auto digest = Sha256Digest::from_hex(artifact.substr(kSha256.size()));
    if (!digest) return invalid("an artifact is named sha256: and 64 hexadecimal digits");
    return route_object(request, principals, *digest);
  }
  // That there is nothing is no news for those who may not ask.
  auto asker = asker_of(request, principals);
  if (auto* refused = std::get_if<Answer>(&asker)) return std::move(*refused);
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

std::string canonical_text(const ObjectName& object) {
  if (const auto* path = std::get_if<RelativePath>(&object)) return "path:" + path->text();
  return "artifact:sha256:" + std::get<Sha256Digest>(object).to_hex();
}

Routed route(const Request& request, const Principals& principals, const ControlKeys& control_keys) {
  const auto hosts = request.headers.all("Host");
  if (hosts.size() > 1 || (hosts.empty() && !request.is_http_1_0))
    return for_method(request, invalid("exactly one Host", "Host"));
  if (!hosts.empty() && !is_host(hosts.front())) return for_method(request, invalid("a host and a port", "Host"));
  auto routed = route_any(request, principals, control_keys);
  if (auto* answer = std::get_if<Answer>(&routed)) *answer = for_method(request, std::move(*answer));
  return routed;
}

Answer answer_object(const Request& request, const ObjectRequest& asked, const Result<FoundObject>& found,
                     const std::optional<Sha256Digest>& digest, WallTime now) {
  if (!found) return for_method(request, refusal(500, "internal", found.error().words));
  return for_method(request, answer_found(request, asked, *found, digest, now));
}

}  // namespace arkvory::server
