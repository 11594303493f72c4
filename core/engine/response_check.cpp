// SPDX-License-Identifier: Apache-2.0
#include "core/engine/response_check.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/size.h"
#include "core/http/content_range.h"
#include "core/http/http_date.h"
#include "core/http/repr_digest.h"
#include "core/protocol/header_names.h"

namespace arkvory {

namespace {

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (auto& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// The content coding; empty where there is none. RFC 9110 §8.4.1.3: `x-gzip` is `gzip`.
std::string coding_of(const Headers& headers) {
  const auto field = headers.first("Content-Encoding");
  auto coding = field ? in_lower_case(*field) : std::string();
  if (coding.starts_with("x-")) coding.erase(0, 2);
  return coding == "identity" ? std::string() : coding;
}

// The same, where it is one that nobody wants.
std::string unwanted_coding(const Question& question, const Headers& headers) {
  auto coding = coding_of(headers);
  const bool is_kept = question.raw || question.decoded || coding == question.own_coding;
  return is_kept ? std::string() : coding;
}

std::string media_type_of(const Headers& headers) {
  const auto field = headers.first("Content-Type");
  return field ? in_lower_case(trimmed(field->substr(0, field->find(';')))) : std::string();
}

bool is_chunked(const Headers& headers) {
  const auto coding = headers.first("Transfer-Encoding");
  return coding && equal_ignoring_case(*coding, "chunked");
}

// What the head says of the object itself, but for its size.
RemoteObject described_object(const Headers& headers, WallTime now) {
  using namespace std::chrono_literals;
  RemoteObject object;
  if (const auto tag = headers.first("ETag")) object.tag = StrongTag::parse(*tag);
  if (const auto text = headers.first("Last-Modified")) {
    if (const auto modified = parse_http_date(*text, now)) {
      object.last_modified = std::string(*text);
      const auto date = headers.first("Date");
      const auto answered = date ? parse_http_date(*date, now) : std::nullopt;
      object.date_is_strong = answered && *answered - *modified >= 60s;
    }
  }
  if (coding_of(headers).empty()) object.digest = repr_digest(headers);
  object.media_type = media_type_of(headers);
  return object;
}

// Both say of themselves that they are one version, each in a way that leaves no doubt.
bool is_same_version(const RemoteObject& known, const RemoteObject& other) {
  if (known.tag && other.tag) return known.is_named_by(*other.tag);
  return known.date_is_strong && other.date_is_strong && known.last_modified == other.last_modified;
}

ObjectChanged other_size(const RemoteObject& known, const RemoteObject& other, bool by_range = false) {
  return {.how = fmt::format("its size is now {} bytes, not {}", *other.size, *known.size),
          .object = other,
          .contradicts = is_same_version(known, other),
          .by_range = by_range};
}

// A captive portal, an error page: something of another kind that no validator calls the same.
bool is_of_other_kind(const RemoteObject& known, const RemoteObject& other) {
  return !known.media_type.empty() && !other.media_type.empty() && known.media_type != other.media_type;
}

NotServed untrusted(std::string words) { return NotServed{Error{Fault::untrusted, std::move(words)}}; }

// A 206 to a question for one range. RFC 9110 §15.3.7 lets a server send less than asked, never something else.
Verdict check_partial(const Question& question, const std::optional<RemoteObject>& known, const Headers& headers,
                      WallTime now) {
  if (!question.range) return untrusted("the server sent a part where the whole was asked for");
  if (!unwanted_coding(question, headers).empty()) return AskWhole{"the server encodes the bytes of a range"};
  if (const auto accepts = headers.first("Accept-Ranges"); accepts && equal_ignoring_case(*accepts, "none"))
    return AskWhole{"the server says that it takes no ranges"};
  const auto fields = headers.all("Content-Range");
  if (fields.empty()) return AskWhole{"a range came without Content-Range"};
  const auto stated = ContentRange::parse(fields.front());
  if (fields.size() > 1 || !stated || !stated->range) return AskWhole{"a range came with a malformed Content-Range"};
  if (stated->range->begin() != question.range->begin() || stated->range->end() > question.range->end())
    return AskWhole{fmt::format("another range came than was asked for: \"{}\" instead of \"{}\"", fields.front(),
                                question.range->to_header())};
  auto object = described_object(headers, now);
  object.size = stated->total;
  if (known) {
    if (known->size && object.size && *known->size != *object.size) return other_size(*known, object, true);
    if (!object.size) object.size = known->size;
    if (known->tag && object.tag && !known->is_named_by(*object.tag))
      return ObjectChanged{.how = "its entity tag is another now", .object = object, .by_range = true};
    // Without tags on both sides even a weak date tells two objects apart, if it tells them the same one or not.
    const bool tagged = known->tag && object.tag;
    if (!tagged && !known->last_modified.empty() && !object.last_modified.empty() &&
        known->last_modified != object.last_modified)
      return ObjectChanged{
          .how = fmt::format("it was modified on {}", object.last_modified), .object = object, .by_range = true};
  }
  if (!object.size) return AskWhole{"the server does not tell the object's size"};
  return TakeRange{*stated->range, object};
}

// A 200: the whole object, whatever was asked.
Verdict check_whole(const Question& question, const std::optional<RemoteObject>& known, const Headers& headers,
                    WallTime now) {
  auto object = described_object(headers, now);
  const auto length = headers.first("Content-Length");
  const bool chunked = is_chunked(headers);
  if (length && !chunked) {
    object.size = parse_number(*length);
    if (!object.size) return untrusted(fmt::format("Content-Length \"{}\" is no length", *length));
  }
  // The length is that of the encoded bytes.
  if (question.decoded && !coding_of(headers).empty()) object.size.reset();
  if (known && known->size && object.size && *known->size != *object.size) return other_size(*known, object);
  // A known size stands although this answer does not repeat it.
  const auto same = known ? same_object(*known, object) : std::nullopt;
  if (same == false) return ObjectChanged{"its validators are others now", object};
  if (known && !same && is_of_other_kind(*known, object))
    return ObjectChanged{fmt::format("it is {} now, not {}", object.media_type, known->media_type), object};
  if (known && question.range) {
    if (same && question.conditional) return AskPlainly{};
    return AskWhole{"ranges are ignored"};
  }
  return TakeWhole{object, chunked || length.has_value(), unwanted_coding(question, headers)};
}

// A 416. Questions are only for bytes that the object has, as far as was known.
Verdict check_unsatisfiable(const Question& question, const std::optional<RemoteObject>& known, const Headers& headers,
                            WallTime now) {
  const auto field = headers.first("Content-Range");
  const auto stated = field ? ContentRange::parse(*field) : std::nullopt;
  const bool tells_size = stated && stated->total && !stated->range;
  if (tells_size && *stated->total == 0 && (!known || known->size == 0U)) {
    auto object = described_object(headers, now);
    object.size = 0;
    return TakeEmpty{object};
  }
  if (tells_size && known && known->size && *known->size != *stated->total) {
    auto object = described_object(headers, now);
    object.size = stated->total;
    return other_size(*known, object);
  }
  if (question.range) return AskWhole{"the server says that it has no such range"};
  return untrusted("the server refuses a range that was not asked for");
}

bool is_queue_answer(const Headers& headers) {
  return headers.has(header::kQueuePosition) || headers.has(header::kQueueTicket) || headers.has(header::kStartsAt);
}

// What can be done about a status that serves nothing.
Fault fault_of(int status, const Headers& headers, bool asked) {
  // client.md, Waiting: what counts as busy, whatever the status says.
  if (is_queue_answer(headers) || status == 429 || (asked && (status == 503 || status == 202))) return Fault::busy;
  if (status == 401 || status == 403 || status == 407) return Fault::auth;
  if (status == 408 || status == 425 || status == 202 || status >= 500) return Fault::network;
  return status >= 400 ? Fault::refused : Fault::untrusted;
}

Verdict check_refusal(int status, const Headers& headers, WallTime now) {
  const auto asked = RetryAfter::from(headers, now);
  const auto fault = fault_of(status, headers, asked.has_value());
  auto words = fmt::format("the server answered {}", status);
  if (fault == Fault::untrusted) return untrusted(words + ", which is no answer to this question");
  return NotServed{{fault, std::move(words)}, asked, QueueNotice::from(headers), time_of_answer(headers, now), status};
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

std::optional<bool> same_object(const RemoteObject& known, const RemoteObject& other) {
  if (known.tag && other.tag) return known.is_named_by(*other.tag);
  if (known.size && other.size && *known.size != *other.size) return false;
  if (known.date_is_strong && other.date_is_strong) return known.last_modified == other.last_modified;
  return std::nullopt;
}

std::string coding_of_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> codings = {
      {{".gz", "gzip"}, {".tgz", "gzip"}, {".br", "br"}, {".zst", "zstd"}, {".Z", "compress"}}};
  for (const auto& [suffix, coding] : codings)
    if (name.ends_with(suffix)) return std::string(coding);
  return {};
}

Verdict check_response(const Question& question, const std::optional<RemoteObject>& known, const ResponseHead& head,
                       WallTime now) {
  if (head.status == 206) return check_partial(question, known, head.headers, now);
  if (head.status == 200) return check_whole(question, known, head.headers, now);
  if (head.status == 416 && !is_queue_answer(head.headers))
    return check_unsatisfiable(question, known, head.headers, now);
  if (is_redirect(head.status)) {
    const auto location = head.headers.first("Location");
    if (!location) return untrusted(fmt::format("a redirect ({}) says not where to", head.status));
    return Redirected{std::string(*location), RetryAfter::from(head.headers, now)};
  }
  return check_refusal(head.status, head.headers, now);
}

}  // namespace arkvory
