// SPDX-License-Identifier: MIT
// Counts the iterations, and decides what each of them does. Every iteration follows the record (following.hpp). A
// relaxed one also records (recording.hpp), three strict ones also measure (measuring.hpp), and the one after them
// prunes.
// [replay.md, "Iterations"]
#pragma once

#include <cstdint>

#include "skua/policy/replay/following.hpp"
#include "skua/policy/replay/measuring.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/recording.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// The phase of an iteration since the record was begun. All iterations but the relaxed ones are strict.
enum class phase : std::uint8_t {
  relaxed,
  measuring,  ///< the times of the pieces are noted
  pruning,    ///< the first iteration with a refined record: finds the tasks that no longer have a steal below them
  strict,
};

class iterations {
 public:
  iterations(replay_options const& chosen, recording& records, following& follows, measuring& measures) noexcept
      : options_(chosen), records_(records), follows_(follows), measures_(measures) {}

  /// Called by the worker that runs the root: nothing of the last iteration runs any more.
  void begin() noexcept;

  // By any worker:
  [[nodiscard]] bool is_in(phase p) const noexcept { return now_.get() == p; }
  [[nodiscard]] bool is_strict() const noexcept { return !is_in(phase::relaxed); }
  /// A strict iteration that exposes forks as a relaxed one does.
  [[nodiscard]] bool is_watching() const noexcept { return is_watching_.get(); }
  /// The next iteration is relaxed: it will expose what this one finds too coarse.
  [[nodiscard]] bool is_before_relaxed() const noexcept { return since_restart_.get() <= options_.relaxed; }
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_.get(); }
  [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_.get(); }

 private:
  [[nodiscard]] phase phase_of(std::uint64_t number) const noexcept;
  void begin_record() noexcept;
  void refine(std::uint64_t number) noexcept;

  replay_options const& options_;
  recording& records_;
  following& follows_;
  measuring& measures_;
  // The worker that runs the root writes all of these, at the begin of an iteration. All but `is_watching_` hold in
  // every iteration.
  shared_word<phase> now_{phase::relaxed};
  shared_word<std::uint64_t> begun_{0};
  /// Iterations since the record was begun. Those without a steal do not count.
  shared_word<std::uint64_t> since_restart_{0};
  shared_word<std::uint64_t> restarts_{0};  ///< records thrown away because the tree had changed
  shared_word<bool> is_watching_{false};    ///< unused in relaxed iterations
  std::uint32_t thrown_away_ = 0;           ///< records thrown away for other reasons; only its writer reads it
};

}}}}  // namespace skua::v0::policies::replay
