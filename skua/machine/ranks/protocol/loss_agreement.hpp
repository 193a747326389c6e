// SPDX-License-Identifier: MIT
// What the live ranks know of each other's calls when the leader has died, and in which step all of them throw. A state machine;
// recovery.md has the reasons.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Every rank throws it in this step.
struct known_loss {
  std::uint32_t step = 0;
  rank_number last = 0;           ///< whom the error names
  std::vector<rank_number> dead;  ///< all that had died by then
  std::string why;

  template <class Archive>
  void serialize(Archive& a) {
    a(step, last, dead, why);
  }
};

/// With which a rank left a reduction, or a process().
struct known_result {
  std::uint32_t step = 0;
  bool of_process = false;
  std::uint64_t failed = 0;     ///< in process(): a rank whose task threw, plus one; 0: none
  std::vector<std::byte> body;  ///< of the reduction, or the text of the task's exception

  template <class Archive>
  void serialize(Archive& a) {
    a(step, of_process, failed, body);
  }
};

/// One rank's answer.
struct known_of_rank {
  std::uint32_t step = 0;    ///< the first one that the rank has not left
  bool is_in_part = false;   ///< of a call
  std::string hinders_here;  ///< why the ranks could not go on after a loss in this step; empty: they can
  std::string hinders;       ///< the same in any step
  std::vector<known_loss> losses;
  std::optional<known_result> result;  ///< the last one
  std::vector<rank_number> dead;

  template <class Archive>
  void serialize(Archive& a) {
    a(step, is_in_part, hinders_here, hinders, losses, result, dead);
  }
};

class loss_agreement {
 public:
  /// Asks these ranks, anew. `own`: what this rank knows. Returns the number of the question.
  std::uint32_t ask(live_ranks const& live, rank_number me, known_of_rank own);
  /// An answer; one to an older question is dropped.
  void hear(rank_number from, std::uint32_t question, known_of_rank known);
  void end() noexcept { is_under_way_ = false; }

  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }
  [[nodiscard]] bool is_complete() const noexcept { return missing_.empty(); }
  /// Ranks of whose death others have heard, and who were asked all the same: the question must be asked anew.
  [[nodiscard]] std::vector<rank_number> news() const;

  struct verdict {
    std::string hindrance;               ///< not empty: the ranks cannot go on
    std::uint32_t step = 0;              ///< in which all of them throw the new loss
    std::vector<known_loss> losses;      ///< in steps before, which some have not thrown yet
    std::optional<known_result> result;  ///< that some have not had yet
  };
  /// Precondition: is_complete().
  [[nodiscard]] verdict decide() const;

 private:
  [[nodiscard]] std::uint32_t end_of(std::uint32_t step) const;
  void merge(known_of_rank& known);

  bool is_under_way_ = false;
  std::uint32_t question_ = 0;
  std::vector<rank_number> missing_;
  std::vector<rank_number> asked_;
  std::vector<known_of_rank> known_;  ///< without what is merged
  std::vector<known_loss> losses_;
  std::vector<rank_number> dead_;
  std::optional<known_result> result_;
};

}}}  // namespace skua::v0::ranks
