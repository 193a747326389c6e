// SPDX-License-Identifier: MIT
// Which iteration is it, and so: what is done in it? Every iteration follows the record (following.hpp). A relaxed one
// also records (recording.hpp), three strict ones also measure (measuring.hpp), and the one after them prunes.
// [replay.md, "Iterations"]
#pragma once

#include <cstdint>

#include "skua/policy/replay/following.hpp"
#include "skua/policy/replay/measuring.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/recording.hpp"
#include "skua/policy/replay/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// Of the iterations since the record was begun. All but the relaxed ones are strict.
enum class phase : std::uint8_t {
  relaxed,
  measuring,  ///< what the pieces take is noted
  pruning,    ///< the first one of a refined record: tasks that have nothing stolen below them any more are found
  strict,
};

class iterations {
 public:
  iterations(replay_options const& chosen, recording& records, following& follows, measuring& measures) noexcept
      : options_(chosen), records_(records), follows_(follows), measures_(measures) {}

  /// By who runs the root: nothing of the iteration before runs any more.
  void begin() noexcept;

  // By any worker:
  [[nodiscard]] bool is(phase p) const noexcept { return now_.get() == p; }
  [[nodiscard]] bool is_strict() const noexcept { return !is(phase::relaxed); }
  /// Strict, but forks are exposed as if it were not.
  [[nodiscard]] bool is_watching() const noexcept { return is_watching_.get(); }
  /// The next one is relaxed: it will expose what this one finds to be too coarse.
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
  // All of these are written by who runs the root, at the begin of an iteration, and mean something in every iteration
  // but for `is_watching_`.
  shared_word<phase> now_{phase::relaxed};
  shared_word<std::uint64_t> begun_{0};
  /// Begun since the record was begun. Those in which nothing was stolen do not count.
  shared_word<std::uint64_t> since_restart_{0};
  shared_word<std::uint64_t> restarts_{0};  ///< records thrown away because the tree was another one
  shared_word<bool> is_watching_{false};    ///< relaxed ones do not ask
  std::uint32_t thrown_away_ = 0;           ///< records, not because of the tree; read only by who writes it
};

}}}}  // namespace skua::v0::policies::replay
