// SPDX-License-Identifier: MIT
// How an idle worker finds its steal range: the topmost active group whose range covers it. It climbs from the groups that
// it knows, and looks at the workers at its right one after the other for a group that it has not heard of.
// Why that finds every group: README.md, "Finding the range". [adws-sc19 4.3.1]
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

  /// The last task of this worker belonged to a group of this node.
  void was_in(node_id group) noexcept {
    if (group != none) known_ = group;
  }

  /// The steal range; of two side by side, one of them by chance. `wider`: of as many more groups around it, each with more
  /// workers, active or not. May be outdated when it is given. A group that sent this worker nothing is found after at most
  /// as many calls as there are workers.
  /// Cost: O(depth of the tree of groups), and `unheard` looks at other workers if there is no range, else one.
  [[nodiscard]] std::optional<found> find(tree<Sync> const& in, runtime::dice& roll, std::uint32_t wider) noexcept {
    read_ = 0;
    best_.reset();
    not_this_ = none;
    climb(in, in.youngest(self_), roll);
    climb(in, known_, roll);
    std::uint32_t looks = 1;
    look_further(in, roll);
    while (!best_ && looks++ < unheard) look_further(in, roll);
    auto const reading = [&](node_id id) { reads(in, id); };
    while (best_ && wider-- > 0) {
      auto const around = in.wider_than(*best_, reading);
      if (!around) break;
      best_ = around;
    }
    return best_;
  }

  /// The workers whose cache lines the last `find` has read, one entry per line; not those that it still had.
  [[nodiscard]] std::span<worker_id const> lines_read() const noexcept { return std::span(lines_).first(read_); }
  void forget_lines() noexcept { read_ = 0; }

 private:
  static constexpr std::uint32_t unheard = 4;
  /// Of the lines that are counted; deeper climbs are rare, and counted up to here.
  static constexpr std::size_t most_lines = 64;

  void climb(tree<Sync> const& in, node_id from, runtime::dice& roll) noexcept {
    auto const f = in.topmost_around(from, self_, [&](node_id id) { reads(in, id); });
    if (!f || f->id == not_this_ || (best_ && in.is_inside(f->id, best_->id))) return;
    bool const is_beside = best_ && !in.is_inside(best_->id, f->id);
    bool const keeps = is_beside && roll.below(2) == 0;
    if (is_beside) not_this_ = keeps ? f->id : best_->id;
    if (!keeps) best_ = f;
  }

  /// One worker further to the right. All groups around this worker whose owners stand beyond the first one with an open
  /// group are around that group, too; so from there it begins again.
  void look_further(tree<Sync> const& in, runtime::dice& roll) noexcept {
    if (next_ == 0) next_ = index(self_);
    if (next_ == 0) return;
    worker_id const owner{--next_};
    node_id const youngest = in.youngest(owner);
    reads(owner, ~index(owner), youngest);
    if (youngest == none) return;
    next_ = index(self_);
    known_ = youngest;
    climb(in, youngest, roll);
  }

  /// A node that has not changed since is still in this worker's cache.
  void reads(tree<Sync> const& in, node_id id) noexcept { reads(in.owner_of(id), id, in.content(id)); }
  void reads(worker_id owner, node_id id, std::uint64_t content) noexcept {
    if (owner == self_ || read_ == lines_.size()) return;
    line& known = cached_[id * 0x9e37'79b1U >> 25];  // ids are 64 apart
    if (std::exchange(known, {id, content}) != line{id, content}) lines_[read_++] = owner;
  }

  worker_id const self_;
  node_id known_ = none;  ///< a group that this worker has been in; may be closed
  std::uint32_t next_;    ///< the worker at the left of the one to look at next
  std::optional<found> best_;
  node_id not_this_ = none;  ///< of two side by side, the one that lost the toss
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
