// SPDX-License-Identifier: Apache-2.0
// What the bench measured, and what it says about it. Pure: figures in, text and verdict out.
#pragma once

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

// The runs that are compared: made one after the other, so that the machine was in the same mood.
struct Pair {
  Run verified;        // arkvoryctl download --sha256
  Run curl_then_hash;  // curl -o F && openssl dgst -sha256 F
  Run curl;            // curl -o F
};

// A figure that is promised, as the median of the pairs.
struct Promise {
  std::string name;
  std::string unit;
  double limit = 0;
  double measured = 0;

  // Held: within the limit. Far off: above twice the limit, which noise does not explain.
  bool is_held() const { return measured <= limit; }
  bool is_far_off() const { return measured > 2 * limit; }
};

// The middle value; the mean of the two middle ones where there is an even number. Requires at least one.
double median(std::vector<double> values);

// Wall at most 0.65 of curl and openssl one after the other; peak memory at most 24 MiB.
std::vector<Promise> promises(const std::vector<Pair>& pairs);

// Every pair's figures and ratios, their medians, and the promises.
std::string table(const std::vector<Pair>& pairs);

}  // namespace arkvory::bench
