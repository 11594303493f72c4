// SPDX-License-Identifier: Apache-2.0
// A case of hostile-cases.md as a value: what the server does, what runs before, what the client is told, and how it
// has to end.
//
// To add one, put a Case into the list at the end of the file of its kind (cases_*.cpp); a new file goes into cases.h,
// cases.cpp and CMakeLists.txt.
// - `id` is the row of the page, with a letter where the row has several guises. `title` is a line of the table.
// - `server` is put together from answers.h: ok(), cut(), status(), edited(what is wrong with a correct answer), in
//   turn, by path, or any function that writes to the connection what it likes.
// - `right` says how it has to end. What no case may do (hang, hammer, exit 0 without the right bytes, lose what it
//   held) is judged anyway. An upper bound of time only tells a wait from none that ends: ten times what it takes.
// - Where the client has to be in some state first, wait for the event (a request, a line of its output) and not for a
//   time. `part` is a run that was killed, `before` changes what it left, `course` does all by itself.
// - A case that only options of ours or files of ours make sense of is `only_ours`; one that needs networks or mounts
//   is `apart`; one of more than half a minute is `slow`.
// Then see it fail: against another client, or with the server's fault taken out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/hostile/answers.h"
#include "tests/hostile/object.h"
#include "tests/support/process.h"
#include "tests/support/raw_origin.h"
#include "tests/support/tls_server.h"

namespace arkvory::hostile {

using std::chrono::milliseconds;
using std::chrono::seconds;

// PART(k): a real run that is killed after k bytes.
struct Part {
  std::uint64_t bytes = 0;
  // Changes the answers of that run; the killed run sees the object as it was then.
  Edit edit = [](Prepared&, const Ask&) {};
  const Object* object = nullptr;  // nothing: the case's own
  Facts facts{};
};

// What a run of a client was, as far as others than the client can tell.
struct Run {
  std::optional<test::ProcessEnd> end{};  // nothing: it did not end in time and was killed
  double time = 0;                        // seconds
  Instant begun{};
  std::vector<test::Served> served{};
  std::vector<Instant> accepted{};
  std::string output{};
  std::string errors{};
  std::set<std::string> names{};  // in the client's folder after it
  bool has_target = false;
  bool is_right = false;  // the target is there and equals the object

  std::uint64_t bytes_sent() const;
  // Seconds from one request to the next; from the start of the client to the first.
  std::vector<double> gaps() const;
};

// How a case has to end. What is left out is not looked at.
struct Right {
  std::vector<int> exits{0};  // any of these; 0 is A!, all others are Keep
  // Of a Keep: so much is on disk afterwards, and a further run against a correct server asks for the rest only.
  std::uint64_t kept = 0;
  bool tried_again = true;  // false: no further run
  int fewest_requests = 0;
  int most_requests = 10'000;
  std::uint64_t most_bytes = UINT64_MAX;
  double least_time = 0;
  double most_time = 30;            // ten times what it takes, for the machine may have other work
  double gap = 0;                   // between requests, at least
  int burst = 8;                    // requests within a second that were answered with next to nothing, at most
  std::vector<std::string> says{};  // words in its output, in any case
  std::set<std::string> names{};    // of an A!: the files; empty: the target only
  // What else is wrong; empty where all is right.
  std::function<std::string(const Run&)> also{};
};

// The worst that is true of a run, by which the cases are counted.
enum class Ending { right, otherwise, without_need, hammers, hangs, wrong_bytes };

struct Verdict {
  bool is_right = true;
  bool is_skipped = false;
  std::string words = "ok";
  Ending ending = Ending::right;

  static Verdict of(Ending ending, const std::string& words) { return {ending == Ending::right, false, words, ending}; }
  // By what is wrong: empty where nothing is.
  static Verdict of(const std::string& wrong) {
    return wrong.empty() ? of(Ending::right, "ok") : of(Ending::otherwise, wrong);
  }
  static Verdict skipped(const std::string& why) { return {true, true, "skipped: " + why, Ending::right}; }
};

class Stage;

struct Case {
  std::string id;
  std::string title;
  Answer server = ok();
  Right right{};
  const Object& (*object)() = small_object;
  std::optional<Part> part{};
  bool digest = true;  // DL; false: DL-
  std::vector<std::string> options{};
  std::string target = "out.bin";  // empty: without -o
  std::string path = "/f.bin";
  bool plain = false;                      // without --json
  std::optional<test::TlsSettings> tls{};  // nothing: plain HTTP
  bool opens_later = false;                // the server refuses connections until the case opens it
  bool slow = false;                       // longer than a normal test run has time for
  std::string address = "127.0.0.1";       // where the server listens
  bool apart = false;                      // in namespaces of its own
  bool only_ours = false;                  // says nothing about other clients
  // Between PART and the run.
  std::function<void(Stage&)> before{};
  // In place of PART, run and judgement.
  std::function<Verdict(Stage&)> course{};
  // Shown in virtual time: where.
  std::string elsewhere{};
};

}  // namespace arkvory::hostile
