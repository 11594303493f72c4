// SPDX-License-Identifier: Apache-2.0
// The one way in which something fails in this project: a value.
//
// `Fault` is a closed list by what one can do about a failure. The retry policy (core/wait) and the exit status (cli)
// are two switches over it without `default`, so a new fault can't be forgotten in either.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace arkvory {

enum class Fault {
  internal,    // a bug of ours, or out of memory: report it
  usage,       // a bad option, value or configuration: correct the command
  wait_limit,  // the longest wait allowed is spent: run again later, the place is kept
  deadline,    // the deadline can't be met: choose another
  busy,        // the server asked to come back later: come back, at no cost
  weather,     // no route, no resolver: wait for the network, at no cost
  network,     // a real fault on the way: try again, from the budget
  refused,     // refused for good: another URL
  integrity,   // a digest or block check failed: look at what was set aside
  locked,      // another process works on this target: wait for it
  changed,     // the remote object changed and what is held can't be completed: begin again
  local,       // disk, quota, permission, a limit: make room, then go on
  untrusted,   // answers that can't be trusted: another server or proxy
  auth,        // credentials missing or refused: supply them
  state,       // our state on disk is damaged or of a newer version
  conflict,    // the operator's change met another change
  interrupted, // a signal asked us to stop: run again
};

// The word for a fault as messages and tests print it.
std::string_view to_string(Fault fault);

// One failure. `words` is a sentence for the user that names the thing; `cause` is what a library or the system said,
// and may be empty.
struct Error {
  Fault fault = Fault::internal;
  std::string words;
  std::string cause{};

  // `words`, followed by the cause in brackets where there is one.
  std::string text() const { return cause.empty() ? words : words + " (" + cause + ")"; }
};

// A value or an Error. The type itself is must-use.
template <typename T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

// Makes the failing side of any Result.
inline tl::unexpected<Error> fail(Fault fault, std::string words, std::string cause = {}) {
  return tl::unexpected<Error>(Error{fault, std::move(words), std::move(cause)});
}

// Hands a failure on, unchanged.
inline tl::unexpected<Error> pass_on(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace arkvory
