// SPDX-License-Identifier: Apache-2.0
#include "core/engine/response_check.h"

#include <fmt/format.h>

#include "core/base/size.h"
#include "core/http/content_range.h"
#include "core/http/http_date.h"
#include "core/http/repr_digest.h"
#include "core/protocol/header_names.h"

namespace arkvory {

namespace {

// The content coding that was not asked for; empty where there is none.
std::string coding_of(const Headers& headers) {
  const auto coding = headers.first("Content-Encoding");
  return coding && !equal_ignoring_case(*coding, "identity") ? std::string(*coding) : std::string();
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
  return object;
}

NotServed refusal(Fault fault, std::string words) { return NotServed{Error{fault, std::move(words)}}; }

NotServed untrusted(std::string words) { return refusal(Fault::untrusted, std::move(words)); }

// A 206 to a question for one range. RFC 9110 §15.3.7 lets a server send less than asked, never something else.
Verdict check_partial(const Question& question, const std::optional<RemoteObject>& known, const Headers& headers,
                      WallTime now) {
  if (!question.range) return untrusted("the server sent a part where the whole was asked for");
  if (!coding_of(headers).empty()) return AskWhole{"the server encodes the bytes of a range"};
  const auto fields = headers.all("Content-Range");
  if (fields.empty()) return AskWhole{"a range came without Content-Range"};
  const auto stated = ContentRange::parse(fields.front());
  if (fields.size() > 1 || !stated || !stated->range) return AskWhole{"a range came with a malformed Content-Range"};
  if (stated->range->begin() != question.range->begin() || stated->range->end() > question.range->end())
    return refusal(Fault::network, fmt::format("another range came than was asked for: \"{}\" instead of \"{}\"",
                                               fields.front(), question.range->to_header()));
  auto object = described_object(headers, now);
  object.size = stated->total;
  if (known) {
    if (known->size && object.size && *known->size != *object.size)
      return ObjectChanged{fmt::format("its size is now {} bytes, not {}", *object.size, *known->size)};
    if (known->tag && object.tag && *known->tag != *object.tag) return ObjectChanged{"its entity tag is another now"};
    // Without tags on both sides even a weak date tells two objects apart, if it tells them the same one or not.
    const bool tagged = known->tag && object.tag;
    if (!tagged && !known->last_modified.empty() && !object.last_modified.empty() &&
        known->last_modified != object.last_modified)
      return ObjectChanged{fmt::format("it was modified on {}", object.last_modified)};
    if (!object.size) object.size = known->size;
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
  const bool other_size = known && known->size && object.size && *known->size != *object.size;
  if (other_size) return ObjectChanged{fmt::format("its size is now {} bytes, not {}", *object.size, *known->size)};
  // A known size stands although this answer does not repeat it.
  if (known && question.range) {
    const auto same = same_object(*known, object);
    if (same && *same) return question.conditional ? Verdict(AskPlainly{}) : Verdict(AskWhole{"ranges are ignored"});
    if (same) return ObjectChanged{"its validators are others now"};
    return AskWhole{"ranges are ignored"};
  }
  if (known && same_object(*known, object) == false) return ObjectChanged{"its validators are others now"};
  return TakeWhole{object, chunked || length.has_value(), coding_of(headers)};
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
  if (tells_size && known && known->size && *known->size != *stated->total)
    return ObjectChanged{fmt::format("its size is now {} bytes, not {}", *stated->total, *known->size)};
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

std::optional<bool> same_object(const RemoteObject& first, const RemoteObject& second) {
  if (first.tag && second.tag) return *first.tag == *second.tag;
  if (first.size && second.size && *first.size != *second.size) return false;
  if (first.date_is_strong && second.date_is_strong) return first.last_modified == second.last_modified;
  return std::nullopt;
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
