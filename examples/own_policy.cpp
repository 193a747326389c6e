// SPDX-License-Identifier: MIT
// A policy of your own: a thief first tries the victim from which it last stole. Runs on threads
// and on 64 simulated workers.
#include <skua/machine/sim/model/machine_models.hpp>
#include <skua/machine/sim/model/model_costs.hpp>
#include <skua/machine/sim/simulate.hpp>
#include <skua/policy/greedy.hpp>
#include <skua/policy/protocol_checker.hpp>
#include <skua/policy/registry.hpp>
#include <skua/skua.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

/// Chooses victims: the last one that had a task; otherwise a random one, all with the same probability.
class last_victim {
 public:
  last_victim(skua::worker_id self, std::uint32_t workers) noexcept : self_(index(self)), workers_(workers) {}

  /// The next victim, or nothing at the end of the round.
  std::optional<skua::worker_id> next(skua::runtime::dice& roll) noexcept {
    if (workers_ == 1 || misses_ >= workers_) return {};
    if (!last_) {
      std::uint32_t const v = roll.below(workers_ - 1);
      last_ = skua::worker_id{v < self_ ? v : v + 1};
    }
    return last_;
  }
  /// The last victim had no task.
  void missed() noexcept {
    ++misses_;
    last_.reset();
  }
  /// A new round begins.
  void restart() noexcept { misses_ = 0; }

 private:
  std::uint32_t self_;
  std::uint32_t workers_;
  std::uint32_t misses_ = 0;
  std::optional<skua::worker_id> last_;
};

class last_victim_stealing final : public skua::policies::greedy_policy<last_victim> {
 public:
  explicit last_victim_stealing(skua::policies::policy_setup const& from) {
    std::uint32_t const workers = from.layout.workers();
    for (std::uint32_t w = 0; w < workers; ++w) {
      skua::worker_id const self{w};
      workers_state_.emplace_back(self, last_victim(self, workers), from.seed);
    }
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "last-victim"; }
};

std::unique_ptr<skua::policies::policy> make_last_victim(skua::policies::policy_setup const& from) {
  return std::make_unique<last_victim_stealing>(from);
}

/// The same policy inside a checker, which ends the process if the policy breaks a rule of skua/policy/protocol.md.
std::unique_ptr<skua::policies::policy> make_checked(skua::policies::policy_setup const& from) {
  return std::make_unique<skua::policies::protocol_checker>(make_last_victim(from), from.layout.workers());
}

/// An uneven tree: the second child is half as deep. Returns the number of leaves.
long count(auto& here, int depth) {
  if (depth < 2) return here.leaf(skua::flops{20'000}, [] { return 1L; });
  auto [a, b] =
      here.join([depth](auto& h) { return count(h, depth - 1); }, [depth](auto& h) { return count(h, depth / 2); });
  return a + b;
}

/// Simulates the program on the machine model, and returns its virtual time in nanoseconds.
double simulated_ns(std::unique_ptr<skua::policies::policy> scheduler, skua::sim::machine_model const& machine,
                    skua::layout const& where) {
  skua::sim::model_costs prices(machine, machine.numbers(), where);
  skua::sim::observer nobody;
  auto const done = skua::sim::simulate([](auto& here) { count(here, 60); }, *scheduler, where,
                                        {.spin_ticks = prices.spin(), .ticks_per_ns = 1000}, prices, nobody);
  return static_cast<double>(done.result.makespan) / 1000;
}

int main() {
  skua::pool pool({.workers = 3});
  long const leaves = pool.run([](auto& here) { return count(here, 60); });
  auto const region = pool.open_region(make_checked);
  if (region.run([](auto& here) { return count(here, 60); }) != leaves) return 1;

  auto const machine = skua::sim::machine_model::load("xeon-6130-4s");
  auto const where = machine.layout_of({.workers = 64});
  double const ours = simulated_ns(make_last_victim({where, 1}), machine, where);
  double const random = simulated_ns(skua::policies::make_policy("random", where, 1), machine, where);
  std::printf("%ld leaves on 64 simulated workers: last-victim %.0f us, random %.0f us\n", leaves, ours / 1000,
              random / 1000);
  return ours > 0 && random > 0 ? 0 : 1;
}
