// SPDX-License-Identifier: MIT
// What one rank remembers for ranks that die.
#include "skua/machine/ranks/protocol/recovery_log.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr slot_shape mortal{.task_bytes = 8, .has_identity = true};

task_bytes slots(std::vector<std::uint64_t> const& tasks) {
  task_bytes all(tasks.size() * mortal.bytes());
  for (std::size_t i = 0; i < tasks.size(); ++i) std::memcpy(all.data() + i * mortal.bytes(), &tasks[i], 8);
  return all;
}
std::vector<std::uint64_t> tasks_in(task_bytes const& from) {
  std::vector<std::uint64_t> all(from.size() / mortal.bytes());
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(&all[i], from.data() + i * mortal.bytes(), 8);
  return all;
}

TEST(recovery_log, gives_back_what_was_lent_to_the_dead_and_what_it_kept_for_them_once) {
  recovery_log log(mortal);
  task_bytes own = slots({1, 2});
  log.begin(1, own);
  EXPECT_EQ(tasks_in(log.seeds()), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(log.seeds(), own) << "with their identities";
  EXPECT_NE(mortal.identity_of(own.data()).number, mortal.identity_of(own.data() + mortal.bytes()).number);
  task_bytes lent = own;
  log.lent(2, lent);
  EXPECT_EQ(mortal.identity_of(lent.data()).hop, 1U);
  log.keep(2, 0, slots({7}));
  EXPECT_TRUE(log.keeps(2, 0));
  EXPECT_FALSE(log.keeps(2, 1));
  EXPECT_FALSE(log.keeps(3, 0));
  live_ranks live(4);
  EXPECT_TRUE(log.run_again(live, {}).empty()) << "nobody is dead";
  live.remove(2);
  EXPECT_EQ(tasks_in(log.run_again(live, {})), (std::vector<std::uint64_t>{1, 2, 7}));
  EXPECT_EQ(tasks_in(log.seeds()), (std::vector<std::uint64_t>{1, 2, 7})) << "its keeper must have those, too";
  EXPECT_TRUE(log.run_again(live, {}).empty()) << "once";
}

TEST(recovery_log, holds_back_what_a_live_rank_took_further_from_a_dead_one) {
  recovery_log log(mortal);
  task_bytes own = slots({1, 2});
  log.begin(1, own);
  std::uint64_t const first = mortal.identity_of(own.data()).number;
  std::uint64_t const second = mortal.identity_of(own.data() + mortal.bytes()).number;
  task_bytes lent = own;
  log.lent(2, lent);
  live_ranks live(4);
  live.remove(2);
  // Somebody took the first one from rank 2, after the hop to it; of the second it knows no more than we do.
  EXPECT_EQ(tasks_in(log.run_again(live, {{first, 2}, {second, 1}})), (std::vector<std::uint64_t>{2}));
  EXPECT_TRUE(log.held_back(own.data()));
  task_bytes other = slots({9});
  mortal.set_identity(other.data(), {12'345, 0});
  EXPECT_FALSE(log.held_back(other.data()));
  EXPECT_EQ(tasks_in(log.run_again(live, {})), (std::vector<std::uint64_t>{1, 1})) << "who had it is dead";
}

TEST(recovery_log, knows_what_it_took_from_the_dead_by_the_largest_hop) {
  recovery_log log(mortal);
  task_bytes none;
  log.begin(1, none);
  task_bytes got = slots({5, 6});
  mortal.set_identity(got.data(), {50, 3});
  mortal.set_identity(got.data() + mortal.bytes(), {60, 1});
  log.took(2, got);
  mortal.set_identity(got.data(), {50, 2});
  log.took(2, got);
  log.took(3, got);
  live_ranks live(4);
  EXPECT_TRUE(log.taken_from_dead(live).empty());
  live.remove(2);
  EXPECT_EQ(log.taken_from_dead(live), (taken_tasks{{50, 3}, {60, 1}}));
}

TEST(recovery_log, begins_anew_with_nothing) {
  recovery_log log(mortal);
  task_bytes own = slots({1, 2});
  log.begin(1, own);
  task_bytes lent = own;
  log.lent(2, lent);
  log.took(3, own);
  log.keep(2, 4, slots({7}));
  live_ranks live(5);
  live.remove(4);
  static_cast<void>(log.run_again(live, {{mortal.identity_of(own.data()).number, 9}}));
  task_bytes held = own;
  EXPECT_TRUE(log.held_back(held.data()));
  task_bytes next = slots({3});
  log.begin(1, next);
  EXPECT_EQ(tasks_in(log.seeds()), (std::vector<std::uint64_t>{3}));
  EXPECT_FALSE(log.keeps(2, 4));
  EXPECT_FALSE(log.held_back(own.data()));
  live.remove(2);
  live.remove(3);
  EXPECT_TRUE(log.taken_from_dead(live).empty());
  EXPECT_TRUE(log.run_again(live, {}).empty());
  log.keep(2, 0, slots({8}));
  EXPECT_TRUE(log.keeps(2, 0)) << "a generation counts within one process()";
}

TEST(recovery_log, keeps_the_seeds_of_the_youngest_generation) {
  recovery_log log(mortal);
  task_bytes none;
  log.begin(1, none);
  log.keep(2, 3, slots({7}));
  log.keep(2, 1, slots({5}));
  EXPECT_TRUE(log.keeps(2, 3));
  log.keep(2, 3, slots({8}));
  log.keep(2, 4, slots({9}));
  EXPECT_TRUE(log.keeps(2, 4));
  live_ranks live(3);
  live.remove(2);
  EXPECT_EQ(tasks_in(log.run_again(live, {})), (std::vector<std::uint64_t>{9}));
}

}}}}  // namespace skua::v0::ranks
