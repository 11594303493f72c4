// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/lies.h"

#include <algorithm>

#include "core/base/base64.h"
#include "core/base/size.h"
#include "tests/support/pattern.h"

namespace arkvory::sim {

using namespace std::chrono_literals;

namespace {

constexpr const char* kSigned = "/signed";

void drop_field(SimAnswer& answer, std::string_view name) {
  Headers kept;
  for (const auto& field : answer.head.headers.fields())
    if (!equal_ignoring_case(field.name, name)) kept.add(field.name, field.value);
  answer.head.headers = kept;
}

std::string field(const SimAnswer& answer, std::string_view name) {
  return std::string(answer.head.headers.first(name).value_or(""));
}

// `bytes F-L/T` in its three numbers.
struct Stated {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  std::string text() const {
    return "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" + std::to_string(total);
  }
};

std::optional<Stated> stated_range(const SimAnswer& answer) {
  const auto text = field(answer, "Content-Range");
  const auto dash = text.find('-');
  const auto slash = text.find('/');
  if (answer.head.status != 206 || dash == std::string::npos || slash == std::string::npos) return std::nullopt;
  const auto first = parse_number(text.substr(6, dash - 6));
  const auto last = parse_number(text.substr(dash + 1, slash - dash - 1));
  const auto total = parse_number(text.substr(slash + 1));
  if (!first || !last || !total) return std::nullopt;
  return Stated{*first, *last, *total};
}

void answer_with(SimAnswer& answer, int status, std::string body = {}) {
  answer.head = {.status = status, .headers = {}};
  answer.head.headers.add("Content-Length", std::to_string(body.size()));
  answer.body = SimBody::of(std::move(body));
}

std::string digest_field(const Sha256Digest& digest) { return "sha-256=:" + to_base64(digest.bytes()) + ":"; }

}  // namespace

const std::vector<Liar::Kind>& Liar::kinds() {
  static const std::vector<Kind> kinds = {
      {"begins late", Harm::form, &Liar::begin_late},
      {"other total", Harm::identity, &Liar::state_other_total},
      {"malformed Content-Range", Harm::form, &Liar::malform_range},
      {"no Content-Range", Harm::form, &Liar::state_no_range},
      {"multipart", Harm::form, &Liar::send_multipart},
      {"200 for a range", Harm::form, &Liar::send_whole},
      {"416", Harm::form, &Liar::deny_range},
      {"surplus", Harm::form, &Liar::add_surplus},
      {"ends early as if complete", Harm::form, &Liar::end_early},
      {"less than asked", Harm::form, &Liar::send_less},
      {"labelled gzip", Harm::form, &Liar::label_encoded},
      {"Accept-Ranges: none", Harm::form, &Liar::accept_none},
      {"other Content-Length", Harm::form, &Liar::state_other_length},
      {"expiring signature", Harm::form, &Liar::redirect},
      {"403 and 404", Harm::form, &Liar::refuse},
      {"few connections", Harm::form, &Liar::bear_few},
      {"one slow range", Harm::form, &Liar::slow_one},
      {"Repr-Digest", Harm::form, &Liar::state_digest},
      {"no validators", Harm::identity, &Liar::drop_tags},
      {"weak tag", Harm::identity, &Liar::weaken_tag},
      {"tags of edges", Harm::identity, &Liar::tag_by_edge},
      {"moving date", Harm::identity, &Liar::move_date},
      {"wrong byte", Harm::bytes, &Liar::spoil_byte},
      {"portal", Harm::bytes, &Liar::be_a_portal},
      {"stream cut as if complete", Harm::bytes, &Liar::cut_whole},
      {"wrong Repr-Digest", Harm::bytes, &Liar::state_wrong_digest},
  };
  return kinds;
}

Liar::Liar(World& world) : world_(world) {
  world_.origin.amend([this](const SimRequest& request, SimAnswer& answer) { amend(request, answer); });
}

void Liar::serve(const Version& version, bool keeps_tag) {
  if (!keeps_tag) tag_ = version.seed;
  version_ = version;
  digest_.reset();
  for (const char* path : {World::kPath, kSigned})
    world_.origin.put(path, {.seed = version.seed,
                             .size = version.size,
                             .etag = "\"v" + std::to_string(tag_) + "\"",
                             .last_modified = "Sun, 06 Nov 1994 08:" + std::to_string(10 + tag_ % 50) + ":37 GMT"});
}

void Liar::begin(Harm worst) {
  std::vector<const Kind*> allowed;
  for (const auto& kind : kinds())
    if (kind.harm <= worst) allowed.push_back(&kind);
  const auto& kind = *allowed[world_.rng.below(allowed.size())];
  const auto from = world_.clock.now() + (world_.rng.chance(50) ? Duration(0) : world_.rng.up_to(10s));
  const unsigned percent = world_.rng.chance(30) ? 100 : 5 + static_cast<unsigned>(world_.rng.below(60));
  spells_.push_back({kind.tell, from, from + 1s + world_.rng.up_to(60s), percent});
  told_ += std::string(told_.empty() ? "" : ", ") + kind.name;
}

void Liar::tell_edges(Duration length) {
  spells_.push_back({&Liar::tag_by_edge, world_.clock.now(), world_.clock.now() + length, 100});
  told_ += std::string(told_.empty() ? "" : ", ") + "tags of edges";
}

void Liar::calm() { spells_.clear(); }

void Liar::amend(const SimRequest& request, SimAnswer& answer) {
  if (answer.fails || answer.silent || request.method != Method::get) return;
  path_ = request.url.path();
  number_ = request.number;
  const auto url = request.url.text();
  const auto mark = url.find("sig=");
  // A signed URL without its signature's spell is a plain one.
  if (path_ == kSigned && mark != std::string::npos) {
    if (url.substr(mark) != last_signature_) return answer_with(answer, 403);
    if (--signature_uses_ < 0) return answer_with(answer, 403);
  }
  const auto now = world_.clock.now();
  for (const auto& spell : spells_) {
    if (answer.fails) return;
    if (now < spell.from || now >= spell.until || !world_.rng.chance(spell.percent)) continue;
    (this->*spell.tell)(answer);
  }
}

void Liar::become_whole(SimAnswer& answer) const {
  answer.head.status = 200;
  drop_field(answer, "Content-Range");
  answer.head.headers.set("Content-Length", std::to_string(version_.size));
  answer.body.length = version_.size;
  answer.body.fill = [seed = version_.seed](std::uint64_t offset, std::span<std::byte> bytes) {
    test::fill_pattern(seed, offset, bytes);
  };
}

// --- Form -----------------------------------------------------------------------------------------------------------

void Liar::begin_late(SimAnswer& answer) {
  auto range = stated_range(answer);
  if (!range || range->last - range->first < 200) return;
  range->first += 100;
  answer.head.headers.set("Content-Range", range->text());
  answer.head.headers.set("Content-Length", std::to_string(range->last - range->first + 1));
  answer.body.length = range->last - range->first + 1;
  answer.body.fill = [seed = version_.seed, begin = range->first](std::uint64_t offset, std::span<std::byte> bytes) {
    test::fill_pattern(seed, begin + offset, bytes);
  };
}

void Liar::state_other_total(SimAnswer& answer) {
  auto range = stated_range(answer);
  if (!range) return;
  range->total += 4096;
  answer.head.headers.set("Content-Range", range->text());
}

void Liar::malform_range(SimAnswer& answer) {
  const auto range = stated_range(answer);
  if (!range) return;
  const auto text = range->text();
  const std::string forms[] = {"byte" + text.substr(5),
                               "bytes " + std::to_string(range->last + 1) + "-" + std::to_string(range->first) + "/9",
                               "bytes */" + std::to_string(range->total), text + "0000000000000000000000", "bytes -/-"};
  answer.head.headers.set("Content-Range", forms[world_.rng.below(5)]);
}

void Liar::state_no_range(SimAnswer& answer) { drop_field(answer, "Content-Range"); }

void Liar::send_multipart(SimAnswer& answer) {
  if (answer.head.status != 206) return;
  drop_field(answer, "Content-Range");
  answer.head.headers.set("Content-Type", "multipart/byteranges; boundary=b");
  answer.body = SimBody::of("--b\r\nContent-Range: bytes 0-9/10\r\n\r\n0123456789\r\n--b--\r\n");
  answer.head.headers.set("Content-Length", std::to_string(answer.body.length));
}

void Liar::send_whole(SimAnswer& answer) {
  if (answer.head.status == 206) become_whole(answer);
}

void Liar::deny_range(SimAnswer& answer) {
  if (answer.head.status != 206 || version_.size == 0) return;
  answer_with(answer, 416);
  answer.head.headers.add("Content-Range", "bytes */" + std::to_string(version_.size));
}

void Liar::add_surplus(SimAnswer& answer) {
  // Only behind all of the range: in the place of bytes that do not come it would be a lie in bytes.
  const auto range = stated_range(answer);
  if (!range || answer.body.length != range->last - range->first + 1) return;
  answer.body.fill = [fill = answer.body.fill, length = answer.body.length](std::uint64_t offset,
                                                                            std::span<std::byte> bytes) {
    const auto right = offset >= length ? 0 : std::min<std::uint64_t>(bytes.size(), length - offset);
    if (right > 0) fill(offset, bytes.first(right));
    for (auto& byte : bytes.subspan(right)) byte = std::byte{'x'};
  };
  answer.body.length += 4096;
}

void Liar::end_early(SimAnswer& answer) {
  if (answer.head.status != 206 || answer.body.length < 2) return;
  drop_field(answer, "Content-Length");
  answer.head.headers.set("Transfer-Encoding", "chunked");
  answer.body.length = 1 + world_.rng.below(answer.body.length - 1);
}

void Liar::send_less(SimAnswer& answer) {
  auto range = stated_range(answer);
  constexpr std::uint64_t most = 48 * kKiB;
  if (!range || range->last - range->first < most || answer.body.length < most) return;
  range->last = range->first + most - 1;
  answer.head.headers.set("Content-Range", range->text());
  answer.head.headers.set("Content-Length", std::to_string(most));
  answer.body.length = most;
}

// A label alone: the transport is told to decode, and what comes is the object.
void Liar::label_encoded(SimAnswer& answer) {
  if (answer.body.length > 0 && answer.head.status < 300) answer.head.headers.set("Content-Encoding", "gzip");
}

void Liar::accept_none(SimAnswer& answer) { answer.head.headers.set("Accept-Ranges", "none"); }

// Of a 200 it would be the object's size, and nothing but a digest could tell: Harm::bytes.
void Liar::state_other_length(SimAnswer& answer) {
  if (answer.head.status == 206) answer.head.headers.set("Content-Length", std::to_string(answer.body.length + 5));
}

void Liar::redirect(SimAnswer& answer) {
  if (path_ == kSigned) return;
  last_signature_ = "sig=" + std::to_string(number_);
  signature_uses_ = 1 + static_cast<int>(world_.rng.below(4));
  answer_with(answer, 302);
  answer.head.headers.add("Location", std::string(kSigned) + "?" + last_signature_);
}

void Liar::refuse(SimAnswer& answer) { answer_with(answer, world_.rng.chance(50) ? 403 : 404); }

void Liar::bear_few(SimAnswer& answer) {
  if (world_.network.running() <= 2) return;
  if (world_.rng.chance(50)) return answer_with(answer, 503);
  answer.fails = EndKind::cut;
}

void Liar::slow_one(SimAnswer& answer) {
  if (number_ % 5 == 2) answer.rate = std::max<std::uint64_t>(4 * kKiB, answer.rate / 20);
}

void Liar::state_digest(SimAnswer& answer) {
  if (answer.head.status >= 300) return;
  if (!digest_) digest_ = version_.digest();
  answer.head.headers.set("Repr-Digest", digest_field(*digest_));
}

// --- Identity -------------------------------------------------------------------------------------------------------

void Liar::drop_tags(SimAnswer& answer) {
  drop_field(answer, "ETag");
  drop_field(answer, "Last-Modified");
}

void Liar::weaken_tag(SimAnswer& answer) {
  if (const auto tag = field(answer, "ETag"); !tag.empty()) answer.head.headers.set("ETag", "W/" + tag);
}

// Of three edges, each with tags of its own for each version.
void Liar::tag_by_edge(SimAnswer& answer) {
  const auto tag = field(answer, "ETag");
  if (tag.size() < 2 || tag.front() != '"') return;
  answer.head.headers.set("ETag", tag.substr(0, tag.size() - 1) + "-" + std::to_string(world_.rng.below(3)) + "\"");
}

void Liar::move_date(SimAnswer& answer) {
  if (!answer.head.headers.has("Last-Modified")) return;
  answer.head.headers.set("Last-Modified", "Sun, 06 Nov 1994 09:49:3" + std::to_string(world_.rng.below(3)) + " GMT");
}

// --- Bytes ----------------------------------------------------------------------------------------------------------

void Liar::spoil_byte(SimAnswer& answer) {
  if (answer.body.length == 0 || answer.head.status >= 300) return;
  answer.body.fill = [fill = answer.body.fill, at = world_.rng.below(answer.body.length)](std::uint64_t from,
                                                                                          std::span<std::byte> bytes) {
    fill(from, bytes);
    if (at >= from && at < from + bytes.size()) bytes[at - from] ^= std::byte{0x55};
  };
}

void Liar::be_a_portal(SimAnswer& answer) {
  answer_with(answer, 200, "<html>please log in</html>");
  if (world_.rng.chance(50)) drop_field(answer, "Content-Length");
  answer.head.headers.add("Content-Type", "text/html");
  answer.head.headers.set("Transfer-Encoding", "chunked");
}

void Liar::cut_whole(SimAnswer& answer) {
  if (answer.head.status >= 300 || version_.size < 2) return;
  become_whole(answer);
  drop_field(answer, "Content-Length");
  answer.head.headers.set("Transfer-Encoding", "chunked");
  answer.body.length = 1 + world_.rng.below(version_.size - 1);
}

void Liar::state_wrong_digest(SimAnswer& answer) {
  if (answer.head.status < 300)
    answer.head.headers.set("Repr-Digest", digest_field(Version{version_.seed + 1000, 100}.digest()));
}

}  // namespace arkvory::sim
