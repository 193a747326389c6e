// SPDX-License-Identifier: MIT
// Which place the members of a team run on. [OpenMP 5.0, 2.6.2]
//
// A thread is bound when it first becomes a member or asks for its place, and then stays there until a region places it anew: one system call
// when the place changes. Members of nested teams are fibers: they stay on the thread that they begin on, and what they are told is the place that
// they would have with a thread of their own. Without places (settings.hpp) all this costs a branch per region and member.
#pragma once

#include <cstdint>

#include "skua/openmp/position.hpp"
#include "skua/openmp/task.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// Where member `m` of `size` goes whose member 0 is at `creator`.
[[nodiscard]] position position_of(proc_bind how, position const& creator, std::uint32_t size,
                                   std::uint32_t m) noexcept;

/// Of the running task: that of its thread, which is bound to the first place if it has none yet, or its own in a nested team. There must be places.
[[nodiscard]] position const& position_here() noexcept;

/// While it lives, the calling thread may run wherever the process may: threads that it starts inherit that.
class unbound {
 public:
  unbound() noexcept;
  ~unbound();
  unbound(unbound const&) = delete;
  unbound& operator=(unbound const&) = delete;
};

/// What the members of a team do before they run its code: they move to their places, and show where they are (OMP_DISPLAY_AFFINITY).
class member_start {
 public:
  /// On the creator's thread, before the members begin. `clause`: proc_bind_t of the construct's own; 0: none. False: there is nothing to do, and the
  /// members need not ask.
  [[nodiscard]] bool plan(task const& creator, std::uint32_t size, unsigned clause, bool is_nested) noexcept {
    if (!is_asked()) return false;
    plan_members(creator, size, clause, is_nested);
    return true;
  }
  /// `mine` is a member's, and has inherited the creator's variables.
  void set_variables(task& mine) const {
    if (is_asked()) set_asked(mine);
  }
  /// On the thread of member `m`, in its task.
  void begin(std::uint32_t m) const noexcept {
    if (moves_ || shows_) begin_member(m);
  }
  /// On the creator's thread, when all have arrived.
  void end() const noexcept;

 private:
  [[nodiscard]] static bool is_asked() noexcept;
  void plan_members(task const& creator, std::uint32_t size, unsigned clause, bool is_nested) noexcept;
  void begin_member(std::uint32_t m) const noexcept;
  void set_asked(task& mine) const;

  bool moves_ = false;
  bool is_told_ = false;  ///< its members are told places, where they do not move
  bool shows_ = false;
  proc_bind how_ = proc_bind::no;
  proc_bind next_ = proc_bind::no;  ///< of regions that members begin
  std::uint32_t size_ = 0;
  position creator_{};
};

}}}  // namespace skua::v0::openmp
