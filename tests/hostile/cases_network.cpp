// SPDX-License-Identifier: Apache-2.0
// Names that don't resolve, addresses that don't answer, routes that come and go. Each in namespaces of its own, with
// nothing in them but loopback.
#include <fmt/format.h>

#include <sstream>

#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/name_server.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace {

constexpr auto kHome = "10.9.9.9";

bool ip(const std::vector<std::string>& arguments) {
  auto all = arguments;
  all.insert(all.begin(), "ip");
  return test::run(all).end.exit_code == 0;
}

bool add_home() { return ip({"addr", "add", std::string(kHome) + "/32", "dev", "lo"}); }
bool remove_home() { return ip({"addr", "del", std::string(kHome) + "/32", "dev", "lo"}); }

// A file of this namespace in place of the machine's.
bool mount_over(const Stage& stage, const std::string& path, const std::string& text) {
  const auto own = stage.beside("etc" + path.substr(path.rfind('/') + 1));
  put(own, text);
  return test::run({"mount", "--bind", own.string(), path}).end.exit_code == 0;
}

std::string url_at(Stage& stage, const std::string& host) {
  return fmt::format("http://{}:{}/f.bin", host, stage.site().origin().port());
}

// A network whose packets go nowhere.
bool make_hole() {
  const auto known = [](const std::string& address) {
    return ip({"neigh", "add", address, "lladdr", "02:00:00:00:00:01", "dev", "hole", "nud", "permanent"});
  };
  return ip({"link", "add", "hole", "type", "veth", "peer", "name", "bottom"}) && ip({"link", "set", "hole", "up"}) &&
         ip({"link", "set", "bottom", "up"}) && ip({"addr", "add", "192.0.2.2/24", "dev", "hole"}) &&
         ip({"-6", "addr", "add", "2001:db8::2/64", "dev", "hole", "nodad"}) && known("192.0.2.1") &&
         known("2001:db8::1");
}

// Whether packets went into it: the tenth number of its line.
bool hole_was_tried() {
  const auto table = text_of("/proc/self/net/dev");
  const auto at = table.find("hole:");
  if (at == std::string::npos) return false;
  std::istringstream numbers(table.substr(at + 5));
  long sent = 0;
  for (int i = 0; i < 10; ++i) numbers >> sent;
  return sent > 0;
}

Verdict play_unreachable(Stage& stage) {
  stage.wish.url = url_at(stage, kHome);
  stage.site().answer_with(ok());
  const auto process = stage.start();
  process->wait(seconds(10));
  if (!add_home()) return Verdict::skipped("addresses can't be added here");
  return judge(stage, stage.finish(*process, 70));
}

// The route goes in the middle of the body, and comes back five seconds later.
Verdict play_lost_route(Stage& stage) {
  if (!add_home()) return Verdict::skipped("addresses can't be added here");
  stage.wish.url = url_at(stage, kHome);
  stage.site().answer_with(first(
      1,
      [](const Ask& ask) {
        auto answer = correct_answer(ask, {});
        answer.cut_at = kSmall / 2;
        send(answer, ask.wire);
        ask.wire.pause(milliseconds(200));
        remove_home();
        ask.wire.reset();
      },
      ok()));
  const auto process = stage.start();
  process->wait(seconds(6));
  add_home();
  return judge(stage, stage.finish(*process, 70));
}

Verdict play_two_addresses(Stage& stage, const std::string& dead) {
  if (!add_home() || !make_hole()) return Verdict::skipped("networks can't be made here");
  if (!mount_over(stage, "/etc/hosts", fmt::format("{} two.test\n{} two.test\n", dead, kHome)))
    return Verdict::skipped("mounts are refused here");
  stage.wish.url = url_at(stage, "two.test");
  stage.site().answer_with(edited([](Prepared& answer, const Ask&) { answer.how = Break::fin; }));
  const auto verdict = judge(stage, stage.run());
  const bool is_ours = stage.client().kind == Kind::ours;
  return is_ours && verdict.is_right && !hole_was_tried() ? Verdict::of("the dead address was never tried") : verdict;
}

Case two_addresses(const std::string& id, const std::string& title, const std::string& dead, double first) {
  return {.id = id,
          .title = title,
          .right = {.tried_again = false,
                    .also =
                        [first](const Run& run) {
                          const auto gaps = run.gaps();
                          return !gaps.empty() && gaps[0] <= first ? "" : "takes too long to the address that answers";
                        }},
          .object = big_object,
          .options = {"--connect-timeout", "8s"},
          .address = "0.0.0.0",
          .apart = true,
          .course = [dead](Stage& stage) { return play_two_addresses(stage, dead); }};
}

// Three failures, then another name server stands in resolv.conf.
Verdict play_names(Stage& stage, int failures, bool swapped) {
  if (!add_home()) return Verdict::skipped("addresses can't be added here");
  const NameServer before("127.0.0.54", swapped ? 1'000'000 : failures, {10, 9, 9, 9});
  const NameServer after("127.0.0.55", 0, {10, 9, 9, 9});
  const std::string settings = "options timeout:1 attempts:1\nnameserver ";
  if (!before.is_running() || !after.is_running() || !mount_over(stage, "/etc/resolv.conf", settings + "127.0.0.54\n"))
    return Verdict::skipped("names can't be served here");
  stage.wish.url = url_at(stage, "names.test");
  stage.site().answer_with(ok());
  const auto process = stage.start();
  if (swapped) {
    while (before.questions() < failures && !process->wait(milliseconds(50))) {
    }
    put(stage.beside("etcresolv.conf"), settings + "127.0.0.55\n");
  }
  const auto verdict = judge(stage, stage.finish(*process, 70));
  if (!verdict.is_right || !swapped || stage.client().kind != Kind::ours) return verdict;
  return Verdict::of(after.questions() > 0 ? "" : "the new name server was not asked");
}

}  // namespace

std::vector<Case> network_cases() {
  return {
      {.id = "C16a",
       .title = "the name server fails three times",
       .right = {.tried_again = false, .most_requests = 1, .most_time = 60},
       .address = "0.0.0.0",
       .apart = true,
       .course = [](Stage& stage) { return play_names(stage, 3, false); }},
      {.id = "C16b",
       .title = "the name server fails, another is named meanwhile",
       .right = {.tried_again = false, .most_requests = 1, .most_time = 60},
       .address = "0.0.0.0",
       .apart = true,
       .course = [](Stage& stage) { return play_names(stage, 3, true); }},
      two_addresses("C17a", "the IPv6 address is a black hole", "2001:db8::1", 3.5),
      two_addresses("C17b", "the first of two addresses is dead", "192.0.2.1", 6),
      {.id = "C18a",
       .title = "no route for 10 s",
       .right = {.tried_again = false, .most_requests = 1, .least_time = 10, .most_time = 60},
       .options = {"--max-retries", "0"},
       .address = "0.0.0.0",
       .apart = true,
       .course = play_unreachable},
      {.id = "C18b",
       .title = "the route goes in the middle, for 5 s",
       .right = {.tried_again = false, .most_bytes = kSmall + 100'000, .most_time = 40},
       .options = {"--max-retries", "1", "--stall-timeout", "4s"},
       .address = "0.0.0.0",
       .apart = true,
       .course = play_lost_route},
  };
}

}  // namespace arkvory::hostile
