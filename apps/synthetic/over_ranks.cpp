// SPDX-License-Identifier: MIT
#include "apps/synthetic/over_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::synthetic {
namespace {

/// The tasks that a worker ran in an iteration. Sums of scrambled numbers differ if a task is missing or runs twice.
struct alignas(64) tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void add(std::uint32_t task) noexcept {
    ++count;
    sum += runtime::dice(task).next();
  }
};

tally each_once(std::size_t tasks) noexcept {
  tally all;
  for (std::size_t t = 0; t < tasks; ++t) all.add(static_cast<std::uint32_t>(t));
  return all;
}

/// Passes the time in parts, so that a rank without a server answers thieves in between.
void pass_on(task_site<std::uint32_t>& here, std::uint64_t ns, pastime how) {
  constexpr std::uint64_t part_ns = 200'000;
  std::uint64_t const end = runtime::clock_ns() + ns;
  for (std::uint64_t now = end - ns; now < end; now = runtime::clock_ns()) {
    pass(std::min(part_ns, end - now), how);
    here.progress();
  }
}

void seed(communicator& world, iterated_loads const& loads, task_collection<std::uint32_t>& all) {
  std::vector<double> const position = loads.position();
  auto const ranks = static_cast<double>(world.size());
  for (std::uint32_t t = 0; t < position.size(); ++t) {
    if (std::min(static_cast<std::uint32_t>(position[t] * ranks), world.size() - 1) == world.rank()) all.add(t);
  }
}

/// How many iterations the killed job had done.
std::uint32_t done_in(std::vector<std::byte> const& state) {
  double done = 0;
  if (state.size() == sizeof done) std::memcpy(&done, state.data(), sizeof done);
  return static_cast<std::uint32_t>(done);
}

/// The times of the iterations, one after the other.
class current_times {
 public:
  explicit current_times(iterated_loads const& loads)
      : varied_(loads.means_ns, loads.position(), loads.variation, loads.pattern, loads.seed), now_(loads.means_ns) {}

  void next(iterated_outcome& all) {
    varied_.write(iteration_++, now_);
    for (std::uint64_t const ns : now_) {
      all.sum_ns += ns;
      all.longest_ns = std::max(all.longest_ns, ns);
    }
  }
  [[nodiscard]] std::uint64_t of(std::uint32_t task) const noexcept { return now_[task]; }

 private:
  varied_times varied_;
  std::vector<std::uint64_t> now_;
  std::uint32_t iteration_ = 0;
};

}  // namespace

std::vector<double> iterated_loads::position() const {
  std::vector<double> all(means_ns.size());
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = static_cast<double>(t) / static_cast<double>(all.size());
  return all;
}

iterated_outcome over_ranks(communicator& world, iterated_loads const& loads, ranks_plan const& plan) {
  planned_workers const workers(world, plan);
  current_times times(loads);
  std::vector<tally> by_worker(world.workers());
  task_collection<std::uint32_t> tasks(world,
                                       {.name = "synthetic-loads", .victims = plan.victims, .on_loss = plan.on_loss},
                                       [&](task_site<std::uint32_t>& here, std::uint32_t task) {
                                         pass_on(here, times.of(task), loads.how);
                                         by_worker[here.worker()].add(task);
                                       });
  std::string const file = checkpoint_file(plan, "synthetic-loads");
  iterated_outcome all;
  std::uint32_t iteration = 0;
  if (is_there(world, file)) {
    iteration = done_in(tasks.restart(file));
    for (std::uint32_t i = 0; i < iteration; ++i) times.next(all);
    tasks.restore(plan.balance);
  } else {
    seed(world, loads, tasks);
  }
  tally const right = each_once(loads.means_ns.size());
  for (std::uint32_t const first = iteration; iteration < loads.iterations; ++iteration) {
    if (iteration > first && !goes_on(tasks, plan)) return all;
    times.next(all);
    auto const begin = [&] { std::ranges::fill(by_worker, tally{}); };
    iterate(tasks, plan, iteration, file, begin, [&] {
      tally ran;
      for (tally const& t : by_worker) ran = {ran.count + t.count, ran.sum + t.sum};
      ran = {world.sum(ran.count), world.sum(ran.sum)};
      if (all.wrong.empty() && (ran.count != right.count || ran.sum != right.sum)) {
        all.wrong = "synthetic-loads: iteration " + std::to_string(iteration + 1) + " ran " +
                    std::to_string(ran.count) + " of " + std::to_string(right.count) +
                    " tasks, or one of them twice instead of another";
      }
      return std::vector<double>{static_cast<double>(iteration + 1)};
    });
  }
  return all;
}

}  // namespace skua::apps::synthetic
