// SPDX-License-Identifier: MIT
#include "cli/report/gaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/text/report.hpp"

namespace skua::cli::traced {
namespace {

double in_s(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

std::optional<gap> partly_known(run const& of, concurrency const& busy) {
  if (busy.unknown_ns == 0) return std::nullopt;
  gap g{.key = "partly_known", .title = "Only a part of the run is known.", .text = ""};
  if (busy.known_ns() == 0) {
    g.text =
        "At no moment it is known what all workers did. Times are those of the workers that are known; how many worked "
        "at once is unknown.";
    return g;
  }
  g.text = fmt::format(
      "What all workers did is known for {} of {} ({}). Means, shares and findings are of that time, and counts are "
      "lower bounds.",
      in_seconds(in_s(busy.known_ns())), in_seconds(in_s(of.length_ns)),
      in_percent(static_cast<double>(busy.known_ns()) / static_cast<double>(of.length_ns)));
  return g;
}

std::optional<gap> cut_short(run const& of) {
  if (of.cut_bytes == 0) return std::nullopt;
  auto const is_cut = [](traced_worker const& w) { return w.known_to_ns != to_the_end; };
  return gap{
      .key = "cut",
      .title = "The trace is cut short.",
      .text = fmt::format("{} lacks {} bytes that its header states: newer events of {} are missing. Copy the "
                          "whole file.",
                          of.label, of.cut_bytes,
                          in_words(static_cast<std::uint64_t>(std::ranges::count_if(of.workers, is_cut)), "worker"))};
}

std::optional<gap> overwritten(run const& of) {
  if (of.lost() == 0) return std::nullopt;
  return gap{.key = "overwritten",
             .title = "Events were lost.",
             .text = fmt::format("{} of {} of {} were overwritten by newer ones. A larger {} keeps more.", of.lost(),
                                 in_words(of.lost() + of.events(), "event"), of.label,
                                 of.simulated ? "--trace-size" : "SKUA_TRACE_SIZE")};
}

std::optional<gap> unended(run const& of) {
  if (of.complete) return std::nullopt;
  return gap{.key = "unended",
             .title = "Incomplete.",
             .text = fmt::format("The trace {} has no end: a process crashed, was killed, or still runs. The report "
                                 "covers what it had noted.",
                                 of.label)};
}

}  // namespace

std::vector<gap> gaps_of(run const& of, concurrency const& busy) {
  std::vector<gap> all;
  for (std::optional<gap> const& g : {partly_known(of, busy), cut_short(of), overwritten(of), unended(of)})
    if (g) all.push_back(*g);
  return all;
}

}  // namespace skua::cli::traced
