// SPDX-License-Identifier: MIT
// A mixed program as a tree: what each step is, and the steps inside of it. It is drawn from a seed, written as a line of text and read
// from one, and made smaller (shrinking.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skua { inline namespace v0 { namespace testing {

/// What a step of a program is.
enum class construct : std::uint8_t {
  join,
  each,
  scope,
  finish,
  flow,
  task_group,
  loop,            ///< parallel_for
  isolated,        ///< a call inside of isolate()
  answer,          ///< waits for an answer from outside, and may go on elsewhere
  answer_here,     ///< the same, and returns on the same thread
  enqueued,        ///< an enqueued task answers, perhaps one with a strategy
  coroutine,       ///< a coroutine that the pool computes for answers
  other_pool,      ///< a call into the other pool
  outside_caller,  ///< a thread made for this calls the pool, and answers
  own_pool,        ///< a pool that begins and ends here
  own_region,      ///< a region of this pool that opens and closes here
  growing_flow,    ///< a flow whose nodes add nodes; some run twice
  team,            ///< a node of a flow that several workers run together
  worker_local,    ///< parts of the answer in an object per worker
  isolated_loop,   ///< a loop with an isolated context, where a stop was requested
  second_use,      ///< a group of tasks that was cancelled before
  shielded,        ///< without_stop, where a stop is requested
  limited,         ///< a thread made for this calls the default pool, while it limits what such calls use
  fails,           ///< one child throws
  stops,           ///< one child requests a stop
  stopped_call,    ///< an enqueued call, which is stopped
  bounded_group,   ///< a group of tasks whose starter runs what it has no room for
  bounded_call,    ///< an enqueued task, with a bound, answers
  gathered,        ///< many nodes of a flow at one address, in two runs, some of which have children
  observed,        ///< a loop, while an observer of the pool around it enters and leaves
  arena,           ///< a loop in an arena that all programs share, in which each body has a number of its own
  lent,            ///< all workers of a pool wait for what an enqueued task answers
  awaited,         ///< a coroutine that waits for an answer from outside
  left_tasks,      ///< tasks of a group that a thread made for this starts, and leaves
  fed,             ///< a loop whose elements add elements
  broken_team,     ///< a member of a team throws, while others wait at its barrier
  cut_short,       ///< many small tasks, of which one ends the others
  ambient,         ///< a join of children that are given no `here`, and find their own
  beside,          ///< two regions of this pool at the same time: teams under arms, and another policy
  scheduled,       ///< a sender on a pool, perhaps with a loop, answers
  last = scheduled
};
[[nodiscard]] char const* name_of(construct c) noexcept;

/// The weight of a child's answer in that of the step.
constexpr std::uint64_t weight(std::size_t child) noexcept { return 2 * child + 3; }

struct mixed_step {
  construct what = construct::join;
  std::uint64_t own = 1;            ///< the step's own part of the answer
  std::uint64_t chance = 0;         ///< decides what the construct leaves open
  std::vector<mixed_step> child{};  ///< none: a leaf

  /// The same seed draws the same program.
  [[nodiscard]] static mixed_step drawn(std::uint64_t seed, int depth);

  [[nodiscard]] bool is_leaf() const noexcept { return child.empty(); }
  [[nodiscard]] std::size_t number() const noexcept { return child.size(); }
  /// It has one child.
  [[nodiscard]] bool is_alone() const noexcept { return fewest_children(what) == 1; }
  /// The children's answers do not count.
  [[nodiscard]] bool ends_early() const noexcept {
    return what == construct::fails || what == construct::stops || what == construct::stopped_call ||
           what == construct::broken_team;
  }
  [[nodiscard]] static std::size_t fewest_children(construct c) noexcept;

  /// The answer, computed without Skua.
  [[nodiscard]] std::uint64_t expected() const noexcept;
  /// How many steps it has, itself included.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Adds its steps to the numbers of each construct; leaves are none.
  void count(std::vector<std::uint64_t>& of_each) const;
};

/// `.` is a leaf; else the construct, `:` and its chance unless that is 0, and its children: "join(. enqueued:17(.))".
[[nodiscard]] std::string text_of(mixed_step const& s);
/// The reverse; the steps' own parts of the answer are new ones. Throws std::invalid_argument and says why.
[[nodiscard]] mixed_step step_from(std::string_view text);
/// For people: a line for each step, children further to the right.
[[nodiscard]] std::string indented(mixed_step const& s, std::size_t spaces = 2);

}}}  // namespace skua::v0::testing
