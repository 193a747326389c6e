// SPDX-License-Identifier: MIT
// What one rank remembers during process() so that the tasks of a dead rank can run again. recovery.md has the rules.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/queue/task_slot.hpp"

namespace skua { inline namespace v0 { namespace ranks {

using task_bytes = std::vector<std::byte>;  ///< slots, one after the other

/// Tasks that live ranks took from dead ranks: number, and the largest hop.
using taken_tasks = std::unordered_map<std::uint64_t, std::uint64_t>;

class recovery_log {
 public:
  explicit recovery_log(slot_shape shape) noexcept : shape_(shape) {}

  /// Forgets everything but the copies of the process() before. Gives each of `seeds`, the tasks with which this rank begins, its identity,
  /// and copies them.
  void begin(rank_number rank, std::span<std::byte> seeds);

  // Between two process(): what recover() starts from (recovery.md).

  /// A process() has ended, after so many recoveries and with so many dead ranks.
  void ended(std::uint16_t generation, rank_number dead) noexcept {
    now_.generation = generation;
    now_.dead = dead;
    is_complete_ = true;
  }
  /// Tasks are there of a process() that every rank had entered.
  [[nodiscard]] bool has_copies() const noexcept { return is_complete_ || before_; }
  /// Goes back to the process() before if the last one has not ended. Precondition: has_copies().
  void go_back();
  /// How many ranks had died when these copies were made: their tasks are among those of live ranks.
  [[nodiscard]] rank_number dead() const noexcept { return now_.dead; }
  /// True if this rank has a copy of all tasks of that one.
  [[nodiscard]] bool has_copy_of(rank_number of) const noexcept { return keeps(of, now_.generation); }
  /// The tasks of a dead rank become this rank's own. Precondition: has_copy_of(of).
  void adopt(rank_number of);
  /// Its keeper has sent this one the tasks of rank `of`, which are complete.
  void keep_all(rank_number of, std::span<std::byte const> seeds);
  /// All dead ranks' tasks have been adopted; nobody else's are kept.
  void adopted(rank_number dead);

  /// The collection has no task, and there is no copy of any.
  void forget(rank_number dead) {
    now_ = {};
    now_.dead = dead;
    before_.reset();
    is_complete_ = true;
  }

  /// The tasks that this rank's keeper must hold.
  [[nodiscard]] task_bytes const& seeds() const noexcept { return now_.seeds; }
  /// The number of the next task that the task in this slot spawns.
  [[nodiscard]] static std::uint64_t child_number(std::uint64_t parent, std::uint64_t index) noexcept;

  /// A thief gets these tasks: counts the hop in them, and copies them.
  void lent(rank_number to, std::span<std::byte> tasks);
  void took(rank_number from, std::span<std::byte const> tasks);
  /// Keeps another rank's seeds of a generation, in place of older ones.
  void keep(rank_number of, std::uint16_t generation, std::span<std::byte const> seeds);
  [[nodiscard]] bool keeps(rank_number of, std::uint16_t generation) const noexcept {
    auto const at = now_.kept.find(of);
    return at != now_.kept.end() && at->second.generation == generation;
  }

  /// The tasks that this rank took from dead ranks.
  [[nodiscard]] taken_tasks taken_from_dead(live_ranks const& live) const;
  /// The tasks that this rank has to run again, given the tasks that all live ranks took from dead ones. Keeps the
  /// others.
  [[nodiscard]] task_bytes run_again(live_ranks const& live, taken_tasks elsewhere);
  /// True if a live rank has this spawned task already: it must not be added. Any thread.
  [[nodiscard]] bool held_back(std::byte const* slot);

 private:
  struct taken {
    std::uint64_t number;
    std::uint64_t hop;
    rank_number donor;
  };
  struct copy {
    std::uint16_t generation = 0;
    task_bytes seeds;
  };
  /// With what a process() began.
  struct begun {
    task_bytes seeds;
    std::unordered_map<rank_number, copy> kept;
    std::uint16_t generation = 0;  ///< of complete copies
    rank_number dead = 0;
  };
  void hold(std::span<std::byte const> tasks) { held_.insert(held_.end(), tasks.begin(), tasks.end()); }

  slot_shape shape_;
  begun now_;
  bool is_complete_ = false;     ///< every rank had entered the last process(), and it has ended
  std::optional<begun> before_;  ///< the process() before
  std::unordered_map<rank_number, task_bytes> lent_;
  task_bytes held_;  ///< copies whose holder is dead, or is a live rank that took them from a dead one
  std::vector<taken> taken_;
  taken_tasks elsewhere_;
  std::atomic<bool> some_elsewhere_{false};
  std::mutex lock_;  ///< of held_ and elsewhere_: workers hold tasks back
};

}}}  // namespace skua::v0::ranks
