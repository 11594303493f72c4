// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <fmt/format.h>
#include <string.h>

#include "cli/safe_text.h"
#include "core/base/size.h"

namespace arkvory::cli {

namespace {

// What became of the bytes, and what the user can do.
struct Advice {
  std::string kept;
  std::string next;
};

std::string held(const Outcome& outcome, std::string_view nothing) {
  if (outcome.bytes == 0) return std::string(nothing);
  return fmt::format("{} held and kept", format_size(outcome.bytes));
}

Advice advice_for(const Outcome& outcome) {
  switch (outcome.error->fault) {
    case Fault::internal: return {held(outcome, "nothing was removed"), "please report this"};
    case Fault::usage: return {"nothing was requested", "correct the command"};
    case Fault::wait_limit:
      return {held(outcome, "the place is kept"), "run it again later, or with a longer --wait-limit"};
    case Fault::deadline: return {held(outcome, "nothing was downloaded"), "choose a later --not-after"};
    case Fault::busy: return {held(outcome, "the place is kept"), "run the same command again later"};
    case Fault::weather:
      return {held(outcome, "nothing was downloaded"), "run the same command again when the network is back"};
    case Fault::network: return {held(outcome, "nothing was downloaded"), "run the same command again to go on"};
    case Fault::refused: return {held(outcome, "nothing was downloaded"), "check the address or name"};
    case Fault::integrity: return {"no target was made", "check the digest and the source, then run again"};
    case Fault::locked: return {"the other process was left alone", "wait for it to end, or stop it"};
    case Fault::changed: return {held(outcome, "nothing was kept"), "--no-resume begins again"};
    case Fault::local: return {held(outcome, "nothing was changed"), "mend this and run the same command again"};
    case Fault::untrusted: return {held(outcome, "nothing was kept"), "try another server, proxy or network"};
    case Fault::auth: return {held(outcome, "nothing was downloaded"), "supply the credentials and run again"};
    case Fault::state: return {"nothing was removed", "see FILES in arkvoryctl(1)"};
    case Fault::conflict: return {"nothing was changed", "read the present state and try again"};
    case Fault::interrupted:
      return {held(outcome, "nothing was downloaded yet"), "arkvoryctl resume, or the same command, goes on"};
  }
  return {};
}

// An Error's words are a sentence; here they are the first part of one.
std::string without_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string what_happened(const Outcome& outcome) {
  const auto& error = *outcome.error;
  if (error.fault != Fault::interrupted || outcome.signal == 0) return without_stop(error.text());
  const char* name = sigabbrev_np(outcome.signal);
  return name != nullptr ? fmt::format("stopped by SIG{}", name) : fmt::format("stopped by signal {}", outcome.signal);
}

}  // namespace

std::string failure_sentence(const Outcome& outcome) {
  const auto advice = advice_for(outcome);
  return printable_line(fmt::format("{}; {}; {}", what_happened(outcome), advice.kept, advice.next));
}

std::string failure_message(std::string_view target, const Outcome& outcome) {
  return printable_line(fmt::format("{}: {}", target, failure_sentence(outcome)));
}

namespace {

// What took less than ten seconds, to the tenth: rounded up to a second it would belie the rate beside it.
std::string time_taken(Duration duration) {
  const auto tenths = std::chrono::ceil<std::chrono::milliseconds>(duration).count() / 100;
  if (tenths >= 100 || tenths % 10 == 0) return format_duration(duration);
  return fmt::format("{}.{} s", tenths / 10, tenths % 10);
}

}  // namespace

std::string success_sentence(const Outcome& outcome) {
  if (outcome.is_of_earlier_run) return "done by an earlier run of this list";
  auto text = format_size(outcome.bytes);
  const auto seconds = std::chrono::duration<double>(outcome.in_transfer).count();
  if (seconds > 0)
    text += fmt::format(" in {} at {}", time_taken(outcome.in_transfer),
                        format_rate(static_cast<double>(outcome.bytes) / seconds));
  if (outcome.in_queue >= std::chrono::seconds(1))
    text += fmt::format(" after {} in the queue", format_duration(outcome.in_queue));
  return text + (outcome.sha256 ? ", SHA-256 verified" : ", complete; no digest was there to verify it with");
}

std::string success_message(std::string_view target, const Outcome& outcome) {
  return printable_line(fmt::format("{}: {}", target, success_sentence(outcome)));
}

std::string program_line(std::string_view text) { return "arkvoryctl: " + printable_line(text) + "\n"; }

std::string shown_target(const std::filesystem::path& target, const std::filesystem::path& current) {
  const auto inside = target.has_filename() && target.parent_path() == current;
  return printable_line(inside ? target.filename().native() : target.native());
}

}  // namespace arkvory::cli
