// SPDX-License-Identifier: MIT
// Tasks of many types of strategies in one order: a heap per type, in the hierarchy of the types. Tasks of one type are
// ordered by that type; the best of a type takes part in the order of its base. So two types are ordered by their nearest
// common base, and a derived type overrules its bases. [strategies-2013 2, 3.1]
//
// Comparators are code of the program. One that throws counts as `false`; one that contradicts itself, or answers
// differently later, costs order and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "skua/parts/ordered/strategy_kind.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// `Item` is a cheap value from which `view(item)` (found by ADL) makes an ordered_task. Not thread-safe.
template <class Item>
class strategy_forest {
 public:
  /// Throws std::bad_alloc.
  explicit strategy_forest(requester asks) : requester_(asks) {}

  /// Makes room for one more task of this type. Throws std::bad_alloc.
  void reserve(strategy_kind const* kind) {
    auto& heap = trees_[tree_of(kind)].heap;
    if (heap.size() == heap.capacity()) heap.reserve(2 * heap.size() + 1);
  }
  /// O(log n) calls of the comparator, O(1) for tasks that come in order. Throws std::bad_alloc; then nothing was added.
  void push(Item const& item) {
    ordered_task const task = view(item);
    tree& t = trees_[tree_of(task.kind)];
    t.heap.push_back({item, key_of(t.kind, task.value)});
    sift_up(t, t.heap.size() - 1);
    ++size_;
  }

  /// Takes the task that goes first. At most log n calls of the comparator and a few more, and one per type that is
  /// compared with another.
  std::optional<Item> pop() noexcept {
    return pop_if([](Item const&) { return true; });
  }
  /// The same, if wanted(task); else nothing.
  template <class Wanted>
  std::optional<Item> pop_if(Wanted&& wanted) noexcept {
    if (size_ == 0) return {};
    tree& t = trees_.size() == 1 ? trees_.front() : trees_[best_of(0)->tree];
    Item const taken = t.heap.front().item;
    if (!wanted(taken)) return {};
    close_gap(t);
    --size_;
    return taken;
  }

  /// Replaces all tasks by those of `items`, at most as many of each type as there were. O(n) calls of the comparator.
  template <class Items>
  void replace_all(Items const& items) noexcept {
    for (tree& t : trees_) t.heap.clear();
    size_ = 0;
    for (Item const& item : items) {
      ordered_task const task = view(item);
      tree& t = trees_[tree_of(task.kind)];
      t.heap.push_back({item, key_of(t.kind, task.value)});  // there is room for as many as there were
      ++size_;
    }
    for (tree& t : trees_) {
      for (std::size_t at = t.heap.size() / 2; at-- > 0;) sift_down(t, at);
    }
  }
  void clear() noexcept { replace_all(std::span<Item const>{}); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// True if it has ever had room for a task whose strategy may say that it is dead.
  [[nodiscard]] bool has_mortals() const noexcept { return has_mortals_; }
  /// Calls of comparators so far, or comparisons of keys in their stead.
  [[nodiscard]] std::uint64_t comparisons() const noexcept { return comparisons_; }

 private:
  struct element {
    Item item;
    double key;  ///< 0 if the type has none
  };
  struct tree {
    strategy_kind const* kind;
    std::vector<element> heap;
    std::vector<std::size_t> derived;  ///< the trees of the types whose base this is
  };
  struct best {
    std::size_t tree;
    ordered_task task;
    void const* value;  ///< of the type that compares: the task's own, or its part of a base
  };

  [[nodiscard]] double key_of(strategy_kind const* kind, void const* value) const noexcept {
    if (kind == nullptr || kind->key == nullptr) return 0;
    try {
      return kind->key(value, requester_);
    } catch (...) {
      return 0;
    }
  }
  /// True if a goes before b in the order of `kind`.
  bool goes_first(strategy_kind const* kind, ordered_task const& a, void const* a_value, ordered_task const& b,
                  void const* b_value) noexcept {
    ++comparisons_;
    if (kind != nullptr && kind->key != nullptr) return key_of(kind, a_value) < key_of(kind, b_value);
    if (kind == nullptr || kind->prioritize == nullptr) return goes_first_at_root(a, b, requester_);
    try {
      return kind->prioritize(a_value, b_value, requester_);
    } catch (...) {
      return false;
    }
  }
  bool goes_first(tree const& t, element const& x, element const& y) noexcept {
    if (t.kind != nullptr && t.kind->key != nullptr) {
      ++comparisons_;
      return x.key < y.key;
    }
    ordered_task const a = view(x.item);
    ordered_task const b = view(y.item);
    return goes_first(t.kind, a, a.value, b, b.value);
  }

  /// The tree of a type; makes those of its bases, too.
  std::size_t tree_of(strategy_kind const* kind) {
    return trees_[recent_].kind == kind ? recent_ : found_tree_of(kind);
  }
  std::size_t found_tree_of(strategy_kind const* kind) {
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      if (trees_[i].kind == kind) return recent_ = i;
    }
    std::size_t const base = tree_of(kind->base);
    trees_[base].derived.reserve(trees_[base].derived.size() + 1);
    trees_.push_back({kind, {}, {}});
    trees_[base].derived.push_back(trees_.size() - 1);
    has_mortals_ = has_mortals_ || kind->is_dead != nullptr;
    return recent_ = trees_.size() - 1;
  }

  /// The first task of a type and of those derived from it, if there is one.
  std::optional<best> best_of(std::size_t number) noexcept {
    tree const& t = trees_[number];
    std::optional<best> first;
    if (!t.heap.empty()) {
      ordered_task const own = view(t.heap.front().item);
      first = best{number, own, own.value};
    }
    for (std::size_t const d : t.derived) {
      std::optional<best> other = best_of(d);
      if (!other) continue;
      strategy_kind const& derived = *trees_[d].kind;
      other->value = derived.as_base == nullptr ? nullptr : derived.as_base(other->value);
      if (!first || goes_first(t.kind, other->task, other->value, first->task, first->value)) first = other;
    }
    return first;
  }

  void sift_up(tree& t, std::size_t at) noexcept {
    element const moved = t.heap[at];
    while (at > 0) {
      std::size_t const above = (at - 1) / 2;
      if (!goes_first(t, moved, t.heap[above])) break;
      t.heap[at] = t.heap[above];
      at = above;
    }
    t.heap[at] = moved;
  }
  void sift_down(tree& t, std::size_t at) noexcept {
    element const moved = t.heap[at];
    for (;;) {
      std::size_t const child = first_child(t, at);
      if (child == t.heap.size() || !goes_first(t, t.heap[child], moved)) break;
      t.heap[at] = t.heap[child];
      at = child;
    }
    t.heap[at] = moved;
  }
  /// Fills the place of the first with the last one. That one belongs near the bottom; so the gap sinks there first, with
  /// one comparison per level instead of two.
  void close_gap(tree& t) noexcept {
    element const last = t.heap.back();
    t.heap.pop_back();
    if (t.heap.empty()) return;
    std::size_t gap = 0;
    for (std::size_t child = first_child(t, gap); child != t.heap.size(); child = first_child(t, gap)) {
      t.heap[gap] = t.heap[child];
      gap = child;
    }
    t.heap[gap] = last;
    sift_up(t, gap);
  }
  /// The child that goes before its sibling; the heap's size if there is none.
  std::size_t first_child(tree const& t, std::size_t at) noexcept {
    std::size_t const left = 2 * at + 1;
    std::size_t const right = left + 1;
    if (left >= t.heap.size()) return t.heap.size();
    return right < t.heap.size() && goes_first(t, t.heap[right], t.heap[left]) ? right : left;
  }

  requester requester_;
  std::vector<tree> trees_{{nullptr, {}, {}}};  ///< the first is the root's
  std::size_t recent_ = 0;                      ///< the tree of the task that was pushed last
  bool has_mortals_ = false;
  std::size_t size_ = 0;
  std::uint64_t comparisons_ = 0;
};

}}}  // namespace skua::v0::runtime
