// SPDX-License-Identifier: MIT
// A group of n numbered children: `each`, and joins of three and more. The entry in the lane stands for all children
// not yet started: it is (group, number of the next child). So a thief needs nothing from the piece that it steals
// from, and pieces end independently. (group.md, "Pieces")
//
// The group is compiled once (numbered_group.cpp). A program compiles the calls of its children; for joins also the
// owner's piece while no thief comes (many.hpp).
#pragma once

#include <cstdint>

#include "skua/machine/threads/fork/fiber/failure.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The children of a group: how each is called, and its hint.
struct numbered_children {
  void (*call)(numbered_children&, std::uint64_t i, fiber&);
  hint (*hint_of)(numbered_children const&, std::uint64_t i) noexcept = nullptr;  ///< null: no hints
  char const* name = nullptr;                                                     ///< for traces
};

/// The group. It lies on its owner's stack.
class numbered_group final : public group {
 public:
  numbered_group(numbered_children& all, std::uint64_t children, stop_node const* s) noexcept
      : group(&kind, children), all_(all), children_(children), watched_(s) {}
  numbered_group(numbered_group const&) = delete;
  numbered_group& operator=(numbered_group const&) = delete;

  /// Runs all children. Throws the first exception, or `cancelled` if children were dropped.
  void run(fiber& owner);

  // For an owner that runs its piece itself, from child 0 on, under a policy that does not see groups. It accounts for `done`
  // children so far, and its entries are at `at`.

  /// Call it if the push of the entry for the children after `done` asked for attention. False: continue. True: the piece has
  /// ended, because of a stop or for lack of memory, and `done` is its share.
  [[nodiscard]] bool ends_at(fork_slot<>& at, std::uint64_t& done) noexcept;
  /// Call it in the handler of what child `done` threw. Ends the piece, and returns its share.
  [[nodiscard]] std::uint64_t child_threw(fork_slot<>& at, std::uint64_t done) noexcept;
  /// Call it when the piece has ended. Waits for the others, and throws as run() does.
  void end(fiber& owner, std::uint64_t done) {
    if (done != children_) [[unlikely]]
      wait_for_rest(owner, done);
    if (failing()) [[unlikely]]
      end_badly();
  }

 private:
  static void run_stolen(task& t, std::uint64_t first, fiber& thief) noexcept;
  static hint hint_of(task const& t, std::uint64_t extra) noexcept;
  static char const* name_of(task const& t) noexcept;
  static bool has_more(task const& t, std::uint64_t first) noexcept;
  static task_kind const kind;

  [[nodiscard]] hint hint_of(std::uint64_t i) const noexcept;
  void run_exposed(fiber& owner) noexcept;
  std::uint64_t run_one(fiber& on, std::uint64_t i) noexcept;
  std::uint64_t run_piece(fiber& on, std::uint64_t first) noexcept;
  bool poll(fork_slot<>& at, bool& stopping) noexcept;
  void call(fiber& on, std::uint64_t i) noexcept;
  std::uint64_t drop_from(std::uint64_t i, std::uint64_t first) noexcept;
  void wait_for_rest(fiber& owner, std::uint64_t done) noexcept;
  [[noreturn]] void end_badly();

  /// True if a child has failed or was dropped. While children run, this only requests an early end.
  [[nodiscard]] bool failing() const noexcept { return (flags() & (failed | dropped)) != 0; }

  numbered_children& all_;
  std::uint64_t const children_;
  stop_node const* const watched_;  ///< by the owner when it forked
  first_exception first_;
};

/// Runs children 0 .. n-1 as one group; returns when each has run or was dropped. Throws the first exception, or
/// `cancelled` if children were dropped.
void run_group(fiber& on, numbered_children& all, std::uint64_t n);

}}}  // namespace skua::v0::runtime
