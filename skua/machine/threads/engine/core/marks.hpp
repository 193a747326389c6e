// SPDX-License-Identifier: MIT
// A fingerprint of a pool's progress, read while its workers run: a number that changes whenever a task begins, a fiber waits, a call
// begins or ends, or a task forks that was asked to show it. For threads that check whether a pool makes progress.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A word that its owner writes while we read it, as an attached reader does (attach.md).
inline std::uint64_t word_of_another_thread(void const* at) noexcept {
  return __atomic_load_n(static_cast<std::uint64_t const*>(at), __ATOMIC_RELAXED);  // relaxed: a hint
}

/// A hash of several numbers, so that it does not return to an earlier value by chance. [FNV-1a]
class digest {
 public:
  void add(std::uint64_t word) noexcept { value_ = (value_ ^ word) * 0x100000001b3; }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// The regions that were open when it was made; keeps them alive. It may hold the last reference, and then destroys regions that
/// others have closed. The list's reference count orders the workers' accesses before that, which ThreadSanitizer does not see.
class open_regions {
 public:
  explicit open_regions(pool_core& c) noexcept { static_cast<void>(c.share_regions(list_)); }
  ~open_regions() {
    tsan::unseen const of_the_workers;
    list_.reset();
  }
  open_regions(open_regions const&) = delete;
  open_regions& operator=(open_regions const&) = delete;

  [[nodiscard]] region_list const& operator*() const noexcept { return *list_; }

 private:
  std::shared_ptr<region_list const> list_;
};

inline void add_marks(digest& all, worker& w) noexcept {
  live_counters const& n = w.counts();
  std::array<counter const*, 8> const all_of_it{&n.forks,  &n.tasks,       &n.parked, &n.waited_in_place,
                                                &n.spawns, &n.conversions, &n.dead,   &w.calls()};
  for (counter const* const k : all_of_it) all.add(k->read());
}

/// Makes each worker's next fork in the region change its marks. Forks are not counted otherwise: each look at the marks asks for
/// the fork that the next look may find.
inline void ask_to_mark_forks(region& r) noexcept {
  for (std::uint32_t w = 0; w < r.workers(); ++w) r.slot_of(worker_id{w}).request_fork_attention();
}

}}}  // namespace skua::v0::runtime
