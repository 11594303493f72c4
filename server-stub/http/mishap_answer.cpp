// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/mishap_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>
#include <variant>

#include "core/base/size.h"
#include "core/http/content_range.h"
#include "server-stub/mishap/altered_file.h"

namespace arkvory::server {
namespace {

Headers without(const Headers& headers, std::initializer_list<std::string_view> names) {
  Headers kept;
  for (const auto& field : headers.fields()) {
    const auto is_field = [&field](std::string_view name) { return equal_ignoring_case(name, field.name); };
    if (std::none_of(names.begin(), names.end(), is_field)) kept.add(field.name, field.value);
  }
  return kept;
}

// As a proxy answers that knows nothing of this server.
Answer foreign_answer(int status, std::string text, bool is_body_sent) {
  Answer answer;
  answer.status = status;
  answer.headers.add("Content-Type", "text/plain; charset=utf-8");
  answer.text = std::move(text);
  answer.is_body_sent = is_body_sent;
  return answer;
}

class Disturber {
 public:
  Disturber(Answer& answer, Disturbance& disturbance) : answer_(answer), disturbance_(disturbance) {}

  void operator()(const Delay& delay) { disturbance_.delay = delay.duration; }
  void operator()(const EmptyReply& reply) {
    disturbance_.is_unanswered = true;
    disturbance_.is_reset = reply.is_reset;
  }
  void operator()(const ErrorStatus& status) {
    answer_ = foreign_answer(status.code, status.body, answer_.is_body_sent);
    if (status.retry_after) answer_.headers.add("Retry-After", *status.retry_after);
  }
  void operator()(const Busy& busy) {
    answer_ = foreign_answer(503, "busy\n", answer_.is_body_sent);
    answer_.headers.add("Retry-After", busy.retry_after);
  }
  void operator()(const Redirect& redirect) {
    answer_ = foreign_answer(redirect.code, redirect.location + "\n", answer_.is_body_sent);
    answer_.headers.add("Location", redirect.location);
  }
  void operator()(const GarbageHeader& garbage) { disturbance_.garbage_line = garbage.line; }

  void operator()(const NoValidators&) { answer_.headers = without(answer_.headers, {"ETag", "Last-Modified"}); }
  // No object has it: that would be a preimage of SHA-256.
  void operator()(const WrongDigest&) {
    answer_.headers.set("Repr-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:");
  }
  void operator()(const WrongType& wrong) { answer_.headers.set("Content-Type", wrong.type); }
  void operator()(const WrongEncoding& wrong) { answer_.headers.set("Content-Encoding", wrong.coding); }
  // A next answer would begin inside this one, or be taken for a part of it.
  void operator()(const ShortLength& shorter) { lie(Disturbance::Length::less, shorter.by); }
  // Where the last byte is short of what was promised, the end is that of a broken connection.
  void operator()(const LongLength& longer) {
    lie(Disturbance::Length::more, longer.by);
    disturbance_.ends_after = answer_.is_body_sent ? answer_.file->end - answer_.file->begin : 0;
  }
  void operator()(const NoLength&) { lie(Disturbance::Length::absent, 0); }

  void operator()(const Cut& cut) { disturbance_.ends_after = cut.after; }
  void operator()(const Reset& reset) {
    disturbance_.ends_after = reset.after;
    disturbance_.is_reset = true;
  }
  void operator()(const Stall& stall) { disturbance_.stall = stall; }
  void operator()(const Slow& slow) { disturbance_.rate = slow.rate; }
  void operator()(const Corrupt& corrupt) { answer_.file->file = corrupted(std::move(answer_.file->file), corrupt.at); }

  void operator()(const IgnoreRange&) {
    answer_.status = 200;
    answer_.headers = without(answer_.headers, {"Content-Range", "Accept-Ranges"});
    answer_.file->begin = 0;
    answer_.file->end = answer_.file->file->identity().size;
  }
  // By hand: a ContentRange is never past its total, and this may be.
  void operator()(const WrongRange& wrong) {
    const auto& file = *answer_.file;
    answer_.headers.set("Content-Range", fmt::format("bytes {}-{}/{}", file.begin + wrong.shift,
                                                     file.end - 1 + wrong.shift, file.file->identity().size));
  }

  void operator()(const ChangedObject&) {}  // is done where the object is looked up

 private:
  void lie(Disturbance::Length length, std::uint64_t by) {
    disturbance_.length = length;
    disturbance_.length_by = by;
    answer_.closes = true;
  }

  Answer& answer_;
  Disturbance& disturbance_;
};

std::string told_length(std::uint64_t length, const Disturbance& disturbance) {
  if (disturbance.length == Disturbance::Length::more) return std::to_string(length + disturbance.length_by);
  return std::to_string(length - std::min(length, disturbance.length_by));
}

}  // namespace

Scene scene_of(const Answer& answer) {
  if (!answer.file || (answer.status != 200 && answer.status != 206)) return Scene::any_answer;
  if (!answer.is_body_sent || answer.file->begin == answer.file->end) return Scene::object_head;
  return answer.status == 206 ? Scene::object_range : Scene::object_bytes;
}

Disturbance disturb(Answer& answer, const Mishap& mishap) {
  Disturbance disturbance;
  std::visit(Disturber(answer, disturbance), mishap);
  return disturbance;
}

std::string disturbed_head(std::string head, const Disturbance& disturbance) {
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const auto field = head.find(kLength);
  if (disturbance.length != Disturbance::Length::right && field != std::string::npos) {
    const auto begin = field + kLength.size();
    const auto end = head.find('\r', begin);
    const auto length = parse_number(std::string_view(head).substr(begin, end - begin)).value_or(0);
    if (disturbance.length == Disturbance::Length::absent)
      head.erase(field, end - field);
    else
      head.replace(begin, end - begin, told_length(length, disturbance));
  }
  if (!disturbance.garbage_line.empty()) head.insert(head.size() - 2, disturbance.garbage_line + "\r\n");
  return head;
}

SendPlan send_plan(const Disturbance& disturbance, std::uint64_t head_length) {
  SendPlan plan;
  plan.head = head_length;
  plan.rate = disturbance.rate;
  if (disturbance.ends_after) plan.ends_at = head_length + *disturbance.ends_after;
  if (disturbance.delay) {
    plan.stalls_at = 0;
    plan.stall = disturbance.delay;
  }
  if (disturbance.stall) {
    plan.stalls_at = head_length + disturbance.stall->after;
    plan.stall = disturbance.stall->duration;
  }
  return plan;
}

}  // namespace arkvory::server
