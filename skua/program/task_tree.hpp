// SPDX-License-Identifier: MIT
// A fork-join program as plain data: which task forked which, and what each leaf touched and cost. The recorder or
// random_tree writes it; simulators, tests and people read it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/huge_allocator.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/footprint.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 {

/// A node of a tree. 0 is the root; nodes are numbered in the order in which the serial program meets them.
using tree_node_id = std::uint32_t;
inline constexpr tree_node_id no_tree_node = 0xffff'ffffU;

enum class tree_node_kind : std::uint8_t {
  task,   ///< its children run one after the other: leaf, step, join, each, scope
  join,   ///< its children are tasks, run in any order; it ends with the last of them
  each,   ///< the same, made from a range: none, one or more tasks
  scope,  ///< its children are like a task's, and tasks that were forked between them
  finish,  ///< a finish region's body: its children are like a scope's; it ends with the last task that was spawned in it
  leaf,    ///< a kernel
  step,    ///< the code of a task between two of the above
};

/// A cache line: whoever runs a large tree waits for little else.
struct tree_node {
  hint hints{};                        ///< of a task
  tree_node_id parent = no_tree_node;  ///< of a spawned task: its spawner
  tree_node_id region = no_tree_node;  ///< of a spawned task: its finish region, which waits for it
  tree_node_id first = no_tree_node;   ///< first child
  tree_node_id next = no_tree_node;    ///< next sibling
  double flops = 0;                    ///< of a leaf, as given
  std::uint64_t ns = 0;                ///< of a leaf or step, as measured; 0 if the recorder had no clock
  std::uint32_t first_touch = 0;
  std::uint32_t touches : 28 = 0;  ///< of a leaf: tree.touches()[first_touch .. + touches)
  tree_node_kind kind : 4 = tree_node_kind::task;
};
static_assert(sizeof(tree_node) == 64);

/// A range of memory that a leaf reads or writes; `address` as it was in the recorded run.
struct touch {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;  ///< in each row
  std::uint64_t rows = 1;
  std::uint64_t stride = 0;  ///< bytes from row to row
  bool written = false;
  friend constexpr bool operator==(touch const&, touch const&) = default;
};

/// A range of memory that is written before a program begins, and the place that the program gives it, if any
/// [numa-ws-2018 III-A].
struct owned_range {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  std::optional<place_id> owner = {};
  friend constexpr bool operator==(owned_range const&, owned_range const&) = default;
};

/// One `reads` or `writes` of a leaf, as data.
template <class Word>
  requires std::is_same_v<Word, reads> || std::is_same_v<Word, writes>
touch touch_of(Word const& w) noexcept {
  return {.address = reinterpret_cast<std::uintptr_t>(w.data),
          .bytes = w.bytes,
          .rows = w.rows,
          .stride = w.stride,
          .written = std::is_same_v<Word, writes>};
}

/// The units in which a tree is weighed.
enum class unit : std::uint8_t {
  leaves,  ///< 1 for every leaf and for every task without steps
  flops,   ///< as given to leaves; anything but a positive finite number is 0
  ns,      ///< as measured
};

/// The measures of a whole tree, in one unit.
struct totals {
  double work = 0;          ///< T1: everything, one after the other
  double span = 0;          ///< Tinf: the longest chain of nodes that wait for each other
  std::uint64_t forks = 0;  ///< n - 1 for a join or each of n tasks, n for a scope, one per spawned task
  std::uint64_t tasks = 0;
  std::uint64_t leaves = 0;  ///< nodes of kind leaf
  friend constexpr bool operator==(totals const&, totals const&) = default;
};

class task_tree {
 public:
  /// The root task.
  task_tree() : nodes_(1), last_(1, no_tree_node) {}

  /// Appends a node as the last child of `parent`. Invariant (preorder): a child's number is above its parent's.
  tree_node_id add(tree_node_id parent, tree_node_kind kind, hint hints = {}) {
    runtime::expects(parent < nodes_.size() && nodes_.size() < no_tree_node,
                     "task_tree::add: an existing parent, fewer than 2^32 nodes");
    tree_node_id const id = static_cast<tree_node_id>(nodes_.size());
    nodes_.push_back(tree_node{.hints = hints, .parent = parent, .kind = kind});
    tree_node_id& last = last_[parent];
    (last == no_tree_node ? nodes_[parent].first : nodes_[last].next) = id;
    last = id;
    last_.push_back(no_tree_node);
    return id;
  }

  /// The same for a task that `parent` spawns in a finish region that is open there.
  tree_node_id add_spawned(tree_node_id parent, tree_node_id region, hint hints = {}) {
    runtime::expects(nodes_[region].kind == tree_node_kind::finish, "task_tree::add_spawned: a finish region");
    tree_node_id const id = add(parent, tree_node_kind::task, hints);
    nodes_[id].region = region;
    has_spawned_ = true;
    return id;
  }

  /// The node that waits for this task: its group, scope or finish region.
  [[nodiscard]] tree_node_id group_of(tree_node_id task) const noexcept {
    tree_node const& n = nodes_[task];
    return n.region != no_tree_node ? n.region : n.parent;
  }

  /// Adds to the footprint of the most recently added leaf. Throws usage_error for a range of more than
  /// most_bytes, or one that reaches beyond the addresses that there are.
  void add_touch(tree_node_id leaf, touch what) {
    runtime::expects(nodes_[leaf].kind == tree_node_kind::leaf, "task_tree::add_touch: a leaf");
    if (!is_allowed(what)) [[unlikely]]
      refuse(what);
    if (nodes_[leaf].touches++ == 0) nodes_[leaf].first_touch = static_cast<std::uint32_t>(touches_.size());
    touches_.push_back(what);
  }

  /// Adds operations to a leaf. Throws usage_error unless they, and the leaf's sum, are a finite number of at least 0:
  /// anything else would silently be another simulated time.
  void add_flops(tree_node_id leaf, double count) {
    runtime::expects(nodes_[leaf].kind == tree_node_kind::leaf, "task_tree::add_flops: a leaf");
    double const all = nodes_[leaf].flops + count;
    if (!(count >= 0) || !std::isfinite(all)) [[unlikely]]
      refuse_flops(count);
    nodes_[leaf].flops = all;
  }

  /// A program's skua::mark, in front of the node that the program meets next.
  struct mark {
    tree_node_id before = 0;
    char const* name = nullptr;
    std::uint64_t number = 0;
  };
  void add_mark(mark const& m) { marks_.push_back(m); }
  /// In the order of their nodes.
  [[nodiscard]] std::vector<mark> const& marks() const noexcept { return marks_; }

  [[nodiscard]] tree_node const& operator[](tree_node_id id) const noexcept { return nodes_[id]; }
  [[nodiscard]] tree_node& operator[](tree_node_id id) noexcept { return nodes_[id]; }
  [[nodiscard]] tree_node_id size() const noexcept { return static_cast<tree_node_id>(nodes_.size()); }
  /// no_tree_node: it has no child.
  [[nodiscard]] tree_node_id last_child(tree_node_id of) const noexcept { return last_[of]; }
  [[nodiscard]] std::vector<touch> const& touches() const noexcept { return touches_; }

  /// Sets the memory that was written before the run, with its owners, in ascending order within an array; a page that
  /// two ranges share belongs to the first.
  void set_owned(std::vector<owned_range> ranges) { owned_ = std::move(ranges); }
  [[nodiscard]] std::vector<owned_range> const& owned() const noexcept { return owned_; }

  /// The first task among `from` and its later siblings (no_tree_node: none).
  [[nodiscard]] tree_node_id task_from(tree_node_id from) const noexcept {
    while (from != no_tree_node && nodes_[from].kind != tree_node_kind::task) from = nodes_[from].next;
    return from;
  }

  /// The cost of one node itself, without its children.
  [[nodiscard]] double amount(tree_node_id id, unit in) const noexcept {
    tree_node const& n = nodes_[id];
    switch (in) {
      case unit::leaves: return counts_as_leaf(n) ? 1 : 0;
      case unit::flops: return std::isfinite(n.flops) && n.flops > 0 ? n.flops : 0;
      case unit::ns: break;
    }
    return static_cast<double>(n.ns);
  }

  /// Work and span if node i itself costs cost(i) and every fork or spawn costs its parent `per_fork`: child i of a join
  /// starts after i+1 forks (the last after as many as the one before it). Of a region that is not the innermost one where
  /// its task is spawned, the span leaves that task out. Work O(n), space O(n), no recursion.
  template <class Cost>
  [[nodiscard]] totals weigh(Cost cost, double per_fork) const {
    totals all;
    std::vector<double> span(nodes_.size());
    spawned_ends spawned(*this);
    for (tree_node_id i = size(); i-- > 0;) {  // preorder backwards: children first
      tree_node const& n = nodes_[i];
      all.tasks += n.kind == tree_node_kind::task ? 1U : 0U;
      all.leaves += n.kind == tree_node_kind::leaf ? 1U : 0U;
      double const own = cost(i);
      all.work += own;
      bool const is_group = n.kind == tree_node_kind::join || n.kind == tree_node_kind::each;
      double now = own;
      double end = own;
      for (tree_node_id c = n.first; c != no_tree_node; c = nodes_[c].next) {
        if (nodes_[c].kind != tree_node_kind::task) {
          spawned.note(i, c, now, 0);
          now += span[c];
          continue;
        }
        bool const forked = !is_group || nodes_[c].next != no_tree_node;
        all.forks += forked ? 1U : 0U;
        now += forked ? per_fork : 0;
        spawned.note(i, c, now, span[c]);
        if (nodes_[c].region == no_tree_node) end = std::max(end, now + span[c]);
      }
      span[i] = std::max({now, end, spawned.take(i)});
    }
    all.work += static_cast<double>(all.forks) * per_fork;
    all.span = span[0];
    return all;
  }

  [[nodiscard]] totals weigh(unit in) const {
    return weigh([&](tree_node_id id) { return amount(id, in); }, 0);
  }

 private:
  /// Of one `reads` or `writes`: whoever simulates them keeps a record of each block of memory.
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 36;

  [[nodiscard]] static bool is_allowed(touch const& t) noexcept {
    if (t.bytes == 0 || t.rows == 0) return true;
    if (t.rows > most_bytes || t.bytes > most_bytes / t.rows) return false;
    std::uint64_t const room = ~std::uint64_t{0} - t.address - t.bytes;
    return t.address <= ~std::uint64_t{0} - t.bytes && (t.rows == 1 || t.stride <= room / (t.rows - 1));
  }
  [[noreturn, gnu::cold]] static void refuse(touch const& t) {
    throw usage_error(std::string("a leaf's ") + (t.written ? "writes" : "reads") + " are " + std::to_string(t.rows) +
                      " rows of " + std::to_string(t.bytes) + " bytes, " + std::to_string(t.stride) +
                      " bytes apart; allowed: at most 64 GiB within the address space");
  }
  [[noreturn, gnu::cold]] static void refuse_flops(double count) {
    throw usage_error("flops of a leaf are " + std::to_string(count) +
                      "; allowed: a finite number, at least 0, also for the sum of a leaf");
  }
  [[nodiscard]] bool counts_as_leaf(tree_node const& n) const noexcept {
    if (n.kind == tree_node_kind::leaf) return true;
    if (n.kind == tree_node_kind::task) return n.first == no_tree_node;
    if (n.kind != tree_node_kind::step) return false;
    tree_node const& p = nodes_[n.parent];  // a task that consists of one step
    return p.kind == tree_node_kind::task && nodes_[p.first].next == no_tree_node;
  }

  /// When the tasks end that are spawned below a node for the innermost region around it: they may outlive the node.
  class spawned_ends {
   public:
    explicit spawned_ends(task_tree const& of) : tree_(of) {
      if (!of.has_spawned_) return;
      latest_.resize(of.size());
      innermost_.resize(of.size(), no_tree_node);
      for (tree_node_id i = 0; i < of.size(); ++i) {
        tree_node const& n = of[i];
        if (n.kind == tree_node_kind::finish) {
          innermost_[i] = i;
        } else if (n.parent != no_tree_node) {
          innermost_[i] = n.region != no_tree_node ? n.region : innermost_[n.parent];
        }
      }
    }
    /// Child `c` of `i` begins `now` after it, and takes `span`.
    void note(tree_node_id i, tree_node_id c, double now, double span) noexcept {
      if (latest_.empty()) return;
      tree_node_id const region = tree_[c].region;
      if (region == no_tree_node) {
        latest_[i] = std::max(latest_[i], latest_[c] > 0 ? now + latest_[c] : 0);
      } else if (region == innermost_[i]) {
        latest_[i] = std::max(latest_[i], now + std::max(span, latest_[c]));
      }
    }
    /// For a region, which waits for them; 0 for all other nodes.
    [[nodiscard]] double take(tree_node_id i) noexcept {
      if (latest_.empty() || tree_[i].kind != tree_node_kind::finish) return 0;
      return std::exchange(latest_[i], 0);
    }

   private:
    task_tree const& tree_;
    std::vector<double> latest_;  ///< by node, since it began; empty: nothing was spawned
    std::vector<tree_node_id> innermost_;
  };

  std::vector<tree_node, runtime::huge_allocator<tree_node>> nodes_;
  std::vector<tree_node_id, runtime::huge_allocator<tree_node_id>> last_;  ///< last child, by node
  std::vector<touch> touches_;
  std::vector<owned_range> owned_;
  std::vector<mark> marks_;
  bool has_spawned_ = false;
};

}}  // namespace skua::v0
