// SPDX-License-Identifier: Apache-2.0
// What may be made to go wrong with an answer, for people who test their own download clients: each kind as a plain
// value, with its name in a script (arkvory-mishap(5)).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/clock.h"

namespace arkvory::server {

// --- Instead of the answer, or around it ----------------------------------------------------------------------------

struct Delay {
  Duration duration;  // before the first byte
};
struct EmptyReply {
  bool is_reset = false;  // else the connection is closed
};
struct ErrorStatus {
  int code;  // 400 to 599
  std::optional<std::string> retry_after{};
  std::string body;
};
struct Busy {
  std::string retry_after;
};
struct Redirect {
  int code;
  std::string location;
};
struct GarbageHeader {
  std::string line;
};

// --- The head of an answer with an object ---------------------------------------------------------------------------

struct NoValidators {};
struct WrongDigest {};
struct WrongType {
  std::string type;
};
struct WrongEncoding {
  std::string coding;
};
struct ShortLength {
  std::uint64_t by;  // bytes, > 0
};
struct LongLength {
  std::uint64_t by;
};
struct NoLength {};

// --- The bytes of an object -----------------------------------------------------------------------------------------

struct Cut {
  std::uint64_t after;  // bytes of the body
};
struct Reset {
  std::uint64_t after;
};
struct Stall {
  std::uint64_t after;
  std::optional<Duration> duration{};  // none: until the client goes
};
struct Slow {
  std::uint64_t rate;  // bytes a second, > 0
};
struct Corrupt {
  std::uint64_t at;  // the offset in the object
};

// --- Answers to a range ---------------------------------------------------------------------------------------------

struct IgnoreRange {};
struct WrongRange {
  std::uint64_t shift;  // bytes, > 0
};

// --- The object itself ----------------------------------------------------------------------------------------------

struct ChangedObject {
  bool has_same_bytes = false;  // only the validators are others
};

using Mishap = std::variant<Delay, EmptyReply, ErrorStatus, Busy, Redirect, GarbageHeader, NoValidators, WrongDigest,
                            WrongType, WrongEncoding, ShortLength, LongLength, NoLength, Cut, Reset, Stall, Slow,
                            Corrupt, IgnoreRange, WrongRange, ChangedObject>;

// What they are called in a script, in the same order.
inline constexpr std::array<std::string_view, std::variant_size_v<Mishap>> kMishapNames{
    "delay",       "emptyReply", "status",        "busy",        "redirect",    "garbageHeader", "noValidators",
    "wrongDigest", "wrongType",  "wrongEncoding", "shortLength", "longLength",  "noLength",      "cut",
    "reset",       "stall",      "slow",          "corrupt",     "ignoreRange", "wrongRange",    "changed"};

inline std::string_view name_of(const Mishap& mishap) { return kMishapNames[mishap.index()]; }

}  // namespace arkvory::server
