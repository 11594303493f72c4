// SPDX-License-Identifier: Apache-2.0
// Redirects, names and proxies.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/base/base64.h"
#include "core/base/size.h"
#include "core/base/utf8.h"
#include "core/http/percent.h"
#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"
#include "tests/support/relay.h"

namespace arkvory::hostile {

namespace {

constexpr std::uint64_t kBigAtMost = 50'600'000;

// Signed URLs that are good for a number of answers each. A new one is given out with each redirect.
class Signatures {
 public:
  explicit Signatures(int uses) : uses_(uses) {}

  void serve(const Ask& ask) {
    if (ask.request.target.starts_with("/f.bin")) return redirect(fmt::format("/s?sig={}", give_out()))(ask);
    const auto signature = parse_number(ask.request.target.substr(ask.request.target.find('=') + 1));
    (use(static_cast<int>(signature.value_or(0))) ? ok() : status(403))(ask);
  }

 private:
  int give_out() {
    const std::lock_guard lock(mutex_);
    left_[++newest_] = uses_;
    return newest_;
  }

  bool use(int signature) {
    const std::lock_guard lock(mutex_);
    return left_[signature]-- > 0;
  }

  int uses_;
  std::mutex mutex_;
  int newest_ = 0;
  std::map<int, int> left_;
};

Answer signed_urls(int uses) {
  return [signatures = std::make_shared<Signatures>(uses)](const Ask& ask) { signatures->serve(ask); };
}

// The first signature is good for one answer; then three meet its end at the same moment.
Answer expiry_at_one_moment() {
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int resolved = 0;
    int answered = 0;
    int waiting = 0;
  };
  return [meeting = std::make_shared<Meeting>()](const Ask& ask) {
    std::unique_lock lock(meeting->mutex);
    if (ask.request.target.starts_with("/f.bin")) {
      const auto location = fmt::format("/s?sig={}", ++meeting->resolved);
      lock.unlock();
      return redirect(location)(ask);
    }
    const bool is_old = ask.request.target == "/s?sig=1";
    if (is_old && meeting->answered++ > 0) {
      ++meeting->waiting;
      meeting->changed.notify_all();
      meeting->changed.wait_for(lock, seconds(3), [&] { return meeting->waiting >= 3; });
      lock.unlock();
      return status(403)(ask);
    }
    lock.unlock();
    ok()(ask);
  };
}

int resolutions(const Run& run) {
  return static_cast<int>(std::count_if(run.served.begin(), run.served.end(),
                                        [](const auto& one) { return one.request.target.starts_with("/f.bin"); }));
}

std::function<std::string(const Run&)> resolved_at_most(int most) {
  return [most](const Run& run) {
    const int count = resolutions(run);
    return count <= most ? "" : fmt::format("the first URL is asked {} times, expected {} at most", count, most);
  };
}

Answer chain_of(int length) {
  return [length](const Ask& ask) {
    const auto number = parse_number(ask.request.target.substr(2)).value_or(0);
    if (number >= static_cast<std::uint64_t>(length)) return ok()(ask);
    redirect(fmt::format("/r{}", number + 1))(ask);
  };
}

// From https to http, both of this machine.
Verdict play_downgrade(Stage& stage) {
  Site plain(stage.object(), {});
  stage.site().answer_with(redirect(plain.url()));
  const auto verdict = judge(stage, stage.run());
  if (!verdict.is_right || stage.client().kind != Kind::ours) return verdict;
  return Verdict::of(plain.served().empty() ? "" : "the plain server was asked");
}

// Others follow the redirect once for each of their ranges: no answer of it is in vain.
Case redirected(const std::string& id, const std::string& title, const std::string& location,
                const std::string& expected) {
  return {.id = id,
          .title = title,
          .server = by_path({{"/a/f.bin", redirect(location)}, {expected, ok()}}, status(404)),
          .right = {.most_requests = 2, .burst = 16},
          .path = "/a/f.bin"};
}

Case refused_location(const std::string& id, const std::string& location) {
  return {.id = id,
          .title = "Location: " + location,
          .server = redirect(location),
          .right = {.exits = {11}, .most_requests = 2}};
}

// The location names the server itself without its scheme, which only the running server can tell.
Answer scheme_left_out() {
  return [](const Ask& ask) {
    if (ask.request.target == "/x") return ok()(ask);
    const auto url = ask.site.url("/x");
    redirect(url.substr(url.find(':') + 1))(ask);
  };
}

// One file with a sound name that keeps its ending.
std::string sound_name(const Run& run, const std::string& ending) {
  if (run.names.size() != 1) return fmt::format("{} files, expected one", run.names.size());
  const auto& name = *run.names.begin();
  if (name.size() > 255) return fmt::format("a name of {} bytes", name.size());
  if (!name.ends_with(ending)) return fmt::format("the name '{}' lost its ending", name);
  if (!is_utf8(name)) return "the name is no UTF-8";
  return {};
}

Case named(const std::string& id, const std::string& title, const std::string& name) {
  return {.id = id,
          .title = title,
          .right = {.most_requests = 1, .also = [](const Run& run) { return sound_name(run, ".iso"); }},
          .target = "",
          .path = "/" + percent_encoded_where_needed(name)};
}

std::string repeated(const std::string& piece, std::size_t bytes) {
  std::string text;
  while (text.size() + piece.size() <= bytes) text += piece;
  return text;
}

Case existing_target(const std::string& id, const std::string& title, bool digest) {
  return {.id = id,
          .title = title,
          .right = {.exits = {10}, .tried_again = false},
          .digest = digest,
          .course = [](Stage& stage) {
            put(stage.file("out.bin"), "mine");
            auto run = stage.run();
            const bool is_untouched = text_of(stage.file("out.bin")) == "mine";
            if (stage.client().kind != Kind::ours) return judge(stage, run);
            run.has_target = stage.last.has_target = false;
            if (!is_untouched) return Verdict::of("the existing file was changed");
            return judge(stage, run);
          }};
}

// CONNECT is answered with 407, then 503, then 200; each tunnel is torn down after a MiB.
class Proxy {
 public:
  explicit Proxy(std::uint16_t server)
      : origin_([this, server](const test::RawRequest& request, test::RawConnection& wire) {
          serve(request, wire, server);
        }) {}

  std::string url() const { return fmt::format("http://someone:secret@127.0.0.1:{}", origin_.port()); }
  std::vector<test::Served> served() const { return origin_.served(); }

 private:
  void serve(const test::RawRequest& request, test::RawConnection& wire, std::uint16_t server) {
    const auto expected = "Basic " + to_base64(std::as_bytes(std::span(std::string_view("someone:secret"))));
    if (request.headers.first("Proxy-Authorization") != expected)
      return wire.send_head(407, fields({{"Proxy-Authenticate", "Basic realm=\"x\""}, {"Content-Length", "0"}}));
    if (busy_++ == 0) return wire.send_head(503, fields({{"Retry-After", "2"}, {"Content-Length", "0"}}));
    wire.send_head(200, {});
    std::uint64_t sent = 0;
    test::relay(wire, server, {}, [&sent](std::string& bytes) { return (sent += bytes.size()) < kMiB; });
    wire.reset();
  }

  std::atomic<int> busy_ = 0;
  test::RawOrigin origin_;
};

Verdict play_proxy(Stage& stage) {
  const Proxy proxy(stage.site().origin().port());
  stage.environment["https_proxy"] = proxy.url();
  stage.environment["no_proxy"] = std::nullopt;
  stage.environment["NO_PROXY"] = std::nullopt;
  stage.site().answer_with(ok());
  const auto run = stage.run();
  auto verdict = judge(stage, run);
  if (!verdict.is_right || stage.client().kind != Kind::ours) return verdict;
  if (proxy.served().size() < 4) return Verdict::of("the proxy was not used");
  return Verdict::of((run.output + run.errors).find("secret") == std::string::npos ? "" : "tells the proxy's password");
}

}  // namespace

std::vector<Case> route_cases() {
  return {
      {.id = "D1a",
       .title = "signed URLs, good for two answers each",
       .server = signed_urls(2),
       .right = {.most_bytes = kBigAtMost, .burst = 12, .also = resolved_at_most(6)},
       .object = big_object},
      {.id = "D1b",
       .title = "three ranges meet the expiry at the same moment",
       .server = expiry_at_one_moment(),
       .right = {.most_bytes = kBigAtMost, .burst = 12, .also = resolved_at_most(2)},
       .object = big_object},
      {.id = "D2a",
       .title = "a redirect to itself",
       .server = redirect("/f.bin"),
       .right = {.exits = {11}, .most_requests = 21, .burst = 25}},
      {.id = "D2b",
       .title = "a chain of 60 redirects",
       .server = chain_of(60),
       .right = {.exits = {11}, .most_requests = 21, .burst = 25},
       .path = "/r0"},
      {.id = "D3",
       .title = "https redirects to http",
       .right = {.exits = {11}, .tried_again = false, .most_requests = 2},
       .tls = test::TlsSettings{},
       .course = play_downgrade},
      redirected("D4a", "a relative Location", "../b/x?y", "/b/x?y"),
      {.id = "D4b",
       .title = "a Location without scheme",
       .server = scheme_left_out(),
       .right = {.most_requests = 2, .burst = 16}},
      redirected("D4c", "a Location with spaces and UTF-8", "/b/a b \xC3\xA9", "/b/a%20b%20%C3%A9"),
      redirected("D4d", "a Location with a fragment", "/b/x#part", "/b/x"),
      {.id = "D4e",
       .title = "a redirect without Location",
       .server = status(302),
       .right = {.exits = {11}, .most_requests = 3}},
      refused_location("D5a", "file:///etc/passwd"),
      refused_location("D5b", "gopher://127.0.0.1/x"),
      refused_location("D5c", "http://169.254.169.254/"),
      {.id = "D6",
       .title = "Content-Disposition that climbs out of the folder",
       .server =
           edited(with_header("Content-Disposition", "attachment; filename=\"../../x\"; filename*=UTF-8''..%2f..%2fy")),
       .right = {.names = {"y"}},
       .target = ""},
      named("D7a", "a name of 240 bytes", std::string(236, 'n') + ".iso"),
      named("D7b", "a name of 249 bytes", std::string(245, 'n') + ".iso"),
      named("D7c", "a name of 255 bytes", std::string(251, 'n') + ".iso"),
      named("D7d", "a name of 300 bytes", std::string(296, 'n') + ".iso"),
      named("D7e", "a name of 255 bytes in Cyrillic", repeated("\xD0\xB6", 251) + ".iso"),
      named("D7f", "a name of 300 bytes in Chinese", repeated("\xE4\xB8\xAD", 296) + ".iso"),
      existing_target("D8a", "the target exists, no digest", false),
      existing_target("D8b", "the target exists, another digest", true),
      {.id = "D9",
       .title = "a proxy: 407, 503, then tunnels of 1 MiB",
       .right = {.most_requests = 30, .least_time = 2, .burst = 12},
       .tls = test::TlsSettings{},
       .course = play_proxy},
  };
}

}  // namespace arkvory::hostile
