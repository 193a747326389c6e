// SPDX-License-Identifier: MIT
// The root of a region's computation, from its arrival until its group is closed: which worker owns it, and which
// workers may fetch it while it waits in worker 0's mailbox. root_model.cpp runs every schedule.
#pragma once

#include <cstdint>
#include <optional>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/policy/adws/range.hpp"
#include "skua/policy/adws/tree.hpp"
#include "skua/policy/outside_tasks.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

/// Shared by the workers of one region. Invariants (one): at most one group has been opened here and not closed.
/// (waits): a word for which `is_waiting` holds belongs to the root in worker 0's mailbox, or to one just taken from
/// there.
template <runtime::synchronisation Sync = runtime::real_sync>
class root_of_region {
 public:
  root_of_region(tree<Sync>& ranges, std::uint32_t workers) : ranges_(ranges), workers_(workers) {}

  [[nodiscard]] range all() const noexcept { return {.right = 0, .left = static_cast<double>(workers_)}; }

  /// A task from outside arrives. Returns its group if it becomes the root, which worker 0 runs; nothing if it is free.
  [[nodiscard]] std::optional<group_id> open(bool may_be_root) noexcept {
    if (!outside_.begin(may_be_root)) return {};
    return ranges_.open(worker_id{0}, all(), {});
  }
  /// A worker other than 0 brought the root, and is about to put it into worker 0's mailbox.
  void waits(std::uint64_t first_word) noexcept {
    waiting_.store(first_word,
                   std::memory_order_relaxed);  // relaxed: a hint for thieves; the mailbox publishes the root
  }
  /// Relaxed: a thread that sees an entry with this word in worker 0's mailbox has acquired the stores before the push.
  /// The word is 0 again before another entry with it can be stolen.
  [[nodiscard]] bool is_waiting(std::uint64_t first_word) const noexcept {
    return first_word != 0 && first_word == waiting_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool any_waits() const noexcept {
    return waiting_.load(std::memory_order_relaxed) != 0;  // relaxed: a hint
  }
  /// Called on worker 0, before it pushes anything.
  void begins(std::uint64_t first_word) noexcept {
    if (is_waiting(first_word)) waiting_.store(0, std::memory_order_relaxed);  // relaxed: only worker 0's pushes follow
  }
  /// Another worker took the root from the mailbox, where it was waiting: the root is free.
  void is_fetched(group_id g) noexcept {
    waiting_.store(0, std::memory_order_relaxed);  // relaxed: the next root is brought after the end of this one
    ranges_.close(g);
    outside_.root_is_freed();
  }
  void ends(group_id g) noexcept {
    ranges_.close(g);
    outside_.root_ends();
  }
  void free_task_ends() noexcept { outside_.free_ends(); }
  [[nodiscard]] bool any_free_task() const noexcept { return outside_.any_free(); }

 private:
  tree<Sync>& ranges_;
  std::uint32_t const workers_;
  outside_tasks<Sync> outside_;
  /// The first word of a root that another worker has sent to worker 0 and that has not begun; else 0.
  typename Sync::template atomic<std::uint64_t> waiting_{0};
};

}}}}  // namespace skua::v0::policies::adws
