// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <array>

namespace arkvory::cli {

namespace {

struct Row {
  Fault fault;
  std::string_view end;
};

// What every fault's message ends with when 5 MiB are held.
constexpr std::array kRows{
    Row{Fault::internal, "; 5.0 MiB held and kept; please report this"},
    Row{Fault::usage, "; nothing was requested; correct the command"},
    Row{Fault::wait_limit, "; 5.0 MiB held and kept; run it again later, or with a longer --wait-limit"},
    Row{Fault::deadline, "; 5.0 MiB held and kept; choose a later --not-after"},
    Row{Fault::busy, "; 5.0 MiB held and kept; run the same command again later"},
    Row{Fault::weather, "; 5.0 MiB held and kept; run the same command again when the network is back"},
    Row{Fault::network, "; 5.0 MiB held and kept; run the same command again to go on"},
    Row{Fault::refused, "; 5.0 MiB held and kept; check the address or name"},
    Row{Fault::integrity, "; no target was made; check the digest and the source, then run again"},
    Row{Fault::locked, "; the other process was left alone; wait for it to end, or stop it"},
    Row{Fault::changed, "; 5.0 MiB held and kept; --no-resume begins again"},
    Row{Fault::local, "; 5.0 MiB held and kept; mend this and run the same command again"},
    Row{Fault::untrusted, "; 5.0 MiB held and kept; try another server, proxy or network"},
    Row{Fault::auth, "; 5.0 MiB held and kept; supply the credentials and run again"},
    Row{Fault::state, "; nothing was removed; see FILES in arkvoryctl(1)"},
    Row{Fault::conflict, "; nothing was changed; read the present state and try again"},
};

}  // namespace

TEST_CASE("each fault's message says what happened, what is kept and what to do next") {
  for (const auto& row : kRows) {
    CAPTURE(to_string(row.fault));
    const Outcome outcome{.error = Error{row.fault, "it went wrong", "the cause"}, .bytes = 5 << 20};
    CHECK(failure_message("out.bin", outcome) == "out.bin: it went wrong (the cause)" + std::string(row.end));
  }
}

TEST_CASE("a message claims nothing to be kept where nothing is held") {
  for (const auto& row : kRows) {
    CAPTURE(to_string(row.fault));
    const Outcome outcome{.error = Error{row.fault, "it went wrong"}};
    CHECK(failure_message("out.bin", outcome).find("held") == std::string::npos);
  }
}

TEST_CASE("an interruption names the signal and how to go on") {
  const Outcome outcome{.error = Error{Fault::interrupted, "stopped"}, .bytes = 1 << 20, .signal = SIGTERM};
  CHECK(failure_message("out.bin", outcome) ==
        "out.bin: stopped by SIGTERM; 1.0 MiB held and kept; arkvoryctl resume, or the same command, goes on");
}

TEST_CASE("a server's words can't break the line of a message") {
  const Outcome outcome{.error = Error{Fault::refused, "404: gone\r\n\x1b[31mfor good."}};
  const auto line = program_line(failure_message("out\n.bin", outcome));
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(line.back() == '\n');
  CHECK(line.find('\x1b') == std::string::npos);
  CHECK(line == "arkvoryctl: out .bin: 404: gone   [31mfor good; nothing was downloaded; check the address or name\n");
}

TEST_CASE("success tells bytes, time, rate and whether it was verified") {
  using namespace std::chrono_literals;
  Outcome outcome{.bytes = 100 << 20, .in_transfer = 10s};
  CHECK(success_message("out.bin", outcome) ==
        "out.bin: 100.0 MiB in 10 s at 10.0 MiB/s, complete; no digest was there to verify it with");
  outcome.sha256 = Sha256Digest(Sha256Digest::Bytes{});
  outcome.in_queue = 5min;
  CHECK(success_message("out.bin", outcome) ==
        "out.bin: 100.0 MiB in 10 s at 10.0 MiB/s after 5 min in the queue, SHA-256 verified");
}

TEST_CASE("a target in the current folder is shown by its name, another by its path") {
  CHECK(shown_target("/data/out.bin", "/data") == "out.bin");
  CHECK(shown_target("/data/sub/out.bin", "/data") == "/data/sub/out.bin");
  CHECK(shown_target("/data", "/data") == "/data");
}

}  // namespace arkvory::cli
