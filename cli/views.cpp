// SPDX-License-Identifier: Apache-2.0
#include "cli/views.h"

#include "cli/bar_view.h"
#include "cli/json_view.h"
#include "cli/plain_view.h"
#include "cli/quiet_view.h"
#include "cli/two_views.h"

namespace arkvory::cli {

ProgressKind progress_kind(const ViewOptions& options, const Environment& environment, bool terminal) {
  if (options.quiet || options.progress == ProgressChoice::none) return ProgressKind::none;
  if (options.progress == ProgressChoice::plain) return ProgressKind::plain;
  if (options.progress == ProgressChoice::automatic && options.json) return ProgressKind::none;
  const bool bar = can_redraw(environment, terminal) && options.verbose == 0;
  return bar ? ProgressKind::bar : ProgressKind::plain;
}

Views::Views(const ViewOptions& options, const Environment& environment, const Clock& clock,
             const std::filesystem::path& current, TextOutput& standard_output, Terminal& standard_error,
             bool terminal) {
  // Programs that read the events need no second word of success.
  const HumanLines lines{current, options.quiet || options.json, uses_color(options.color, environment, terminal)};
  switch (progress_kind(options, environment, terminal)) {
    case ProgressKind::bar: for_people_ = std::make_unique<BarView>(standard_error, clock, lines); break;
    case ProgressKind::plain: for_people_ = std::make_unique<PlainView>(standard_error, clock, lines); break;
    case ProgressKind::none: for_people_ = std::make_unique<QuietView>(standard_error, lines); break;
  }
  shown_ = for_people_.get();
  if (!options.json) return;
  for_programs_ = std::make_unique<JsonView>(standard_output, clock);
  both_ = std::make_unique<TwoViews>(*for_programs_, *for_people_);
  shown_ = both_.get();
}

}  // namespace arkvory::cli
