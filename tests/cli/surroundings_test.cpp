// SPDX-License-Identifier: Apache-2.0
// What the environment and the terminal decide.
#include <doctest/doctest.h>

#include "cli/answer.h"
#include "cli/state_folder.h"
#include "cli/terminal.h"
#include "cli/transport_choice.h"
#include "cli/views.h"
#include "tests/cli/string_output.h"

namespace arkvory::cli {

TEST_CASE("the state folder comes from the option, systemd, XDG or HOME, in this order") {
  Environment environment{
      {"STATE_DIRECTORY", "/var/lib/a:/var/lib/b"}, {"XDG_STATE_HOME", "/xdg"}, {"HOME", "/home/u"}};
  CHECK(state_folder("/given", "/now", environment) == "/given");
  CHECK(state_folder("given", "/now", environment) == "/now/given");
  CHECK(state_folder("", "/now", environment) == "/var/lib/a");
  environment.erase("STATE_DIRECTORY");
  CHECK(state_folder("", "/now", environment) == "/xdg/arkvory");
  environment["XDG_STATE_HOME"] = "relative";
  CHECK(state_folder("", "/now", environment) == "/home/u/.local/state/arkvory");
  environment["HOME"] = "";
  CHECK(!state_folder("", "/now", environment));
  CHECK(!state_folder("", "/now", {}));
}

TEST_CASE("colour follows the option, then NO_COLOR, CLICOLOR_FORCE, CLICOLOR and the terminal") {
  const Environment terminal{{"TERM", "xterm"}};
  const auto with = [&terminal](const std::string& name, const std::string& value) {
    auto environment = terminal;
    environment[name] = value;
    return environment;
  };
  const auto automatic = ColorChoice::automatic;
  CHECK(uses_color(automatic, terminal, true));
  CHECK(!uses_color(automatic, terminal, false));
  CHECK(!uses_color(automatic, with("NO_COLOR", "1"), true));
  CHECK(uses_color(automatic, with("NO_COLOR", ""), true));
  CHECK(!uses_color(automatic, with("CLICOLOR", "0"), true));
  CHECK(uses_color(automatic, with("CLICOLOR_FORCE", "1"), false));
  CHECK(!uses_color(automatic, with("CLICOLOR_FORCE", "0"), false));
  CHECK(!uses_color(automatic, with("TERM", "dumb"), true));
  auto both = with("NO_COLOR", "1");
  both["CLICOLOR_FORCE"] = "1";
  CHECK(!uses_color(automatic, both, true));
  CHECK(uses_color(ColorChoice::always, both, false));
  CHECK(!uses_color(ColorChoice::never, terminal, true));
}

TEST_CASE("a bar needs a terminal that can redraw, and gives way to -v, --json and -q") {
  const Environment terminal{{"TERM", "xterm"}};
  const Environment dumb{{"TERM", "dumb"}};
  CHECK(progress_kind({}, terminal, true) == ProgressKind::bar);
  CHECK(progress_kind({}, terminal, false) == ProgressKind::plain);
  CHECK(progress_kind({}, dumb, true) == ProgressKind::plain);
  CHECK(progress_kind({}, {}, true) == ProgressKind::plain);
  CHECK(progress_kind({.verbose = 1}, terminal, true) == ProgressKind::plain);
  CHECK(progress_kind({.json = true}, terminal, true) == ProgressKind::none);
  CHECK(progress_kind({.quiet = true}, terminal, true) == ProgressKind::none);
  CHECK(progress_kind({.progress = ProgressChoice::bar, .json = true}, terminal, true) == ProgressKind::bar);
  CHECK(progress_kind({.progress = ProgressChoice::bar}, terminal, false) == ProgressKind::plain);
  CHECK(progress_kind({.progress = ProgressChoice::plain}, terminal, true) == ProgressKind::plain);
  CHECK(progress_kind({.progress = ProgressChoice::none}, terminal, true) == ProgressKind::none);
}

TEST_CASE("with --json a failure is an event and a line, a success only an event") {
  test::StringOutput out;
  test::FakeTerminal terminal;
  const SystemClock clock;
  Views views({.json = true}, {}, clock, "/data", out, terminal, false);
  views.status().finished("/data/a", {.bytes = 1});
  CHECK(out.lines().size() == 1);
  CHECK(terminal.all.empty());
  views.status().finished("/data/b", {.error = Error{Fault::refused, "404"}});
  CHECK(out.lines().size() == 2);
  CHECK(terminal.all == "arkvoryctl: b: 404; nothing was downloaded; check the address or name\n");
}

TEST_CASE("a failure's line is red where colour is used, and its end is outside the colour") {
  test::StringOutput out;
  test::FakeTerminal terminal;
  const SystemClock clock;
  Views views({.color = ColorChoice::always}, {}, clock, "/data", out, terminal, false);
  views.status().finished("/data/b", {.error = Error{Fault::refused, "404"}});
  CHECK(terminal.all == "\x1b[31markvoryctl: b: 404; nothing was downloaded; check the address or name\x1b[0m\n");
}

TEST_CASE("files that the network options name must be readable") {
  test::StringOutput out;
  RunOptions run;
  run.network.ca_file = "missing-ca";
  CHECK(transport_options(run, "/nowhere", out).error().fault == Fault::local);
  run.network = {.certificate = "missing-cert"};
  CHECK(transport_options(run, "/nowhere", out).error().fault == Fault::auth);
  run.network = {.key = "missing-key"};
  CHECK(transport_options(run, "/nowhere", out).error().words.find("missing-key") != std::string::npos);
  run.network = {.proxy = "http://p:1", .insecure = true};
  const auto options = transport_options(run, "/nowhere", out);
  REQUIRE(options);
  CHECK(options->proxy == "http://p:1");
  CHECK(!options->verify_peer);
  CHECK(!options->trace);
}

TEST_CASE("-v shows requests and answers, -vv all there is to tell") {
  test::StringOutput out;
  const auto traced = [&out](unsigned verbose) {
    out.text.clear();
    const auto options = transport_options({.view = {.verbose = verbose}}, "/", out);
    for (const auto* line : {"> GET / HTTP/1.1", "< HTTP/1.1 200 OK", "* Connected"}) options->trace(line);
    return out.lines().size();
  };
  CHECK(traced(1) == 2);
  CHECK(traced(2) == 3);
}

TEST_CASE("only y and yes mean yes") {
  for (const auto* text : {"y", "Y\n", "yes\n", " YES \r\n"}) CHECK(means_yes(text));
  for (const auto* text : {"", "\n", "n\n", "yess\n", "ye\n", "no yes\n"}) CHECK(!means_yes(text));
}

}  // namespace arkvory::cli
