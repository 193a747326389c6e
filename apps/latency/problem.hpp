// SPDX-License-Identifier: MIT
// latency: how long urgent tasks wait while a program is busy. The background is a binary tree of tasks, as recursive
// programs make it: each works for some time, then spawns its two children. Some of them, at a random moment of their work,
// spawn an urgent task as well. Newest first, that one would wait for the whole tree below its parent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/tbb_workers.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::latency {

/// How tasks are spawned.
enum class choice : std::uint8_t {
  by_priority,  ///< urgent ones with `strategies::priority{strategies::urgency::high}`, the others with `strategies::urgency::normal`
  none,  ///< without a strategy: the newest first
};

struct shape {
  std::uint32_t levels = 1;  ///< of the tree
  std::uint64_t shortest_ns = 0;
  std::uint64_t longest_ns = 0;
  std::uint64_t urgent_ns = 0;
  double urgent_share = 0;  ///< of the background tasks that spawn an urgent one
  std::uint64_t seed = 1;
};

/// The work of the tasks of all runs. The children of the background task i are 2i + 1 and 2i + 2.
class load {
 public:
  static constexpr std::uint32_t no_urgent = std::numeric_limits<std::uint32_t>::max();
  struct job {
    std::uint64_t before_ns = 0;  ///< of work, until it spawns the urgent task
    std::uint64_t after_ns = 0;
    std::uint32_t urgent = no_urgent;  ///< number of the urgent task
  };

  load() = default;
  explicit load(shape const& s);
  [[nodiscard]] std::uint32_t background() const noexcept { return static_cast<std::uint32_t>(jobs_.size()); }
  [[nodiscard]] std::uint32_t urgent() const noexcept { return urgent_; }
  [[nodiscard]] job const& operator[](std::uint32_t i) const noexcept { return jobs_[i]; }
  [[nodiscard]] std::uint64_t urgent_ns() const noexcept { return urgent_ns_; }

 private:
  std::vector<job> jobs_;
  std::uint32_t urgent_ = 0;
  std::uint64_t urgent_ns_ = 0;
};

/// The events of one run. Relaxed: read when all tasks have ended.
class record {
 public:
  explicit record(load const& l) : background_runs_(l.background()), urgent_runs_(l.urgent()), waited_ns_(l.urgent()) {}

  void background_begins(std::uint32_t i) noexcept { background_runs_[i].fetch_add(1, std::memory_order_relaxed); }
  void urgent_begins(std::uint32_t i, std::uint64_t spawned_ns) noexcept {
    waited_ns_[i] = runtime::clock_ns() - spawned_ns;
    urgent_runs_[i].fetch_add(1, std::memory_order_relaxed);
  }
  /// Nanoseconds from spawn to start, of all urgent tasks, ascending.
  [[nodiscard]] std::vector<std::uint64_t> waits() const;
  /// Empty if every task has run exactly once, else one line.
  [[nodiscard]] std::string wrong() const;

 private:
  std::vector<std::atomic<std::uint32_t>> background_runs_;
  std::vector<std::atomic<std::uint32_t>> urgent_runs_;
  std::vector<std::uint64_t> waited_ns_;  ///< each written by one task
};

/// The smallest number that `share` of the ascending numbers do not exceed; 0 if there are none.
[[nodiscard]] std::uint64_t percentile(std::vector<std::uint64_t> const& ascending, double share) noexcept;

/// Uses the processor for so long, as the clock says.
void work_for(std::uint64_t ns) noexcept;

template <class Region>
class program_of {
 public:
  program_of(load const& l, choice how, record& into) : load_(l), how_(how), into_(into) {}

  void spawn_background(Region& f, std::uint32_t i) const {
    auto const task = [all = *this, i](Region& inner) { all.background(inner, i); };
    if (how_ == choice::none) return f.spawn(task);
    f.spawn(strategies::priority{strategies::urgency::normal}, task);
  }

 private:
  void background(Region& f, std::uint32_t i) const {
    into_.background_begins(i);
    load::job const& j = load_[i];
    work_for(j.before_ns);
    if (j.urgent != load::no_urgent) spawn_urgent(f, j.urgent);
    work_for(j.after_ns);
    if (2 * i + 2 >= load_.background()) return;
    spawn_background(f, 2 * i + 1);
    spawn_background(f, 2 * i + 2);
  }
  void spawn_urgent(Region& f, std::uint32_t i) const {
    auto const task = [all = *this, i, now = runtime::clock_ns()](Region&) {
      all.into_.urgent_begins(i, now);
      work_for(all.load_.urgent_ns());
    };
    if (how_ == choice::none) return f.spawn(task);
    f.spawn(strategies::priority{strategies::urgency::high}, task);
  }

  load const& load_;
  choice how_;
  record& into_;
};

template <has_finish Here>
void program(Here& here, load const& l, choice how, record& into) {
  here.finish([&](auto& f) { program_of<std::remove_reference_t<decltype(f)>>(l, how, into).spawn_background(f, 0); });
}

/// The same with oneTBB. by_priority: urgent tasks run in an arena of high priority; none: in that of the others.
void with_tbb(tbb_workers& workers, unsigned count, load const& l, choice how, record& into);

}  // namespace skua::apps::latency
