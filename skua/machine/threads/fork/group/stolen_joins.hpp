// SPDX-License-Identifier: MIT
// Which open joins of a fiber have been stolen, so that they may fail while the fiber runs their first child; and which groups
// lie inside them, so that children on other workers learn of the failure. An open join writes nothing in preparation: its
// owner detects the steal on paths that are slow anyway. Proof: group.md, "Stolen groups". stolen_joins_model.cpp runs every schedule
// with at most two preemptions.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "skua/machine/threads/fork/group/share_count.hpp"
#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/fork_deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A group that may lie inside another one. Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class open_join : public share_count<Sync> {
 public:
  using share_count<Sync>::share_count;

  /// True if this join, or one around it, has failed or was abandoned. The other flags only request cancellation; the
  /// joins publish the data. `epoch`: of the region's failures, read before the call. Joins that were found clean in this
  /// epoch are not checked again, so the cost is constant, plus the number of open joins per failure.
  [[nodiscard]] bool wants_end(std::uint64_t epoch) const noexcept {
    std::uint64_t const state = this->flags_and_more();
    if (has_ended(state)) return true;
    if (!is_linked(state) || link_.value.clean.is_set(epoch)) return false;
    // Only the first link can change: that of a registered group. So the way is the same when the marks are set.
    open_join const* const first = around();
    open_join const* end = first;
    for (; end != nullptr && !end->link_.value.clean.is_set(epoch); end = end->around()) {
      if (has_ended(end->flags_and_more())) return true;
    }
    for (open_join const* seen = first; seen != end; seen = seen->around()) seen->link_.value.clean.set(epoch);
    link_.value.clean.set(epoch);
    return false;
  }

 private:
  template <synchronisation>
  friend class stolen_joins;

  static bool has_ended(std::uint64_t state) noexcept {
    return (state & (open_join::failed | open_join::abandoned)) != 0;
  }
  static bool is_linked(std::uint64_t state) noexcept { return (state & open_join::enclosed) != 0; }

  struct link {
    explicit link(open_join* around) noexcept : outer(around) {}
    typename Sync::template atomic<open_join*> outer;
    clean_mark<Sync> clean;
  };
  /// Constructed when it is first set, because a fork writes nothing in preparation.
  union late_link {
    late_link() noexcept {}
    ~late_link() {}
    link value;
  };

  /// The first link, for the owner.
  void enclose_in(open_join* around) noexcept {
    std::construct_at(std::addressof(link_.value), around);
    this->enclose();
  }
  /// A later link. A thread that follows it also sees the link of `around`.
  void relink(open_join* around) noexcept {
    link_.value.outer.store(around, std::memory_order_release);  // release: around's own link. Pairs with: around
  }
  [[nodiscard]] open_join* around() const noexcept {
    return link_.value.outer.load(std::memory_order_acquire);  // acquire: the link of that join. Pairs with: relink
  }

  /// Valid once `enclosed` is set. It is null, or leads to a join of the same fiber that is still open, stolen, and linked
  /// itself. A join sets its link once; the link of a registered group moves inwards as more of the joins around it are
  /// stolen.
  late_link link_;
};

/// A group whose children run on other workers although its fiber has pushed no entry for them to `forks`. The fiber registers
/// it while it is open, and watches it unless it waits.
template <synchronisation Sync = real_sync>
class registered_group {
 public:
  explicit registered_group(open_join<Sync>& g) noexcept : group_(g) {}
  registered_group(registered_group const&) = delete;
  registered_group& operator=(registered_group const&) = delete;

 private:
  template <synchronisation>
  friend class stolen_joins;

  open_join<Sync>& group_;
  std::int64_t opened_at_ = 0;  ///< joins at places before this one are around the group, others inside
  bool is_linked_ = false;
  registered_group* outer_ = nullptr;
  registered_group* inner_ = nullptr;
};

/// Calls link(task, place) for each open join whose entry was taken since the previous call, oldest first; it returns
/// true if it has linked the join. Returns true if any was linked: then ask want_end with the latest() epoch, and raise the
/// alarm again, because children may have looked between the failure and the link. Cold.
template <synchronisation Sync, class Link>
bool note_stolen(fork_deque<Sync>& forks, Link&& link) noexcept {
  bool any = false;
  forks.each_stolen([&](void* task, std::int64_t place) {
    if (link(task, place)) any = true;
  });
  return any;
}

/// The joins of one task of a fiber that are known to be stolen, innermost first, and its registered groups. For the
/// fiber.
template <synchronisation Sync = real_sync>
class stolen_joins {
 public:
  /// Notes that `stolen`, whose entry was at `place`, is inside those noted before, and around the registered groups that
  /// were opened after it.
  void link(open_join<Sync>& stolen, std::int64_t place) noexcept {
    stolen.enclose_in(std::exchange(innermost_, &stolen));
    while (first_ != nullptr && first_->opened_at_ <= place) first_ = first_->inner_;
    if (first_ != nullptr) surround(*first_);
  }

  /// Registers a group, at the place of the fiber's next join. Call it before any child of the group can run.
  void open(registered_group<Sync>& g, std::int64_t place) noexcept {
    g.opened_at_ = place;
    g.outer_ = std::exchange(last_, &g);
    if (g.outer_ != nullptr) g.outer_->inner_ = &g;
    if (first_ == nullptr) first_ = &g;
    if (innermost_ != nullptr) surround(g);
  }
  /// The group's children have ended. It is the last that was opened.
  void close(registered_group<Sync>& g) noexcept {
    last_ = g.outer_;
    if (last_ != nullptr) last_->inner_ = nullptr;
    if (first_ == &g) first_ = nullptr;
  }

  /// The fiber is about to wait for `stolen`, which has left its open joins, perhaps before anybody noted it. Call this after
  /// note_stolen. True: nobody had; then go on as after note_stolen.
  [[nodiscard]] bool link_ended(open_join<Sync>& stolen, std::int64_t place) noexcept {
    if (open_join<Sync>::is_linked(stolen.flags_and_more()) || runs_piece_of(stolen)) return false;
    link(stolen, place);
    return true;
  }
  /// The wait for `ended` is over.
  void forget(open_join<Sync>& ended) noexcept {
    if (innermost_ == &ended) innermost_ = ended.around();
  }

  /// `epoch`: as in open_join::wants_end.
  [[nodiscard]] bool want_end(std::uint64_t epoch) const noexcept {
    return innermost_ != nullptr && innermost_->wants_end(epoch);
  }

  /// The task runs a piece of a numbered group that it watches: another fiber's, or one that is registered. Its entries are
  /// no open joins of the task.
  class piece {
   public:
    piece(stolen_joins& joins, open_join<Sync> const& group) noexcept
        : joins_(joins), group_(group), below_(std::exchange(joins.pieces_, this)) {}
    ~piece() { joins_.pieces_ = below_; }
    piece(piece const&) = delete;
    piece& operator=(piece const&) = delete;

   private:
    friend class stolen_joins;
    stolen_joins& joins_;
    open_join<Sync> const& group_;
    piece const* const below_;
  };
  [[nodiscard]] bool runs_piece_of(open_join<Sync> const& group) const noexcept {
    piece const* p = pieces_;
    while (p != nullptr && &p->group_ != &group) p = p->below_;
    return p != nullptr;
  }

 private:
  void surround(registered_group<Sync>& g) noexcept {
    if (g.is_linked_) return g.group_.relink(innermost_);
    g.is_linked_ = true;
    g.group_.enclose_in(innermost_);
  }

  open_join<Sync>* innermost_ = nullptr;
  registered_group<Sync>* last_ = nullptr;  ///< the innermost
  /// The outermost group around which joins may still be stolen. Groups further in are reached through it, because the tasks
  /// inside watch it.
  registered_group<Sync>* first_ = nullptr;
  piece const* pieces_ = nullptr;  ///< the innermost; hardly ever more than one
};

}}}  // namespace skua::v0::runtime
