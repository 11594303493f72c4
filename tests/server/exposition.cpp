// SPDX-License-Identifier: Apache-2.0
#include "tests/server/exposition.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

namespace arkvory::test {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view kDigits = "0123456789";

std::string_view take_word(std::string_view& rest) {
  const auto word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  return word;
}

bool is_name(std::string_view name, bool may_have_colon) {
  if (name.empty() || kDigits.find(name.front()) != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [may_have_colon](char c) {
    return kLetters.find(c) != std::string_view::npos || kDigits.find(c) != std::string_view::npos ||
           (may_have_colon && c == ':');
  });
}

std::optional<double> number(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Reader {
 public:
  void read(std::string_view text) {
    if (text.empty() || text.back() != '\n') problem("the last line has no end");
    while (!text.empty()) {
      line_ = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line_.size() + 1, text.size()));
      if (line_.starts_with("# "))
        read_comment(line_.substr(2));
      else
        read_sample(line_);
    }
    end_family();
  }
  Exposition read_;

 private:
  void problem(const std::string& what) { read_.problems.push_back(what + ": " + std::string(line_)); }

  void read_comment(std::string_view rest) {
    const auto kind = take_word(rest);
    const std::string name(take_word(rest));
    if (kind == "HELP") {
      end_family();
      family_ = name;
      if (!families_.insert(name).second) problem("a family that comes twice");
      if (rest.empty()) problem("an empty HELP");
      check_name(name);
    } else if (kind == "TYPE") {
      if (name != family_ || read_.types.count(name) != 0)
        problem("a TYPE that is not its family's first and only one");
      if (rest != "counter" && rest != "gauge" && rest != "histogram") problem("an unknown type");
      if ((rest == "counter") != name.ends_with("_total")) problem("counters end in _total, and nothing else does");
      read_.types[name] = rest;
    } else {
      problem("a comment");
    }
  }

  void check_name(std::string_view name) {
    if (!is_name(name, true)) problem("a bad name");
    if (!name.starts_with("arkvory_")) problem("a name that is not ours");
    for (const auto* suffix : {"_bucket", "_count", "_sum"})
      if (name.ends_with(suffix)) problem("a name that could be part of a histogram");
    for (const auto* unit :
         {"_ms", "milli", "micro", "nano", "minutes", "hours", "kilo", "mega", "_kb", "_mb", "kib", "mib"})
      if (name.find(unit) != std::string_view::npos) problem("no base unit");
  }

  void read_sample(std::string_view rest) {
    const std::string name(rest.substr(0, rest.find_first_of("{ ")));
    rest.remove_prefix(name.size());
    std::map<std::string, std::string> labels;
    if (rest.starts_with("{") && !read_labels(rest, labels)) return problem("broken labels");
    if (!rest.starts_with(" ")) return problem("no value");
    const auto value = number(rest.substr(1));
    if (!value) return problem("no number");
    if (*value < 0) problem("below zero");
    if (!belongs(name)) problem("a sample without its HELP and TYPE");
    if (!read_.samples.emplace(Exposition::Series{name, labels}, *value).second) problem("a series that comes twice");
    ++samples_of_family_;
    if (read_.types[family_] == "histogram")
      add_to_histogram(name.substr(std::min(family_.size(), name.size())), labels, *value);
  }

  bool read_labels(std::string_view& rest, std::map<std::string, std::string>& labels) {
    do {
      rest.remove_prefix(1);  // `{` or `,`
      const std::string name(rest.substr(0, rest.find('=')));
      rest.remove_prefix(name.size());
      if (!is_name(name, false) || name.starts_with("__") || !rest.starts_with("=\"")) return false;
      rest.remove_prefix(2);
      std::string value;
      for (; !rest.empty() && rest.front() != '"'; rest.remove_prefix(1)) {
        if (rest.front() != '\\') {
          value += rest.front();
          continue;
        }
        rest.remove_prefix(1);
        if (rest.empty() || std::string_view("\\\"n").find(rest.front()) == std::string_view::npos) return false;
        value += rest.front() == 'n' ? '\n' : rest.front();
      }
      if (rest.empty() || !labels.emplace(name, value).second) return false;
      rest.remove_prefix(1);  // the quote
    } while (rest.starts_with(","));
    if (!rest.starts_with("}")) return false;
    rest.remove_prefix(1);
    return true;
  }

  bool belongs(const std::string& name) {
    const auto type = read_.types.find(family_);
    if (type == read_.types.end()) return false;
    if (type->second != "histogram") return name == family_;
    return name == family_ + "_bucket" || name == family_ + "_sum" || name == family_ + "_count";
  }

  struct Buckets {
    std::vector<std::pair<double, double>> bounds{};  // and how many up to them
    std::optional<double> sum{};
    std::optional<double> count{};
  };

  void add_to_histogram(std::string_view suffix, std::map<std::string, std::string> labels, double value) {
    const auto bound = labels.extract("le");
    auto& buckets = histograms_[labels];
    if (suffix == "_sum") buckets.sum = value;
    if (suffix == "_count") buckets.count = value;
    if ((suffix == "_bucket") != !bound.empty()) return problem("buckets have a bound, and nothing else has");
    if (suffix != "_bucket") return;
    const auto limit = number(bound.mapped());
    if (!limit) return problem("a bound that is no number");
    if (!buckets.bounds.empty() && (buckets.bounds.back().first >= *limit || buckets.bounds.back().second > value))
      problem("buckets that don't grow");
    buckets.bounds.emplace_back(*limit, value);
  }

  void end_family() {
    if (!family_.empty() && samples_of_family_ == 0)
      problem("a family without a sample before");
    for (const auto& [labels, buckets] : histograms_) {
      if (buckets.bounds.empty() || !std::isinf(buckets.bounds.back().first))
        problem("a histogram without +Inf before");
      else if (buckets.count != buckets.bounds.back().second)
        problem("a count that is not that of +Inf before");
      if (!buckets.sum) problem("a histogram without a sum before");
    }
    histograms_.clear();
    samples_of_family_ = 0;
  }

  std::string_view line_;
  std::string family_;
  std::set<std::string> families_;
  int samples_of_family_ = 0;
  std::map<std::map<std::string, std::string>, Buckets> histograms_;
};

}  // namespace

Exposition read_exposition(std::string_view text) {
  Reader reader;
  reader.read(text);
  return std::move(reader.read_);
}

}  // namespace arkvory::test
