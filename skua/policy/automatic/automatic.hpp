// SPDX-License-Identifier: MIT
// The answer `auto`: forks travel as one of several schedulers says, and which one that is, is found out. States, rules and
// invariants: automatic.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/policy/automatic/call_site.hpp"
#include "skua/policy/automatic/call_sites.hpp"
#include "skua/policy/automatic/in_force.hpp"
#include "skua/policy/automatic/plain_stealing.hpp"
#include "skua/policy/automatic/rescue.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies {

struct automatic_options {
  bool tries = true;      ///< false: experts' rules only
  bool explains = false;  ///< report() says what was chosen
};

namespace automatic {

/// A scheduler that may be in force.
struct scheduler {
  std::unique_ptr<policy> rules;
  bool writes_tags = false;  ///< else its tags are copied only, and this policy marks tasks from outside in `words[3]`
};

/// What the workers of a region share. The task from outside that is alone writes `alone`, and the sites.
struct common {
  common(layout const& where, std::uint64_t seed, automatic_options const& chosen);

  std::uint32_t const workers;
  alone_place alone_at;
  std::vector<scheduler> all;  ///< the first one is in force until something else is known
  automatic_options const options;
  mutable in_force<> word;  ///< a reader of the sites enters it, too
  /// As in `word`, on a line that seldom changes. Whoever holds a task or its tag has acquired the store for it.
  shared_word<std::uint32_t> in_force_now;
  call_sites sites;
  machine_view const* machine = nullptr;

  /// The schedulers' names, by their numbers.
  [[nodiscard]] std::vector<std::string_view> names() const;

  struct alone_task {
    std::size_t site = 0;
    std::uint64_t came_ns = 0;
    std::uint64_t group_ns = 0;  ///< when its group began
    std::uint64_t shape = 0;     ///< of its group
    bool is_timed = false;       ///< its outermost groups are
    bool has_group = false;      ///< an outermost group is open, and is timed
    bool has_met = false;        ///< it has had a group
    bool has_spawned = false;    ///< tasks of a finish region may be alive beside its groups
  };
  alone_task alone;
};

class alignas(runtime::cache_line_bytes) worker_state final : public worker_policy {
 public:
  worker_state(common& shared, worker_id self);

  task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept override;
  task_tag mark(task_tag& parent, hint const& hint) noexcept override;
  placement place(task_tag& task, cause why) noexcept override;
  void leave(task_tag const& task, task_tag const& group) noexcept override;
  probe next_probe() noexcept override;
  void learn(event const& seen) noexcept override;
  [[nodiscard]] std::span<worker_id const> lines_read() const noexcept override {
    if (asked_ == rescue_probe) return {};
    return of_[asked_]->lines_read();
  }
  [[nodiscard]] bool sees_forks() const noexcept override { return is_outermost_ || now().sees_forks(); }
  [[nodiscard]] bool preempts() const noexcept override { return now().preempts(); }
  [[nodiscard]] bool is_choosy() const noexcept override { return true; }
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept override {
    return asked_ == rescue_probe ? rescue_.admits(first_word) : now().admits(first_word);
  }

 private:
  static constexpr std::size_t rescue_probe = most_schedulers;  ///< asked by no scheduler
  [[nodiscard]] std::size_t current() const noexcept { return common_.in_force_now.get(); }
  [[nodiscard]] worker_policy& now() const noexcept { return *of_[current()]; }
  placement place_from_outside(task_tag& task, cause why) noexcept;
  void put_in_force(std::size_t scheduler, std::size_t site) noexcept;
  void change_to(std::size_t scheduler, task_tag& alone) noexcept;
  bool begins_alone(call_sites::choice const& site) noexcept;
  void begins_group(task_tag& task, double total_work, std::uint64_t n) noexcept;
  void ends_group() noexcept;
  void spawns() noexcept;
  void alone_ends() noexcept;
  void took(std::size_t site, std::uint64_t shape, double ns) noexcept;
  [[nodiscard]] std::uint64_t time_ns() const noexcept {
    return common_.machine == nullptr ? 0 : common_.machine->now_ns(self_);
  }

  common& common_;
  worker_id const self_;
  std::array<worker_policy*, most_schedulers> of_{};
  std::size_t asked_ = 0;  ///< whose probe the machine executes
  rescue rescue_;
  bool is_node_ = false;       ///< the task that was marked last: the answer for nodes places it
  bool rescues_ = false;       ///< what this worker holds was rescued
  bool is_outermost_ = false;  ///< the running task is the one that came alone, outside of all its groups
  task_tag running_;           ///< then: its tag
};

}  // namespace automatic

/// The policy `auto`, as an answer for forks.
class automatic_policy final : public per_worker<automatic::worker_state> {
 public:
  automatic_policy(layout const& where, std::uint64_t seed, automatic_options const& chosen = {});
  [[nodiscard]] std::string_view name() const noexcept override { return "auto"; }
  [[nodiscard]] policy_needs needs() const noexcept override { return needs_; }
  void watch(machine_view const& machine) noexcept override;
  [[nodiscard]] std::string report() const override;
  [[nodiscard]] std::vector<call_choice> choices() const override;
  /// Begins with what an earlier run's policy has chosen. Before the first call of a worker's policy. Throws usage_error for a
  /// scheduler that is none of these.
  void remember(known_times const& earlier);

 private:
  automatic::common shared_;
  policy_needs needs_;
};

}}}  // namespace skua::v0::policies
