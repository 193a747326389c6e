// SPDX-License-Identifier: MIT
// A team on threads: one member per worker of a partition, each found in that worker's inbox. States and proof: team.md.
// [arms-2021 3.2.1]
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "skua/machine/threads/engine/team/team_barrier.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/fork/finish/finish_region.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/program/flow/team.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class worker_slot;

class team_of_workers final : public team_state {
 public:
  /// Sends one member of the task to each of the workers to.worker, .., to.worker + to.width - 1. Returns false if there is no memory, or if
  /// one of them is isolated.
  [[nodiscard]] static bool form(worker_slot& from, task& whole, task_tag const& tag, placement const& to) noexcept;
  /// The tag of a member; null if this entry of an inbox is not one.
  [[nodiscard]] static task_tag const* tag_of(handed const& entry) noexcept;

  void barrier(std::uint32_t member) noexcept override;
  void const*& exposed(std::uint32_t m) noexcept override { return members_[m].exposed; }

 private:
  struct member : handed {
    member() noexcept : handed(kind) {}
    static task_kind const kind;
    team_of_workers* team = nullptr;
    std::uint32_t number = 0;
    fiber* runner = nullptr;  ///< while it runs
    group* waits = nullptr;   ///< at a barrier
    void const* exposed = nullptr;
  };

  team_of_workers(finish_region::task& whole, task_tag const& tag, std::uint32_t width, std::uint64_t placed_at_ns);
  [[nodiscard]] static bool has_isolated_worker(worker_slot& from, placement const& to) noexcept;
  static void run_member(task& t, std::uint64_t, fiber& on) noexcept;
  [[nodiscard]] bool call_member(member& me) noexcept;
  [[nodiscard]] bool leave(member& me) noexcept;
  void let_go() noexcept;

  finish_region::task& whole_;
  task_tag const tag_;
  std::uint64_t const placed_at_ns_;  ///< 0 if the policy needs no times
  std::unique_ptr<member[]> const members_;
  team_barrier<> counts_;
  std::atomic<bool> has_failed_{false};  ///< a member threw, or was dropped
};

}}}  // namespace skua::v0::runtime
