// SPDX-License-Identifier: MIT
// How an idle worker finds its steal range: the topmost active group whose range covers the worker. It climbs from the
// groups that it knows, and asks the workers to its right, one after the other, for a group that it does not know.
// README.md, "Finding the range", shows that this finds every group. [adws-sc19 4.3.1]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/policy/adws/tree.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws {

template <runtime::synchronisation Sync = runtime::real_sync>
class range_search {
 public:
  using found = typename tree<Sync>::found;

  explicit range_search(worker_id self) : self_(self), next_(index(self)) {}

  /// Notes that this worker's last task belonged to a group of this node.
  void was_in(node_id group) noexcept {
    if (group != none) known_ = group;
  }

  /// Returns the steal range; of two disjoint ones, either by chance. `wider`: climbs this many more enclosing groups,
  /// each with more workers, active or not. The answer may be outdated when it is returned. A group that sent this
  /// worker no task is found after at most as many calls as there are workers.
  /// Cost: O(depth of the tree of groups), and a look at `unheard` other workers if there is no range, else at one.
  [[nodiscard]] std::optional<found> find(tree<Sync> const& groups, runtime::dice& roll, std::uint32_t wider) noexcept {
    read_ = 0;
    best_.reset();
    not_this_ = none;
    climb(groups, groups.youngest(self_), roll);
    climb(groups, known_, roll);
    std::uint32_t looks = 1;
    look_further(groups, roll);
    while (!best_ && looks++ < unheard) look_further(groups, roll);
    return best_ ? widened(groups, *best_, wider) : best_;
  }

  /// The innermost open group whose range covers the worker, active or not, widened as by `find`. After a `find` that returned
  /// nothing, and the same cost. `wider` = 0: tells whether there is one.
  [[nodiscard]] std::optional<found> find_inactive(tree<Sync> const& groups, std::uint32_t wider) noexcept {
    auto const reading = [&](node_id id) { reads(groups, id); };
    auto inner = groups.innermost_open_around(groups.youngest(self_), self_, reading);
    if (!inner) inner = groups.innermost_open_around(known_, self_, reading);
    return inner ? widened(groups, *inner, wider) : inner;
  }

  /// The workers whose cache lines the last `find` has read, one entry per line; lines still in this worker's cache do
  /// not count.
  [[nodiscard]] std::span<worker_id const> lines_read() const noexcept { return std::span(lines_).first(read_); }
  void forget_lines() noexcept { read_ = 0; }

 private:
  static constexpr std::uint32_t unheard = 4;
  /// The lines that are counted. Few climbs read more; the rest is not counted.
  static constexpr std::size_t most_lines = 64;

  found widened(tree<Sync> const& groups, found from, std::uint32_t wider) noexcept {
    auto const reading = [&](node_id id) { reads(groups, id); };
    while (wider-- > 0) {
      auto const around = groups.wider_than(from, reading);
      if (!around) break;
      from = *around;
    }
    return from;
  }

  void climb(tree<Sync> const& groups, node_id from, runtime::dice& roll) noexcept {
    auto const f = groups.topmost_around(from, self_, [&](node_id id) { reads(groups, id); });
    if (!f || f->id == not_this_ || (best_ && groups.is_inside(f->id, best_->id))) return;
    bool const is_beside = best_ && !groups.is_inside(best_->id, f->id);
    bool const keeps = is_beside && roll.below(2) == 0;
    if (is_beside) not_this_ = keeps ? f->id : best_->id;
    if (!keeps) best_ = f;
  }

  /// Looks at one more worker to the right. A group around this worker whose owner lies beyond the first worker with an
  /// open group also encloses that group; so the search begins again from there.
  void look_further(tree<Sync> const& groups, runtime::dice& roll) noexcept {
    if (next_ == 0) next_ = index(self_);
    if (next_ == 0) return;
    worker_id const owner{--next_};
    node_id const youngest = groups.youngest(owner);
    reads(owner, ~index(owner), youngest);
    if (youngest == none) return;
    next_ = index(self_);
    known_ = youngest;
    climb(groups, youngest, roll);
  }

  /// A node that has not changed since is still in this worker's cache.
  void reads(tree<Sync> const& groups, node_id id) noexcept { reads(groups.owner_of(id), id, groups.content(id)); }
  void reads(worker_id owner, node_id id, std::uint64_t content) noexcept {
    if (owner == self_ || read_ == lines_.size()) return;
    line& known = cached_[id * 0x9e37'79b1U >> 25];  // ids are 64 apart
    if (std::exchange(known, {id, content}) != line{id, content}) lines_[read_++] = owner;
  }

  worker_id const self_;
  node_id known_ = none;  ///< a group of an earlier task of this worker; may be closed
  std::uint32_t next_;    ///< the worker to the left of the one to look at next
  std::optional<found> best_;
  node_id not_this_ = none;  ///< of two disjoint ones, the one that lost the toss
  struct line {
    node_id id = none;
    std::uint64_t content = 0;
    friend bool operator==(line const&, line const&) = default;
  };
  std::array<line, 128> cached_{};  ///< by the upper 7 bits of a hash
  std::array<worker_id, most_lines> lines_{};
  std::size_t read_ = 0;
};

}}}}  // namespace skua::v0::policies::adws
