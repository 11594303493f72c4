// SPDX-License-Identifier: Apache-2.0
// What an answer's head means for what was asked: the one place that judges status, Content-Range and validators
// (client.md, Trust in ranges). A pure function; nothing is written before it has spoken.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/base/byte_range.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/engine/remote_object.h"
#include "core/http/retry_after.h"
#include "core/http/transport.h"
#include "core/protocol/queue_notice.h"

namespace arkvory {

struct Question {
  std::optional<ByteRange> range{};  // absent: the whole object
  bool conditional = false;          // If-Range was sent
  // Bytes that come encoded although that was not asked for are kept so: all of them, or those of the coding that the
  // target's own name tells (`gzip` for `x.gz`).
  bool raw = false;
  std::string own_coding{};
  bool decoded = false;  // the transport takes the coding off
};

// The bytes of `range` follow: it begins where the question does and ends no later.
struct TakeRange {
  ByteRange range;
  RemoteObject object;
};
// The whole object follows, from its first byte. `framed` is false where only the end of the connection ends it, so
// that a cut can't be told from the end.
struct TakeWhole {
  RemoteObject object;
  bool framed = true;
  std::string coding{};  // of Content-Encoding, where the bytes come in one that nobody wants
};
// The object has no bytes.
struct TakeEmpty {
  RemoteObject object;
};
// The same object, but sent whole: If-Range is not understood. Ask for the range without it.
struct AskPlainly {};
// Ranges can't be had here, or can't be trusted: ask for the whole object, in one stream.
struct AskWhole {
  std::string why;
};
// The whole object again, with its content coding taken off.
struct AskDecoded {
  std::string coding;
};
// Another object answers under the URL now, as far as its head tells.
struct ObjectChanged {
  std::string how;
  RemoteObject object{};
  bool contradicts = false;  // the same version, by its strong validator, is said to have another size
  bool is_proven = false;    // its bytes were seen to be others
  bool by_range = false;     // told by a proper answer to a question for a range, which no portal sends
};
struct Redirected {
  std::string location;
  std::optional<RetryAfter> asked{};  // not to be followed at once
};
// Anything else, by what one can do about it. `asked` says when to come back, for those that are busy; the body may
// tell that an answer is, whatever its head said.
struct NotServed {
  Error error;
  std::optional<RetryAfter> asked{};
  QueueNotice notice{};
  WallTime answered{};  // the server's own time
  int status = 0;
};

using Verdict = std::variant<TakeRange, TakeWhole, TakeEmpty, AskPlainly, AskWhole, AskDecoded, ObjectChanged,
                             Redirected, NotServed>;

// `known` is what earlier answers told, if any; `now` only helps to read two-digit years and dates without `Date`.
Verdict check_response(const Question& question, const std::optional<RemoteObject>& known, const ResponseHead& head,
                       WallTime now);

// `known` and `other` are the same bytes as far as their validators tell: equal strong tags, else equal dates that
// are strong and equal sizes. Without a validator on both sides: nothing, because that proves nothing.
std::optional<bool> same_object(const RemoteObject& known, const RemoteObject& other);

// The content coding that a file's name tells: `gzip` for `x.gz` and `x.tgz`; empty for most.
std::string coding_of_name(std::string_view name);

}  // namespace arkvory
