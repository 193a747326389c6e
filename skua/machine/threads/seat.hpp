// SPDX-License-Identifier: MIT
// A worker's share of a region: its lanes there, and its mind. A worker has one seat in every region it serves.
#pragma once

#include <cstdint>

#include "skua/machine/threads/group.hpp"
#include "skua/machine/threads/lanes.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
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

class alignas(cache_line_bytes) seat : public lanes<> {
 public:
  /// Throws std::bad_alloc.
  seat(worker& w, region& r, std::uint32_t region_workers, worker_id number, mind& decides)
      : who(w), in(r), in_workers(region_workers), id(number), thinks(decides) {}

  worker& who;
  region& in;
  std::uint32_t const in_workers;  ///< of the region
  worker_id const id;  ///< the number of this worker in the region
  mind& thinks;
};

}  // namespace skua::threads
