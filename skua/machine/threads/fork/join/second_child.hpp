// SPDX-License-Identifier: MIT
// The second child of a join of two, without its type: how a thief runs it, and what the owner does once it was stolen.
// (group.md; the hot path: two.hpp)
#pragma once

#include <cstdint>
#include <exception>

#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class second_child;

/// The operations that depend on the types of a join.
struct second_kind : task_kind {
  void (*call)(second_child&, fiber&);              ///< calls the child and keeps its value
  void (*destroy)(second_child&) noexcept;          ///< destroys its value; null: nothing to do
  place_id (*place)(second_child const&) noexcept;  ///< its hinted place; null: it cannot have one
};

class second_child : public group {
 public:
  // All of these are cold. They are reached through a base whose address is not the one in the slot: else compilers would keep that in a
  // register while the first child runs. `at`: the slot of the join.

  /// Call this if the push asked for attention, before the first child begins. True: the owner has taken this child
  /// back, and runs both as a group of numbered children. Throws `cancelled` if the task was asked to end.
  [[nodiscard]] static bool comes_back(open_join<>& self, fork_slot<>& at);
  /// The first child has thrown, and we are in its handler. Drops this one, or ends it and waits; then rethrows. The
  /// first real exception wins, and a real one wins over `cancelled`.
  [[noreturn]] static void first_threw(open_join<>& self, fork_slot<>& at);

 protected:
  second_child(second_kind const& k, word_of_two first) noexcept : group(&k, first) {}
  ~second_child() {}  // the taker of the union's member has destroyed it

  /// The first child has returned and this one was stolen: waits until its value is there. Throws its exception, or
  /// `cancelled` if it was dropped.
  void wait_stolen(fiber& owner);

  static void run_stolen(task& t, std::uint64_t, fiber& thief) noexcept;
  static hint hint_of(task const& t, std::uint64_t) noexcept;

 private:
  [[nodiscard]] second_kind const& kind() const noexcept;
  [[noreturn]] void give_up(fork_slot<>& at);
  void end_stolen(fiber& owner, bool wins);
  [[noreturn]] void rethrow_theirs();
  [[nodiscard]] place_id place() const noexcept;

  union {
    std::exception_ptr error_;
  };
};

}}}  // namespace skua::v0::runtime
