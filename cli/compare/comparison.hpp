// SPDX-License-Identifier: MIT
// What a comparison says of its rows: their spreads, speed-ups and ratios to the fastest peer. Rows with wrong answers are
// neither the fastest of anything nor what others are compared with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/measure/interval.hpp"
#include "cli/measure/results.hpp"

namespace skua::cli {

/// One row and what it is compared with.
struct contender {
  row const* of = nullptr;
  interval time_s;
  // Of wrong answers these are empty.
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
  /// What speed-ups are over: the serial elision, or if it did not run the fastest row with the fewest workers. Null: every
  /// answer was wrong.
  [[nodiscard]] contender const* reference() const noexcept { return reference_; }
  /// Ascending. That of the serial elision is there only if something else ran on one worker, too.
  [[nodiscard]] std::vector<unsigned> worker_counts() const;
  /// Those with right answers on so many workers, the fastest first, without the serial elision.
  [[nodiscard]] std::vector<contender const*> ranking(unsigned workers) const;

 private:
  std::vector<contender> all_;
  contender const* reference_ = nullptr;
};

/// "the serial elision", "random on 1 worker"; empty if there is none.
[[nodiscard]] std::string name_of_reference(comparison const& c);

/// Plain sentences: who is the fastest on each number of workers, and by how much.
[[nodiscard]] std::vector<std::string> summary_of(comparison const& c);

}  // namespace skua::cli
