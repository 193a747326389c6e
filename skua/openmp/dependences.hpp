// SPDX-License-Identifier: MIT
// depend clauses: which siblings a task waits for. [OpenMP 5.0, 2.17.11]
//
// A task registers with its parent's table, in the order in which the parent meets its children: so only the parent's thread uses the table. The edges are
// shared: each `dependence_node` has a lock for its list of successors.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skua/parts/base/brief_lock.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// What a task's depend clauses say, from GCC's array: [0] is the number of addresses and [1] how many of them are written, first; or [0] is 0 and
/// [1] the number, [2] that of out and inout, [3] of mutexinoutset, [4] of in; the rest are depend objects.
struct depend_list {
  explicit depend_list(void** from);
  struct entry {
    void* address;
    bool writes;
  };
  std::vector<entry> entries;
};

/// A task that others may wait for, or a wait. Counted by its task, its table and its predecessors.
class dependence_node {
 public:
  virtual ~dependence_node() = default;
  dependence_node() = default;
  dependence_node(dependence_node const&) = delete;
  dependence_node& operator=(dependence_node const&) = delete;

  void keep() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }  // relaxed: the caller has one
  void let_go() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;  // acq_rel: all uses come before the end
  }
  /// Its successors may begin, as far as it is concerned. Once.
  void complete() noexcept;
  /// A predecessor is complete, or registration has ended.
  void arrive() noexcept {
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) ready();  // acq_rel: what all predecessors did
  }

 protected:
  /// All predecessors are complete.
  virtual void ready() noexcept = 0;

 private:
  friend class dependences;
  std::atomic<std::uint32_t> references_{1};
  std::atomic<std::uint32_t> missing_{1};  ///< predecessors, and the registration
  runtime::brief_lock<> changing_;
  bool is_complete_ = false;                  ///< under changing_
  std::vector<dependence_node*> successors_;  ///< under changing_; counted
};

/// The table of one task's children.
class dependences {
 public:
  dependences() = default;
  ~dependences() { forget_all(); }
  dependences(dependences const&) = delete;
  dependences& operator=(dependences const&) = delete;

  /// `n` waits for what the list says, and later siblings for `n`. `n.arrive()` must follow.
  void add(dependence_node& n, depend_list const& on);
  /// `n` waits, and nothing waits for it.
  void wait_only(dependence_node& n, depend_list const& on);
  /// All children have finished.
  void forget_all() noexcept;

 private:
  struct uses {
    dependence_node* writer = nullptr;      ///< the last one
    std::vector<dependence_node*> readers;  ///< since then
  };
  void follow(dependence_node& n, dependence_node& predecessor);
  void follow_all(dependence_node& n, depend_list const& on);
  std::unordered_map<void*, uses> table_;
};

}}}  // namespace skua::v0::openmp
