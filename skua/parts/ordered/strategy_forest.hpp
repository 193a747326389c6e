// SPDX-License-Identifier: MIT
// Tasks of many types of strategies in one order: a heap per type, in the hierarchy of the types. Tasks of one type are
// ordered by that type; the best of a type takes part in the order of its base. So two types are ordered by their nearest
// common base, and a derived type overrules its bases. [strategies-2013 2, 3.1]
//
// Comparators are code of the program. One that throws counts as `false`; one that contradicts itself, or answers
// differently later, costs order and nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
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
    append(t, item, task);
    ++size_;
    if (without_order_ != 0) [[unlikely]] {
      ++without_order_;
      return;
    }
    sift_up(t, t.heap.size() - 1);
  }
  /// The same, without a comparison: put_in_order follows, with O(1) comparisons a task if many were added. Throws std::bad_alloc; then nothing was added.
  void add(Item const& item) {
    ordered_task const task = view(item);
    tree& t = trees_[tree_of(task.kind)];
    if (without_order_ == 0) note_order();
    append(t, item, task);
    ++size_;
    ++without_order_;
  }
  /// What the next pop would do first.
  void put_in_order() noexcept {
    if (without_order_ == 0) return;
    without_order_ = 0;
    for (tree& t : trees_) {
      if (t.heap.size() > 2 * t.in_order) {
        make_heap(t);
      } else {
        for (; t.in_order < t.heap.size(); ++t.in_order) sift_up(t, t.in_order);
      }
    }
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
    if (without_order_ != 0) [[unlikely]]
      put_in_order();
    tree& recent = trees_[recent_];
    tree& t = recent.heap.size() == size_ ? recent : trees_[best_of(0)->tree];
    Item const taken = t.heap.front().item;
    if (!wanted(taken)) return {};
    close_gap(t);
    --size_;
    return taken;
  }

  /// Where all tasks are of one type, which keys order: chooses the tasks that go first, as few as weigh `wanted` together, without
  /// putting the others in order. Drops those that are gone(task). Returns how many are chosen, for take_chosen. Otherwise returns 0.
  /// O(tasks); O(chosen log chosen) more if their numbers must follow the order: the root's, or of a type that hears of steals.
  template <class Gone, class Weight>
  [[nodiscard]] std::size_t choose(std::uint64_t wanted, Gone&& gone, Weight&& weight) noexcept {
    tree& t = trees_[recent_];
    if (size_ < few || t.heap.size() != size_ || !t.has_keys) return 0;
    std::erase_if(t.heap, [&](element const& e) { return gone(e.item); });
    size_ = without_order_ = t.heap.size();
    for (tree& every : trees_) every.in_order = 0;
    bool const is_sorted = std::is_sorted(t.heap.begin(), t.heap.end(), earlier{});
    auto const chosen = distance(is_sorted ? weighty(t, wanted, weight) : weightiest(t, wanted, weight));
    comparisons_ += size_;
    std::rotate(t.heap.begin(), t.heap.begin() + chosen, t.heap.end());
    auto const first = t.heap.end() - chosen;
    if (is_sorted) {
      std::reverse(first, t.heap.end());
    } else if (t.has_root_order || t.kind->stolen != nullptr) {
      std::sort(first, t.heap.end(), [](element const& a, element const& b) { return a.key > b.key; });
    } else if (chosen != 0) {
      std::iter_swap(std::min_element(first, t.heap.end(), earlier{}), t.heap.end() - 1);
    }
    return static_cast<std::size_t>(chosen);
  }
  /// Takes one of the tasks that were chosen, first the one that goes before all others, as long as nothing is added.
  [[nodiscard]] Item take_chosen() noexcept {
    tree& t = trees_[recent_];
    Item const taken = t.heap.back().item;
    t.heap.pop_back();
    --size_;
    --without_order_;
    return taken;
  }

  /// Replaces all tasks by those of `items`, at most as many of each type as there were. O(n) calls of the comparator.
  template <class Items>
  void replace_all(Items const& items) noexcept {
    for (tree& t : trees_) {
      t.heap.clear();
      note_empty(t);
    }
    size_ = without_order_ = 0;
    for (Item const& item : items) {
      ordered_task const task = view(item);
      tree& t = trees_[tree_of(task.kind)];
      append(t, item, task);  // there is room for as many as there were
      ++size_;
    }
    for (tree& t : trees_) make_heap(t);
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
    double key;  ///< of the type; in the root's order that of the number; 0 if the type has another order
  };
  struct tree {
    strategy_kind const* kind = nullptr;
    std::vector<element> heap = {};  ///< its first `in_order` elements are a heap; `add` has put the others behind
    std::vector<std::size_t> derived = {};  ///< the trees of the types whose base this is
    std::size_t in_order = 0;
    worker_id place{};  ///< of the first task of all that are here
    bool has_root_order = true;
    bool has_keys =
        true;  ///< keys order all tasks: those of the type; in the root's order their numbers, if all belong to `place`
  };
  struct earlier {
    bool operator()(element const& a, element const& b) const noexcept { return a.key < b.key; }
  };
  /// Below that an order costs as little as a choice.
  static constexpr std::size_t few = 8;
  struct best {
    std::size_t tree;
    ordered_task task;
    void const* value;  ///< of the type that compares: the task's own, or its part of a base
  };

  void append(tree& t, Item const& item, ordered_task const& task) {
    t.heap.push_back({item, t.has_root_order ? key_at_root(task) : key_of(t.kind, task.value)});
    if (t.has_root_order && task.place != t.place) [[unlikely]]
      note_place(t, task.place);
  }
  static void note_empty(tree& t) noexcept {
    if (t.has_root_order) t.has_keys = true;
  }
  static void note_place(tree& t, worker_id place) noexcept {
    t.has_keys = t.heap.size() == 1;
    if (t.has_keys) t.place = place;
  }
  /// The root's order among tasks of one place.
  [[nodiscard]] double key_at_root(ordered_task const& task) const noexcept {
    auto const number = static_cast<double>(task.number);
    return requester_.steals ? number : -number;
  }
  [[nodiscard]] double key_of(strategy_kind const* kind, void const* value) const noexcept {
    if (kind == nullptr || kind->key == nullptr) return 0;
    try {
      double const key = kind->key(value, requester_);
      return key == key ? key : std::numeric_limits<double>::infinity();  // else the order would not be one
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
  /// The same in a tree that keys do not order.
  bool goes_first(tree const& t, element const& x, element const& y) noexcept {
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
    trees_.push_back({.kind = kind,
                      .has_root_order = kind->prioritize == nullptr && kind->key == nullptr,
                      .has_keys = kind->prioritize == nullptr || kind->key != nullptr});
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
    if (t.has_keys) return sift_key_up(t.heap.data(), at);
    element const moved = t.heap[at];
    while (at > 0) {
      std::size_t const above = (at - 1) / 2;
      if (!goes_first(t, moved, t.heap[above])) break;
      t.heap[at] = t.heap[above];
      at = above;
    }
    t.heap[at] = moved;
  }
  void sift_key_up(element* heap, std::size_t at) noexcept {
    element const moved = heap[at];
    while (at > 0) {
      std::size_t const above = (at - 1) / 2;
      ++comparisons_;
      if (!(moved.key < heap[above].key)) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = moved;
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
  void sift_key_down(element* heap, std::size_t size, std::size_t at) noexcept {
    element const moved = heap[at];
    for (std::size_t left = 2 * at + 1; left < size; left = 2 * at + 1) {
      std::size_t const child = left + static_cast<std::size_t>(left + 1 < size && heap[left + 1].key < heap[left].key);
      comparisons_ += 2;
      if (!(heap[child].key < moved.key)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moved;
  }
  /// Fills the place of the first with the last one. That one belongs near the bottom; so the gap sinks there first, with
  /// one comparison per level instead of two.
  void close_gap(tree& t) noexcept {
    element const last = t.heap.back();
    t.heap.pop_back();
    if (t.heap.empty()) return note_empty(t);
    if (t.has_keys) return close_keyed_gap(t, last);
    std::size_t gap = 0;
    for (std::size_t child = first_child(t, gap); child != t.heap.size(); child = first_child(t, gap)) {
      t.heap[gap] = t.heap[child];
      gap = child;
    }
    t.heap[gap] = last;
    sift_up(t, gap);
  }
  /// The same where keys order: which child goes first cannot be predicted, so it is computed instead of branched on.
  void close_keyed_gap(tree& t, element const& last) noexcept {
    element* const heap = t.heap.data();
    std::size_t const size = t.heap.size();
    std::size_t gap = 0;
    std::size_t right = 2;
    for (; right < size; right = 2 * gap + 2) {
      std::size_t const child = right - static_cast<std::size_t>(!(heap[right].key < heap[right - 1].key));
      heap[gap] = heap[child];
      gap = child;
      ++comparisons_;
    }
    if (right == size) {
      heap[gap] = heap[right - 1];
      gap = right - 1;
    }
    heap[gap] = last;
    sift_key_up(heap, gap);
  }

  [[nodiscard]] static std::ptrdiff_t distance(std::size_t n) noexcept { return static_cast<std::ptrdiff_t>(n); }

  void make_heap(tree& t) noexcept {
    for (std::size_t at = t.heap.size() / 2; at-- > 0;) {
      t.has_keys ? sift_key_down(t.heap.data(), t.heap.size(), at) : sift_down(t, at);
    }
  }
  void note_order() noexcept {
    for (tree& t : trees_) t.in_order = t.heap.size();
  }
  /// How many elements at the front weigh `wanted` together; all if they weigh less.
  template <class Weight>
  [[nodiscard]] static std::size_t weighty(tree const& t, std::uint64_t wanted, Weight const& weight) noexcept {
    std::uint64_t weighs = 0;
    std::size_t n = 0;
    while (n < t.heap.size() && weighs < wanted) weighs += weight(t.heap[n++].item);
    return n;
  }
  /// The same after moving those that go first to the front.
  template <class Weight>
  [[nodiscard]] std::size_t weightiest(tree& t, std::uint64_t wanted, Weight const& weight) noexcept {
    auto const at = [&t](std::size_t n) { return t.heap.begin() + distance(n); };
    std::size_t low = 0;  // so many go first and weigh less than `wanted`
    std::size_t high = t.heap.size();
    // Right if all weigh the same.
    std::size_t middle =
        std::min<std::uint64_t>((wanted - 1) / std::max<std::uint64_t>(weight(t.heap[0].item), 1), high - 1);
    for (; low < high; middle = low + (high - low) / 2) {
      std::nth_element(at(low), at(middle), at(high), earlier{});
      comparisons_ += 2 * (high - low);
      std::uint64_t weighs = 0;
      for (std::size_t i = low; i < middle; ++i) weighs += weight(t.heap[i].item);
      std::uint64_t const with_middle = weighs + weight(t.heap[middle].item);
      if (weighs >= wanted) {
        high = middle;
      } else if (with_middle >= wanted) {
        return middle + 1;
      } else {
        wanted -= with_middle;
        low = middle + 1;
      }
    }
    return low;
  }
  /// The child that goes before its sibling; the heap's size if there is none.
  std::size_t first_child(tree const& t, std::size_t at) noexcept {
    std::size_t const left = 2 * at + 1;
    std::size_t const right = left + 1;
    if (left >= t.heap.size()) return t.heap.size();
    return right < t.heap.size() && goes_first(t, t.heap[right], t.heap[left]) ? right : left;
  }

  requester requester_;
  std::vector<tree> trees_ = std::vector<tree>(1);  ///< the first is the root's
  std::size_t recent_ = 0;                          ///< the tree of the task that was pushed last
  bool has_mortals_ = false;
  std::size_t size_ = 0;
  std::size_t without_order_ = 0;  ///< elements behind the heaps
  std::uint64_t comparisons_ = 0;
};

}}}  // namespace skua::v0::runtime
