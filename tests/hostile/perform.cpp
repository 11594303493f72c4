// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/perform.h"

#include <fmt/format.h>

#include <chrono>

#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace {

Verdict play(Stage& stage) {
  const auto& one = stage.one();
  const bool is_ours = stage.client().kind == Kind::ours;
  if (!is_ours && one.only_ours) return Verdict::skipped("says nothing about other clients");
  if (one.course) return one.course(stage);
  if (one.part)
    if (auto wrong = stage.play_part(*one.part); !wrong.empty()) return Verdict::of(wrong);
  if (one.before) one.before(stage);
  stage.site().answer_with(one.server);
  return judge(stage, stage.run());
}

}  // namespace

Line perform(const Case& one, const Client& client) {
  if (!one.elsewhere.empty()) return {.verdict = {true, true, "see " + one.elsewhere, Ending::right}};
  Stage stage(one, client);
  Line line{.verdict = play(stage)};
  const auto& run = stage.last;
  if (run.end) line.exit = run.end->signal != 0 ? "sig" : std::to_string(run.end->exit_code);
  line.requests = run.served.size();
  line.bytes = run.bytes_sent();
  line.time = run.time;
  for (const auto& served : run.served)
    line.requests_seen += fmt::format("      {:8.3f} s  connection {:<3} {} {}  {}  {} bytes\n",
                                      std::chrono::duration<double>(served.time - run.begun).count(),
                                      served.request.connection, served.request.method, served.request.target,
                                      served.request.headers.first("Range").value_or("-"), served.bytes_sent);
  return line;
}

}  // namespace arkvory::hostile
