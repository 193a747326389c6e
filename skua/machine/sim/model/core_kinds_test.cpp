// SPDX-License-Identifier: MIT
// Machine models with cores of several kinds: what a slow core takes, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uintptr_t somewhere = 0x7f00'0000'0000;
constexpr worker_id fast{0};
constexpr worker_id slow{1};  // on the same place

/// In each place one fast core, and one of half its speed.
std::string hybrid(std::string_view kinds = "") {
  std::string text = round_machine_with("core:2 pu:1", "core:2(speed=1,0.5) pu:1");
  return text.insert(text.find("[private_cache]"), kinds);
}

class costs_of_kinds : public testing::Test {
 protected:
  void use(std::string const& text) { model = machine_model::parse(text, "hybrid.toml"); }
  tick run(worker_id w, tree_node_id id, cost_options const& how = {}) {
    layout const where = model.layout_of({});
    return model_costs(model, model.numbers(), where, how).run(0, w, tree, id);
  }
  tick price(operation what, worker_id w, worker_id whom) {
    layout const where = model.layout_of({});
    return model_costs(model, model.numbers(), where).price(0, what, w, whom);
  }
  tree_node_id leaf(double flops, std::uint64_t ns, std::uint64_t bytes = 0) {
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree[id].flops = flops;
    tree[id].ns = ns;
    if (bytes > 0) tree.add_touch(id, {.address = somewhere, .bytes = bytes});
    return id;
  }

  machine_model model = machine_model::parse(hybrid(), "hybrid.toml");
  task_tree tree;
};

TEST_F(costs_of_kinds, a_slow_core_computes_at_its_speed_if_the_file_says_no_more) {
  EXPECT_EQ(std::vector<double>(model.kind_speeds().begin(), model.kind_speeds().end()), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(run(fast, leaf(4000, 0)), 1'000'000U);
  EXPECT_EQ(run(slow, leaf(4000, 0)), 2'000'000U);
  EXPECT_EQ(run(fast, leaf(0, 7)), 7'000U);
  EXPECT_EQ(run(slow, leaf(0, 7)), 14'000U);
  EXPECT_EQ(run(slow, leaf(100, 8), {.leaves = arithmetic::by_ns, .recorded_ghz = 1}), 8'000U);
  EXPECT_EQ(run(slow, leaf(100, 0), {.flops_per_ns = 10}), 20'000U);
  tree_node_id const step = tree.add(0, tree_node_kind::step);
  tree[step].ns = 100;
  EXPECT_EQ(run(slow, step), 200'000U);
}

TEST_F(costs_of_kinds, a_slow_core_computes_at_its_rate_if_the_file_says_one) {
  use(hybrid("[kinds]\nflops_per_ns = [1]\n"));
  EXPECT_EQ(run(fast, leaf(4000, 0)), 1'000'000U);
  EXPECT_EQ(run(slow, leaf(4000, 0)), 4'000'000U);
  EXPECT_EQ(run(slow, leaf(0, 7)), 14'000U) << "a time goes by the speed";
  EXPECT_EQ(run(slow, leaf(100, 0), {.flops_per_ns = 10}), 40'000U) << "a given rate is the fast cores'";
}

TEST_F(costs_of_kinds, each_kind_has_its_own_caches) {
  use(hybrid("[kinds]\nprivate_bytes = [16384]\n"));
  auto const twice = [&](worker_id w) {
    layout const where = model.layout_of({});
    model_costs costs(model, model.numbers(), where);
    tree_node_id const id = leaf(0, 0, 32768);
    costs.run(0, w, tree, id);
    costs.run(1'000'000, w, tree, id);
    return costs.account(w);
  };
  EXPECT_EQ(twice(fast).private_bytes, 32768U) << "the second time all of it";
  EXPECT_EQ(twice(slow).private_bytes, 0U) << "a sweep over twice the cache finds nothing";
  EXPECT_EQ(twice(slow).shared_bytes, 32768U);
}

TEST_F(costs_of_kinds, own_caches_go_with_the_clock_and_memory_does_not) {
  auto const of = [&](std::string const& kinds) {
    use(hybrid(kinds));
    return model.numbers().of_kind(1, model.kind_speeds()[1]);
  };
  machine_numbers const all = model.numbers();
  machine_numbers const plain = of("");
  EXPECT_EQ(plain.clock_ghz, all.clock_ghz / 2);
  EXPECT_EQ(plain.private_bytes_per_ns, all.private_bytes_per_ns / 2);
  EXPECT_EQ(plain.private_latency_ns, all.private_latency_ns * 2);
  EXPECT_EQ(plain.shared_bytes_per_ns, all.shared_bytes_per_ns);
  EXPECT_EQ(plain.memory_latency_ns, all.memory_latency_ns);
  EXPECT_EQ(plain.memory_core_bytes_per_ns, all.memory_core_bytes_per_ns);
  machine_numbers const given =
      of("[kinds]\nclock_ghz = [1.5]\nmemory_core_bytes_per_ns = [3]\nmisses_in_flight = [2]\n");
  EXPECT_EQ(given.private_bytes_per_ns, all.private_bytes_per_ns * 0.75);
  EXPECT_EQ(given.flops_per_ns, all.flops_per_ns / 2);
  EXPECT_EQ(given.memory_core_bytes_per_ns, 3);
  EXPECT_EQ(given.misses_in_flight, 2);
}

TEST_F(costs_of_kinds, the_runtime_is_slower_on_a_slow_core_and_the_kernel_is_not) {
  EXPECT_EQ(price(operation::fork, slow, slow), 2 * price(operation::fork, fast, fast));
  EXPECT_EQ(price(operation::steal, slow, fast), 2 * price(operation::steal, fast, slow));
  EXPECT_EQ(price(operation::notify, slow, fast), price(operation::notify, fast, slow));
  EXPECT_EQ(price(operation::wake_up, slow, fast), price(operation::wake_up, fast, slow));
}

TEST_F(costs_of_kinds, a_machine_of_one_stated_speed_is_one_of_none) {
  task_tree program;
  for (int i = 0; i < 20; ++i) leaf(1000.0 * i, 0, 4096U * static_cast<std::uint64_t>(i));
  machine_model const plain = round_model();
  machine_model const stated =
      machine_model::parse(round_machine_with("core:2 pu:1", "core:2(speed=0.3) pu:1"), "stated.toml");
  EXPECT_EQ(stated.kind_speeds().size(), 1U);
  layout const a = plain.layout_of({});
  layout const b = stated.layout_of({});
  model_costs of_a(plain, plain.numbers(), a);
  model_costs of_b(stated, stated.numbers(), b);
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    for (worker_id const w : {fast, slow}) EXPECT_EQ(of_a.run(i * 1000, w, tree, i), of_b.run(i * 1000, w, tree, i));
  }
}

TEST(machine_model_of_kinds, refuses_what_does_not_fit_the_kinds) {
  auto const refused = [](std::string const& text, std::string_view why) {
    try {
      static_cast<void>(machine_model::parse(text, "my.toml"));
      ADD_FAILURE() << why;
    } catch (usage_error const& fault) {
      EXPECT_NE(std::string(fault.what()).find(why), std::string::npos) << fault.what();
    }
  };
  refused(hybrid("[kinds]\nclock_ghz = [1, 2]\n"),
          "kinds.clock_ghz has 2 figures; allowed: 1, one for each kind of core below the fastest");
  refused(hybrid("[kinds]\nclock_ghz = 1\n"), "must be a list, one figure for each kind of core but the fastest");
  refused(hybrid("[kinds]\nclock_ghz = [-1]\n"), "kinds.clock_ghz[0] is -1; allowed: a positive number");
  refused(hybrid("[kinds]\nclocks = [1]\n"), "there is no key clocks in [kinds]; allowed: clock_ghz");
  refused(hybrid("[kinds]\nprivate_bytes = [1]\n"), "kinds.private_bytes[0] must be from 16 blocks");
  refused(round_machine_with("[private_cache]", "[kinds]\nclock_ghz = [1]\n[private_cache]"),
          "kinds.clock_ghz has 1 figures; allowed: 0");
  std::string const level = "[first_level_cache]\nbytes = 16384\nbytes_per_ns = 128\nlatency_ns = 0.5\n";
  refused(hybrid(level + "[kinds]\nfirst_level_bytes = [20000]\nprivate_bytes = [16384]\n"),
          "kinds.first_level_bytes[0] must be from 4 blocks (of 1024 bytes) to kinds.private_bytes[0]");
  refused(hybrid(level + "[kinds]\nfirst_level_bytes = [65537]\n"), "to private_cache.bytes");
}

TEST(machine_model_of_kinds, the_shipped_ones_have_two_and_the_fast_cores_work_first) {
  for (std::string_view const name : {"core-i7-12700", "rk3588"}) {
    SCOPED_TRACE(name);
    machine_model const m = machine_model::load(name);
    ASSERT_EQ(m.kind_speeds().size(), 2U);
    EXPECT_EQ(m.layout_of({.workers = 1}).speed_of(worker_id{0}), 1);
    for (bound const b : {bound::stated, bound::low, bound::high}) {
      machine_numbers const all = m.numbers(b);
      machine_numbers const small = all.of_kind(1, m.kind_speeds()[1]);
      EXPECT_LT(small.clock_ghz, all.clock_ghz);
      EXPECT_LT(small.flops_per_ns, all.flops_per_ns);
      EXPECT_LT(small.private_bytes, all.private_bytes);
      EXPECT_GT(small.first_level_bytes_per_ns, small.private_bytes_per_ns);
    }
    // The speed that the system tells is not the rate of each program, but it is near it.
    machine_numbers const all = m.numbers();
    EXPECT_NEAR(all.of_kind(1, m.kind_speeds()[1]).flops_per_ns / all.flops_per_ns, m.kind_speeds()[1], 0.1);
  }
  for (std::string_view const name : machine_model::shipped()) {
    std::size_t const kinds = name == "core-i7-12700" || name == "rk3588" ? 2 : 1;
    EXPECT_EQ(machine_model::load(name).kind_speeds().size(), kinds) << name;
  }
}

}}}}  // namespace skua::v0::sim
