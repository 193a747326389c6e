// SPDX-License-Identifier: MIT
// The statements of a comparison about its rows: their spreads, speed-ups and ratios to the fastest peer. A row with a
// wrong answer is neither the fastest nor the base of any ratio.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/measure/interval.hpp"
#include "cli/measure/results.hpp"

namespace skua::cli {

/// One row, and the rows that it is compared with.
struct contender {
  row const* of = nullptr;
  interval time_s;
  // Empty for wrong answers.
  std::optional<interval> speed_up = {};    ///< over the reference
  std::optional<interval> efficiency = {};  ///< speed_up / (own workers / the reference's)
  /// Time of the fastest parallel peer with as many workers / own time; above 1 is faster than that peer.
  std::optional<interval> ratio_to_peer = {};
  contender const* peer = nullptr;  ///< that peer

  [[nodiscard]] bool is_right() const noexcept { return of->what->wrong_answers == 0; }
  [[nodiscard]] std::string const& name() const noexcept { return of->who->name; }
  [[nodiscard]] unsigned workers() const noexcept { return of->who->workers; }
};

class comparison {
 public:
  /// Keeps pointers into `rows`. At least one row.
  explicit comparison(std::span<row const> rows);
  comparison(comparison const&) = delete;
  comparison& operator=(comparison const&) = delete;

  [[nodiscard]] std::span<contender const> all() const noexcept { return all_; }
  /// The base of speed-ups: the serial elision; if that did not run, the fastest row with the fewest workers. Null:
  /// every answer was wrong.
  [[nodiscard]] contender const* reference() const noexcept { return reference_; }
  /// Ascending. The serial elision's count is there only if another row ran on one worker, too.
  [[nodiscard]] std::vector<unsigned> worker_counts() const;
  /// The rows with right answers on this many workers, the fastest first, without the serial elision.
  [[nodiscard]] std::vector<contender const*> ranking(unsigned workers) const;

 private:
  std::vector<contender> all_;
  contender const* reference_ = nullptr;
};

/// "the serial elision", "random on 1 worker"; empty if there is none.
[[nodiscard]] std::string name_of_reference(comparison const& c);

/// Plain sentences: the fastest row for each number of workers, and its lead.
[[nodiscard]] std::vector<std::string> summary_of(comparison const& c);

}  // namespace skua::cli
