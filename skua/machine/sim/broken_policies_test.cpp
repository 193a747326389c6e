// SPDX-License-Identifier: MIT
// Policies that do what no policy may do: the validator must see each of them.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "skua/machine/sim/checker.hpp"
#include "skua/machine/sim/validator.hpp"
#include "skua/policy/random.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// A sound policy whose answers pass through a function that spoils them.
struct spoilt_worker final : worker_policy {
  worker_policy& sound;
  std::function<probe(probe)> probes;
  std::function<placement(placement, cause)> places;

  spoilt_worker(worker_policy& m, std::function<probe(probe)> h, std::function<placement(placement, cause)> p)
      : sound(m), probes(std::move(h)), places(std::move(p)) {}
  task_tag mark(task_tag& parent, hint const& hint) noexcept override { return sound.mark(parent, hint); }
  placement place(task_tag& t, cause why) noexcept override { return places(sound.place(t, why), why); }
  probe next_probe() noexcept override { return probes(sound.next_probe()); }
  void learn(event const& seen) noexcept override { sound.learn(seen); }
  [[nodiscard]] bool preempts() const noexcept override { return true; }
};

class spoilt_policy final : public policy {
 public:
  using spoil_probe = std::function<probe(worker_id, probe)>;
  using spoil_placement = std::function<placement(worker_id, placement, cause)>;

  spoilt_policy(
      std::uint32_t workers, spoil_probe h, spoil_placement p = [](worker_id, placement to, cause) { return to; })
      : sound_(layout::flat(workers), 3) {
    for (std::uint32_t w = 0; w < workers; ++w) {
      worker_id const self{w};
      workers_state_.push_back(std::make_unique<spoilt_worker>(
          sound_.of_worker(self), [=](probe asked) { return h(self, asked); },
          [=](placement to, cause why) { return p(self, to, why); }));
    }
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "spoilt"; }
  [[nodiscard]] policies::policy_needs needs() const noexcept override {
    return {.lanes = {lane::mailbox, lane::local, lane::migrated}};
  }
  worker_policy& of_worker(worker_id w) noexcept override { return *workers_state_[index(w)]; }

 private:
  policies::random_stealing sound_;
  std::vector<std::unique_ptr<spoilt_worker>> workers_state_;
};

probe as_it_was(worker_id, probe p) { return p; }

placement as_it_was_placed(worker_id, placement to, cause) { return to; }

/// The first fault of a run on `workers` workers under this policy; empty if there was none.
std::string verdict(std::uint32_t workers, spoilt_policy::spoil_probe h,
                    spoilt_policy::spoil_placement p = as_it_was_placed, rules by = {}) {
  task_tree const program = random_tree::make(12, {.tasks = 4000, .most_flops = 50, .scope_percent = 20});
  layout const where = layout::flat(workers);
  spoilt_policy scheduler(workers, std::move(h), std::move(p));
  by.unit = unit::flops;
  std::vector<std::string> const faults = faults_of(run(program, scheduler, where, by), program, where, by);
  return faults.empty() ? "" : faults.front();
}

bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

TEST(validator_catches, nothing_in_a_sound_policy) { EXPECT_EQ(verdict(8, as_it_was), ""); }

TEST(validator_catches, a_thief_of_its_own_lanes) {
  auto const self_stealing = [](worker_id self, probe p) {
    return p.kind == action::steal ? probe{.kind = p.kind, .lane = p.lane, .victim = self} : p;
  };
  EXPECT_TRUE(says(verdict(4, self_stealing), "steals from itself"));
}

TEST(validator_catches, a_victim_that_does_not_exist) {
  auto const beyond = [](worker_id, probe p) {
    return p.kind == action::steal ? probe{.kind = p.kind, .lane = p.lane, .victim = worker_id{4}} : p;
  };
  EXPECT_TRUE(says(verdict(4, beyond), "worker 4, which does not exist"));
}

TEST(validator_catches, a_pop_from_a_strangers_lane) {
  auto const rude = [](worker_id self, probe p) {
    return p.kind == action::pop && self != worker_id{0} ? probe{.kind = p.kind, .lane = p.lane, .victim = worker_id{0}}
                                                         : p;
  };
  EXPECT_TRUE(says(verdict(4, rude), "pops from a lane of worker 0"));
}

TEST(validator_catches, a_search_that_never_leaves_the_nearest_ring) {
  // Rings of four: whoever is not in the ring where the program began finds nothing, for ever.
  auto const homely = [](worker_id self, probe p) {
    if (p.kind != action::steal) return p;
    std::uint32_t const ring = index(self) / 4 * 4;
    worker_id near{ring + index(p.victim) % 4};
    if (near == self) near = worker_id{ring + (index(self) + 1) % 4};
    return probe{.kind = p.kind, .lane = p.lane, .victim = near};
  };
  EXPECT_TRUE(says(verdict(16, homely), "starves"));
}

TEST(validator_catches, a_worker_that_only_sleeps) {
  auto const lazy = [](worker_id self, probe p) { return self == worker_id{1} ? probe{} : p; };
  EXPECT_TRUE(says(verdict(4, lazy), "worker 1 starves"));
}

TEST(validator_catches, a_worker_that_never_sleeps) {
  auto const restless = [](worker_id self, probe p) {
    return p.kind == action::rest ? probe{.kind = action::pop, .lane = lane::forks, .victim = self} : p;
  };
  EXPECT_TRUE(says(verdict(4, restless), "never rests"));
}

TEST(validator_catches, a_worker_that_never_opens_its_inbox) {
  auto const to_the_next = [](worker_id self, placement to, cause why) {
    return why == cause::stolen ? placement{worker_id{(index(self) + 1) % 4}, lane::inbox, 1} : to;
  };
  auto const blind = [](worker_id self, probe p) {
    return p.lane == lane::inbox && p.kind == action::pop
               ? probe{.kind = action::pop, .lane = lane::spawned, .victim = self}
               : p;
  };
  EXPECT_EQ(verdict(4, as_it_was, to_the_next), "") << "sending is allowed as long as inboxes are opened";
  EXPECT_TRUE(says(verdict(4, blind, to_the_next), "starves"));
}

/// Stolen tasks go to the mailbox of worker 1, which looks there instead of into its inbox. What it preempts for them
/// goes where `aside` says.
std::string verdict_with_slot(spoilt_policy::spoil_placement const& aside, cause also = cause::stolen,
                              rules const& by = {}) {
  auto const sees_slot = [](worker_id self, probe p) {
    return p.lane == lane::inbox && p.kind == action::pop
               ? probe{.kind = action::pop, .lane = lane::mailbox, .victim = self}
               : p;
  };
  auto const to_one = [=](worker_id self, placement to, cause why) {
    bool const sends = (why == cause::stolen || why == also) && self != worker_id{1};
    return sends ? placement{.worker = worker_id{1}, .lane = lane::mailbox} : aside(self, to, why);
  };
  return verdict(4, sees_slot, to_one, by);
}

TEST(validator_catches, a_slot_that_is_occupied_if_the_rules_say_that_it_never_is) {
  EXPECT_EQ(verdict_with_slot(as_it_was_placed), "") << "refused, and kept by who has it";
  EXPECT_TRUE(says(verdict_with_slot(as_it_was_placed, cause::stolen, {.slot_refusals_allowed = false}),
                   "mailbox of worker 1, which is occupied"));
  EXPECT_TRUE(says(verdict_with_slot(as_it_was_placed, cause::refused), "in occupied mailboxes"));
}

TEST(validator_catches, what_is_preempted_to_a_lane_where_it_cannot_lie) {
  auto const elsewhere = [](worker_id self, placement to, cause why) {
    return why == cause::preempted ? placement{.worker = worker_id{(index(self) + 1) % 4}, .lane = lane::inbox} : to;
  };
  auto const in_forks = [](worker_id self, placement to, cause why) {
    return why == cause::preempted ? placement{.worker = self, .lane = lane::forks} : to;
  };
  EXPECT_TRUE(says(verdict_with_slot(elsewhere), "preempts a task, but places it on"));
  EXPECT_TRUE(says(verdict_with_slot(in_forks), "does not place it in its spawned"));
}

TEST(validator_catches, placements_that_no_machine_can_execute) {
  auto const spoil = [](placement wrong) {
    return [wrong](worker_id, placement to, cause why) { return why == cause::resumed ? wrong : to; };
  };
  EXPECT_TRUE(says(verdict(4, as_it_was, spoil({worker_id{9}, lane::inbox, 1})), "which does not exist"));
  EXPECT_TRUE(says(verdict(4, as_it_was, spoil({worker_id{0}, lane::forks, 1})),
                   "not in its inbox, mailbox, migrated or nodes lane"));
  EXPECT_TRUE(
      says(verdict(4, as_it_was, [](worker_id, placement, cause) { return placement{worker_id{0}, lane::inbox, 4}; }),
           "width 4"));
}

}}}}  // namespace skua::v0::sim
