// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/answers.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

#include "core/http/http_date.h"

namespace arkvory::hostile {

namespace {

constexpr std::size_t kChunk = 64UL * 1024;

// Counts over all who hold a copy.
class Count {
 public:
  int next() const { return ++*count_; }

 private:
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

void remove_header(Headers& headers, const std::string& name) {
  Headers kept;
  for (const auto& field : headers.fields())
    if (!equal_ignoring_case(field.name, name)) kept.add(field.name, field.value);
  headers = kept;
}

void send_body(const Prepared& answer, test::RawConnection& wire) {
  auto left = std::span(answer.body);
  if (answer.cut_at) left = left.first(std::min<std::size_t>(left.size(), *answer.cut_at));
  if (!answer.chunked) return wire.send(left);
  while (!left.empty() && wire.is_open()) {
    const auto piece = left.first(std::min(left.size(), kChunk));
    char head[32];
    std::snprintf(head, sizeof head, "%zx\r\n", piece.size());
    wire.send(std::string_view(head));
    wire.send(piece);
    wire.send(std::string_view("\r\n"));
    left = left.subspan(piece.size());
  }
  if (!answer.cut_at && answer.with_last_chunk) wire.send(std::string_view("0\r\n\r\n"));
}

}  // namespace

void send(const Prepared& answer, test::RawConnection& wire) {
  wire.send_head(answer.status, answer.headers);
  send_body(answer, wire);
  switch (answer.how) {
    case Break::none: return;
    case Break::fin: return wire.close();
    case Break::rst: return wire.reset();
    case Break::stall: return wire.stall();
    case Break::rude: return wire.hang_up();
  }
}

Prepared correct_answer(const Ask& ask, const Facts& facts) {
  const test::ObjectFacts object{
      .size = ask.object.size(), .etag = facts.etag, .last_modified = facts.last_modified, .ranges = facts.ranges};
  const auto right = test::answer_for(object, ask.request.method, ask.request.headers);
  Prepared answer{.status = right.status, .headers = right.headers};
  answer.headers.add("Date", http_date({}));
  if (!right.bytes) return answer;
  const auto body = std::span(ask.object.bytes).subspan(right.bytes->begin(), right.bytes->length());
  answer.body.assign(body.begin(), body.end());
  return answer;
}

Answer ok(const Facts& facts) {
  return edited([](Prepared&, const Ask&) {}, facts);
}

Answer edited(Edit edit, const Facts& facts) {
  return [edit = std::move(edit), facts](const Ask& ask) {
    auto answer = correct_answer(ask, facts);
    edit(answer, ask);
    send(answer, ask.wire);
  };
}

Edit where_resumed(Edit edit) {
  return [edit = std::move(edit)](Prepared& answer, const Ask& ask) {
    if (answer.status == 206 && first_byte_of(ask.request).value_or(0) > 0) edit(answer, ask);
  };
}

Edit only_first(int count, Edit edit) {
  return [count, seen = Count(), edit = std::move(edit)](Prepared& answer, const Ask& ask) {
    if (seen.next() <= count) edit(answer, ask);
  };
}

Edit cut_after(std::uint64_t bytes, Break how) {
  return [bytes, how](Prepared& answer, const Ask&) {
    if (answer.body.size() <= bytes) return;
    answer.cut_at = bytes;
    answer.how = how;
  };
}

Edit in_chunks() {
  return [](Prepared& answer, const Ask&) {
    remove_header(answer.headers, "Content-Length");
    answer.headers.add("Transfer-Encoding", "chunked");
    answer.chunked = true;
  };
}

Edit with_header(const std::string& name, const std::string& value) {
  return [name, value](Prepared& answer, const Ask&) { answer.headers.set(name, value); };
}

Edit without_header(const std::string& name) {
  return [name](Prepared& answer, const Ask&) { remove_header(answer.headers, name); };
}

Answer cut(std::uint64_t bytes, Break how) { return edited(cut_after(bytes, how)); }

Answer status(int code, Headers headers, const std::string& body) {
  headers.add("Content-Length", std::to_string(body.size()));
  return [code, headers = std::move(headers), body](const Ask& ask) {
    auto all = headers;
    if (!all.has("Date")) all.add("Date", http_date({}));
    ask.wire.send_head(code, all);
    ask.wire.send(body);
  };
}

Answer redirect(const std::string& location, Headers more) {
  more.add("Location", location);
  return status(302, std::move(more), "");
}

Headers fields(std::initializer_list<std::pair<std::string, std::string>> pairs) {
  Headers headers;
  for (const auto& [name, value] : pairs) headers.add(name, value);
  return headers;
}

Answer first(int count, Answer before, Answer then) {
  return [count, seen = Count(), before = std::move(before), then = std::move(then)](const Ask& ask) {
    if (seen.next() <= count)
      before(ask);
    else
      then(ask);
  };
}

Answer in_turn(std::vector<Answer> answers) {
  return [seen = Count(), answers = std::move(answers)](const Ask& ask) {
    const auto number = static_cast<std::size_t>(seen.next() - 1);
    answers[std::min(number, answers.size() - 1)](ask);
  };
}

Answer by_path(std::vector<std::pair<std::string, Answer>> routes, Answer otherwise) {
  return [routes = std::move(routes), otherwise = std::move(otherwise)](const Ask& ask) {
    for (const auto& [path, answer] : routes)
      if (ask.request.target.starts_with(path)) return answer(ask);
    otherwise(ask);
  };
}

std::optional<std::uint64_t> first_byte_of(const test::RawRequest& request) {
  const auto range = request.headers.first("Range");
  if (!range || !range->starts_with("bytes=")) return std::nullopt;
  std::uint64_t value = 0;
  const auto text = range->substr(6);
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

std::string http_date(Duration from_now) { return format_http_date(SystemClock().wall_now() + from_now); }

}  // namespace arkvory::hostile
