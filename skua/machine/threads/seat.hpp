// SPDX-License-Identifier: MIT
// A worker's share of a region: its lanes there, and its mind. A worker has one seat in every region it serves.
#pragma once

#include <cstdint>

#include "skua/machine/threads/group.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"
#include "skua/policy/policy.hpp"

namespace skua::threads {

class region;
class worker;

/// What a strand shall do after a push that asked for attention.
enum class advice : std::uint8_t {
  go_on,  ///< room was made, sleepers were woken: as if nothing had happened
  full,   ///< no memory for the next push: take the entry back and call instead of fork
  stop,   ///< the running task was asked to end
};

/// Every strand of the region looks at its next fork. Any thread.
void poke_all(region& r) noexcept;

class alignas(cache_line_bytes) seat {
 public:
  /// Throws std::bad_alloc.
  seat(worker& w, region& r, std::uint32_t region_workers, worker_id number, mind& decides)
      : who(w), in(r), in_workers(region_workers), id(number), thinks(decides) {}

  deque<> forks;      ///< first member: the hot path adds no offset
  std::uint64_t pushes = 0;  ///< joins' continuations shown so far; the owner's, copied to its counters off the hot path
  deque<> spawned;
  injector<> inbox;   ///< frames and tasks placed here by other workers
  worker& who;
  region& in;
  std::uint32_t const in_workers;  ///< of the region
  worker_id const id;  ///< the number of this worker in the region
  mind& thinks;

  /// The next push on either lane will ask for attention. Any thread.
  void poke() noexcept {
    forks.outside().poke();
    spawned.outside().poke();
  }

  /// Entries of `forks` before this place are no open joins, or their strand knows that they are robbed. For the owner.
  [[nodiscard]] std::int64_t thefts_before() const noexcept {
    tsan::unseen const of_the_worker;
    return thefts_before_;
  }
  void thefts_are_seen(std::int64_t before) noexcept {
    tsan::unseen const of_the_worker;
    thefts_before_ = before;
  }

  /// Nothing for a thief here, as far as can be seen. Any thread.
  [[nodiscard]] bool looks_robbed() noexcept {
    return forks.outside().looks_empty() && spawned.outside().looks_empty();
  }

 private:
  std::int64_t thefts_before_ = 0;
};

}  // namespace skua::threads
