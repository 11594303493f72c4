// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "server-stub/scheduler/setting_options.h"
#include "server-stub/simulate/report.h"

namespace arkvory::server {
namespace {

// In pixels.
constexpr double kPanelWidth = 300;
constexpr double kPanelHeight = 220;
constexpr double kGap = 36;
constexpr double kLeft = 56;
constexpr double kTop = 64;
constexpr double kBottom = 96;
constexpr double kRight = 24;

constexpr std::array<std::string_view, 3> kColours{"#1b6ca8", "#2e7d32", "#b3541e"};

// A round step of the time axis, so that there are at most five of them.
struct TimeStep {
  Duration length;
  Duration unit;
  std::string_view name;
};

TimeStep time_step(Duration whole) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::minutes;
  using std::chrono::seconds;
  constexpr std::array<long, 10> kRound{1, 2, 5, 10, 15, 20, 30, 50, 100, 200};
  struct Unit {
    Duration length;
    std::string_view name;
    long most;
  };
  for (const auto& unit : {Unit{milliseconds(1), "ms", 200}, Unit{seconds(1), "s", 30}, Unit{minutes(1), "min", 30},
                           Unit{hours(1), "h", 20}, Unit{hours(24), "days", 1'000'000}})
    for (auto factor = 1L; factor <= unit.most; factor *= 100)
      for (const auto round : kRound)
        if (const auto length = unit.length * round * factor; round * factor <= unit.most && whole <= 5 * length)
          return {length, unit.length, unit.name};
  return {whole, hours(24), "days"};
}

class Picture {
 public:
  Picture(const std::vector<Panel>& panels, std::size_t clients)
      : panels_(panels), clients_(std::max<std::size_t>(clients, 1)) {
    for (const auto& panel : panels)
      if (!panel.report.finishes.empty()) whole_ = std::max(whole_, panel.report.finishes.back());
  }

  std::string draw() {
    const auto count = static_cast<double>(panels_.size());
    const auto width = kLeft + count * kPanelWidth + (count - 1) * kGap + kRight;
    const auto height = kTop + kPanelHeight + kBottom;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n",
        width, height);
    add("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    add("<text x=\"{:.0f}\" y=\"24\" font-size=\"15\">Complete files over time, {} clients</text>\n", kLeft, clients_);
    for (std::size_t i = 0; i < panels_.size(); ++i) draw_panel(i);
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  double x(Duration time) const {
    return left_ + kPanelWidth * static_cast<double>(time.count()) / static_cast<double>(whole_.count());
  }
  double y(std::size_t done) const {
    return kTop + kPanelHeight * (1 - static_cast<double>(done) / static_cast<double>(clients_));
  }

  void draw_panel(std::size_t index) {
    const auto& panel = panels_[index];
    left_ = kLeft + static_cast<double>(index) * (kPanelWidth + kGap);
    const auto colour = kColours[index % kColours.size()];
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"13\" fill=\"{}\">{}</text>\n", left_, kTop - 12, colour,
        panel.title);
    draw_axes(index == 0);
    draw_curve(panel.report, colour);
    const auto ends = completion(panel.report);
    const auto line = [&](int number, const std::string& words) {
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#555\">{}</text>\n", left_, kTop + kPanelHeight + 42 + 16 * number,
          words);
    };
    if (!ends) return line(0, "nobody finished");
    line(0, "first " + short_time(ends->first));
    line(1, "mean " + short_time(ends->mean));
    line(2, "last " + short_time(ends->last));
  }

  void draw_axes(bool has_labels) {
    for (const int quarter : {0, 1, 2, 3, 4}) {
      const auto at = kTop + kPanelHeight * (1 - quarter / 4.0);
      add("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#e2e2e2\"/>\n", left_, at, kPanelWidth);
      if (has_labels)
        add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} %</text>\n", left_ - 8, at + 4, quarter * 25);
    }
    const auto step = time_step(whole_);
    for (auto time = Duration(0); time <= whole_; time += step.length) {
      const bool is_named = time + step.length > whole_;  // the last one tells the unit
      add("<path d=\"M{0:.1f} {1:.1f}v5\" stroke=\"#999\"/>\n", x(time), kTop + kPanelHeight);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}{}</text>\n", x(time), kTop + kPanelHeight + 19,
          time / step.unit, is_named ? " " + std::string(step.name) : "");
    }
    add("<path d=\"M{:.1f} {:.1f}v{:.1f}h{:.1f}\" fill=\"none\" stroke=\"#999\"/>\n", left_, kTop, kPanelHeight,
        kPanelWidth);
  }

  // Steps; of those that fall on one pixel only the last.
  void draw_curve(const SimulationReport& report, std::string_view colour) {
    add("<path fill=\"none\" stroke=\"{}\" stroke-width=\"2\" d=\"M{:.1f} {:.1f}", colour, left_, y(0));
    const auto& ends = report.finishes;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (i + 1 < ends.size() && x(ends[i + 1]) - x(ends[i]) < 0.05) continue;
      add("H{:.1f}V{:.1f}", x(ends[i]), y(i + 1));
    }
    add("H{:.1f}\"/>\n", left_ + kPanelWidth);
  }

  const std::vector<Panel>& panels_;
  std::size_t clients_;
  Duration whole_{1};
  double left_ = 0;
  std::string text_;
};

}  // namespace

std::vector<Panel> run_strategies(const Scenario& scenario) {
  std::vector<Panel> panels;
  for (const auto strategy : {Strategy::ordered, Strategy::smallest_first, Strategy::shared}) {
    auto one = scenario;
    one.settings.strategy = strategy;
    panels.push_back({std::string(to_string(strategy)), simulate(one)});
  }
  return panels;
}

std::string plot(const std::vector<Panel>& panels, std::size_t clients) { return Picture(panels, clients).draw(); }

}  // namespace arkvory::server
