// SPDX-License-Identifier: MIT
#include "cli/simulate/speedup_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/chart/speedups.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

std::string subtitle_of(sim_frame const& of, sim_sweep const& swept) {
  sim::machine_model const& m = of.study->machine();
  std::string text =
      fmt::format("simulated on the machine model {}: {}; {} of its {} figures are assumed; pages: {}; seed {}",
                  m.name(), m.about(), std::ranges::count_if(m.figures(), &sim::figure::assumed), m.figures().size(),
                  of.costs.pages.text(), of.costs.seed);
  if (of.seeds > 1) text += fmt::format(" to {}", of.costs.seed + of.seeds - 1);
  for (auto const& [option, value] : of.options.items()) text += fmt::format("; --{} {}", option, cell::of(value).text);
  if (swept.runs < swept.planned_runs)
    text += fmt::format("; interrupted after {} of {}", swept.runs, in_words(swept.planned_runs, "run"));
  return text;
}

std::vector<speedup_curve> curves_of(sim_sweep const& swept) {
  std::vector<speedup_curve> all;
  for (sim_row const& r : swept.rows) {
    auto of = std::ranges::find(all, r.policy, &speedup_curve::name);
    if (of == all.end()) of = all.insert(all.end(), {.name = r.policy, .points = {}});
    of->points.push_back({.workers = r.workers,
                          .median = quotient(r.alone_s, r.median.time_s),
                          .least = quotient(r.alone_s, r.max_s),
                          .most = quotient(r.alone_s, r.min_s)});
  }
  return all;
}

}  // namespace

std::string speedup_picture(sim_frame const& of, scalability const& program, sim_sweep const& swept) {
  chart_texts texts{.title = fmt::format("{}: how far it scales", of.app),
                    .subtitle = subtitle_of(of, swept),
                    .x_label = "workers",
                    .y_label = "simulated speed-up over the serial elision",
                    .mark_label = ""};
  texts.notes.push_back(fmt::format("parallelism: work / span, {} / {}; no scheduler is faster",
                                    seconds_in_text(program.work_s), seconds_in_text(program.span_s)));
  texts.notes.push_back(fmt::format("burdened parallelism: the same if all forks on that path were stolen, for {} each",
                                    seconds_in_text(program.burden_s)));
  if (of.seeds > 1) texts.notes.push_back("points: medians over the seeds; strokes: from the least to the most");
  return speedup_chart(std::move(texts), curves_of(swept),
                       {{.name = "parallelism", .speedup = program.parallelism()},
                        {.name = "burdened parallelism", .speedup = program.burdened_parallelism()}});
}

}  // namespace skua::cli
