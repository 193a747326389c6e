// SPDX-License-Identifier: MIT
// The waist: what a fiber asks of the worker that runs it, through its slot. Programs compile the callers (forks, joins,
// scopes, finish regions); the implementation is compiled once (engine/loop/duties.cpp), and only it knows workers, regions and pools.
#pragma once

#include <cstdint>

#include "skua/machine/threads/lane/policy_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber;
enum class activity : std::uint8_t;
struct frame;
struct group;
struct tagged_entry;
struct wait_reason;

/// A base of every slot. Only the fiber that runs on the slot's worker calls these, except `ask_all_to_poll` and `notify_work`.
class duties {
 public:
  /// The fiber that runs on the calling thread; null if the thread is not a worker.
  [[nodiscard]] static fiber* running_fiber() noexcept;

  /// From now on the worker's time counts as `what`. Cost: one clock reading.
  void begin(activity what) noexcept;

  /// An entry was put where any worker of the region may take it. Wakes a sleeper unless enough workers are searching; true
  /// if it did. Any thread.
  bool notify_work() noexcept;
  /// Makes every fiber of the region poll at its next fork. Any thread.
  void ask_all_to_poll() noexcept;
  /// Puts an entry into the lane of another worker, or of a team's, as the policy decided. Returns false if the entry stays here.
  [[nodiscard]] bool send(tagged_entry& entry, placement const& to) noexcept;
  /// Sends a ready frame to its worker, if it is tied to one, or else to its region.
  static void send_home(frame& f) noexcept;

  /// Suspends the running fiber, which waits for `g` and accounts for `mine` of its children; its worker runs other work.
  /// Returns when the fiber is resumed, perhaps on another worker. Returns false, without effect, if the system refuses a stack.
  [[nodiscard]] bool park(fiber& waiting, group& g, std::uint64_t mine) noexcept;
  /// The same without a fresh stack: tasks run on top of the fiber, or the worker leaves for a ready frame, which has a stack.
  void wait_in_place(fiber& waiting, group& g, std::uint64_t mine) noexcept;
  /// Waits and only records steals: the worker runs nothing meanwhile.
  void wait_alone(fiber& waiting, group const& g, std::uint64_t mine) noexcept;
  /// States what the next wait of the running fiber is for, as text for reports. Cost: two stores.
  void say_why(wait_reason const& why) noexcept;

  /// Moves the running fiber to another worker between two groups. It stays if there is no stack or no memory for that.
  void move(fiber& running, placement const& to, task_tag const& tag) noexcept;
  /// Preempts the fiber in favour of an entry that another worker put into the mailbox: the fiber goes to a lane of this worker.
  void preempt(fiber& running) noexcept;

  /// True if spawns may run inline on the running fiber's stack: less than half of it is used.
  [[nodiscard]] bool has_room_for_calls() const noexcept;
  /// True if the running fiber must yield: a frame is ready, or another region that the worker serves has work, and the fiber is not isolated.
  [[nodiscard]] bool turns_away() const noexcept;
  /// True if the running fiber, whose task has ended, may begin another one of its region without a search, which would find nothing
  /// more urgent: no ready frame, no work of another region, no caller who waits to leave. A hint.
  [[nodiscard]] bool may_go_on() const noexcept;
  /// True if another region that the worker serves has work.
  [[nodiscard]] bool other_regions_wait() const noexcept;

 protected:
  duties() = default;
  ~duties() = default;
};

}}}  // namespace skua::v0::runtime
