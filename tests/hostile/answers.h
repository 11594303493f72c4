// SPDX-License-Identifier: Apache-2.0
// What a server does with a request, as values to put together: OK, CUT and BUSY of hostile-cases.md, and changes to a
// correct answer. An Answer may count, so a case makes its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/http/headers.h"
#include "tests/hostile/object.h"
#include "tests/support/object_answer.h"
#include "tests/support/raw_origin.h"

namespace arkvory::hostile {

class Site;

struct Ask {
  const test::RawRequest& request;
  test::RawConnection& wire;
  const Object& object;
  Site& site;
};

using Answer = std::function<void(const Ask&)>;

enum class Break { none, fin, rst, stall, rude };  // rude: over TLS, FIN without close_notify

// An answer in full before it is sent.
struct Prepared {
  int status = 200;
  Headers headers{};
  std::vector<std::byte> body{};
  bool chunked = false;  // the body goes out in chunks, whatever the headers say
  bool with_last_chunk = true;
  std::optional<std::uint64_t> cut_at{};  // so many bytes of the body, then `how`
  Break how = Break::none;                // without a cut: after the body
};

using Edit = std::function<void(Prepared&, const Ask&)>;

inline const std::string kTag = "\"A\"";
inline const std::string kOldDate = "Sun, 06 Nov 2022 08:49:37 GMT";

// How a correct server describes the object, where a case does not say otherwise.
struct Facts {
  std::optional<std::string> etag = kTag;
  std::optional<std::string> last_modified = kOldDate;
  bool ranges = true;
};

// OK: correct, with a strong tag and an old date.
Answer ok(const Facts& facts = {});
// A correct answer, changed.
Answer edited(Edit edit, const Facts& facts = {});
// Only where the answer is a 206 for a range that does not begin at zero.
Edit where_resumed(Edit edit);
// Only the first `count` answers that it sees.
Edit only_first(int count, Edit edit);

Edit cut_after(std::uint64_t bytes, Break how);
// In chunks and without a length.
Edit in_chunks();
Edit with_header(const std::string& name, const std::string& value);
Edit without_header(const std::string& name);

// CUT(k, h).
Answer cut(std::uint64_t bytes, Break how);
// An answer that has no object in it.
Answer status(int code, Headers headers = {}, const std::string& body = "no\n");
Answer redirect(const std::string& location, Headers more = {});
// Headers as pairs.
Headers fields(std::initializer_list<std::pair<std::string, std::string>> pairs);

// The first `count` requests get one answer, the others the next. BUSY(n, …) is first(n, status(…), ok()).
Answer first(int count, Answer before, Answer then);
// One after the other; the last stays.
Answer in_turn(std::vector<Answer> answers);
// By the beginning of the target; what fits none gets the last.
Answer by_path(std::vector<std::pair<std::string, Answer>> routes, Answer otherwise);

void send(const Prepared& answer, test::RawConnection& wire);
Prepared correct_answer(const Ask& ask, const Facts& facts);

// What is asked for: nothing without a Range of the form first-last or first-.
std::optional<std::uint64_t> first_byte_of(const test::RawRequest& request);

// A date for headers, so far from now.
std::string http_date(Duration from_now);

}  // namespace arkvory::hostile
