// SPDX-License-Identifier: Apache-2.0
// What the bench measured, and what it says about it. Pure: figures in, text and verdict out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arkvory::bench {

// One run of one command.
struct Run {
  double wall_seconds = 0;
  double cpu_seconds = 0;        // user and system, its children included
  std::uint64_t peak_bytes = 0;  // the largest resident set of a process in it
};

// A run of each of the commands that are compared, made one after the other, so that the machine was in the same mood.
using Round = std::vector<Run>;

// What of a run is compared, and in which unit.
struct Figure {
  const char* unit;
  double (*of)(const Run&);
};
extern const Figure kWall;              // s
extern const Figure kWallMilliseconds;  // ms
extern const Figure kCpu;               // s
extern const Figure kPeak;              // MiB

// The middle value; the mean of the two middle ones where there is an even number. Requires at least one.
double median(std::vector<double> values);

// A line of the table. Without a peer the limit is one of ours itself, else of the ratio; without a limit the line is
// there to be known.
struct Row {
  std::string work{};  // what was done, and what of it was measured
  std::string peer{};
  std::string unit{};
  double ours = 0;
  double theirs = 0;
  double ratio = 0;  // ours to theirs: the median of the rounds' ratios, not the ratio of the medians
  double limit = 0;
  std::string skipped{};  // why nothing was measured

  double measured() const { return peer.empty() ? ours : ratio; }
  bool has_verdict() const { return limit > 0 && skipped.empty(); }
  bool is_held() const { return measured() <= limit; }
  // Above five times the limit, which noise does not explain.
  bool is_far_off() const { return has_verdict() && measured() > 5 * limit; }
};

// Command `ours` of each round beside command `theirs`.
Row compared(std::string work, std::string peer, const std::vector<Round>& rounds, std::size_t ours, std::size_t theirs,
             const Figure& figure, double limit);
// Command `ours` alone.
Row alone(std::string work, const std::vector<Round>& rounds, std::size_t ours, const Figure& figure, double limit);
// A figure that is no Run's.
Row alone(std::string work, const char* unit, double value, double limit);
Row skipped(std::string work, std::string why);

// The largest resident set of the commands given, over all rounds.
std::uint64_t largest_peak(const std::vector<Round>& rounds, const std::vector<std::size_t>& commands);

// Every round in a line, for a reader who doubts a median.
std::string rounds_in_words(const std::vector<std::string>& names, const std::vector<Round>& rounds);
std::string table(const std::vector<Row>& rows);

// Of a program that measured these: 77 where nothing could be, 1 where a promised figure is far off and `has_limits`.
int exit_status(const std::vector<Row>& rows, bool has_limits);

}  // namespace arkvory::bench
