// SPDX-License-Identifier: MIT
// Compares the costs of leaves and operations on a machine of round numbers with closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uintptr_t somewhere = 0x7f00'0000'0000;
constexpr worker_id w0{0};  // node 0, place 0
constexpr worker_id w1{1};  // node 0, place 0
constexpr worker_id w2{2};  // node 0, place 1
constexpr worker_id w4{4};  // node 1

class model_costs_of_the_round_machine : public testing::Test {
 protected:
  machine_model model = round_model();
  layout where = model.layout_of({});

  model_costs make(cost_options const& how = {}) { return {model, model.numbers(), where, how}; }

  /// A leaf that touches one range.
  tree_node_id leaf(touch const& what, double flops = 0, std::uint64_t ns = 0) {
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree[id].flops = flops;
    tree[id].ns = ns;
    tree.add_touch(id, what);
    return id;
  }
  tree_node_id bare(double flops, std::uint64_t ns) {
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree[id].flops = flops;
    tree[id].ns = ns;
    return id;
  }
  static touch range(std::uint64_t offset, std::uint64_t bytes, bool written = false) {
    return {.address = somewhere + offset, .bytes = bytes, .written = written};
  }

  task_tree tree;
};

TEST_F(model_costs_of_the_round_machine, arithmetic_by_flops_or_as_measured) {
  model_costs c = make();
  EXPECT_EQ(c.run(0, w0, tree, bare(4000, 0)), 1'000'000U);
  EXPECT_EQ(c.run(0, w0, tree, bare(4000, 7)), 1'000'000U);
  EXPECT_EQ(c.run(0, w0, tree, bare(0, 7)), 7'000U);
  model_costs faster = make({.leaves = arithmetic::by_ns, .recorded_ghz = 1});
  EXPECT_EQ(faster.run(0, w0, tree, bare(4000, 100)), 50'000U);
  EXPECT_EQ(faster.run(0, w0, tree, bare(4000, 0)), 1'000'000U);
  tree_node_id const step = tree.add(0, tree_node_kind::step);
  tree[step].ns = 100;
  EXPECT_EQ(faster.run(0, w0, tree, step), 50'000U);
  EXPECT_EQ(faster.run(0, w0, tree, 0), 0U);
}

TEST_F(model_costs_of_the_round_machine, leaves_take_what_their_like_took_or_the_rate_of_all) {
  model_costs c = make({.measured = {.ns = {{4000, 7}, {100, 50}}, .flops_per_ns = 2}});
  EXPECT_EQ(c.run(0, w0, tree, bare(4000, 0)), 7'000U);
  EXPECT_EQ(c.run(0, w0, tree, bare(100, 0)), 50'000U);
  EXPECT_EQ(c.run(0, w0, tree, bare(1000, 0)), 500'000U);
  EXPECT_EQ(c.run(0, w0, tree, bare(0, 9)), 9'000U);
  model_costs slower = make({.measured = {.flops_per_ns = 2}, .recorded_ghz = 4});
  EXPECT_EQ(slower.run(0, w0, tree, bare(1000, 0)), 1'000'000U);
}

TEST_F(model_costs_of_the_round_machine, a_leaf_takes_the_longer_of_arithmetic_and_memory) {
  tree_node_id const id = leaf(range(0, 1 << 20), 4e9);
  EXPECT_EQ(make().run(0, w0, tree, id), 1'000'000'000'000U);
}

TEST_F(model_costs_of_the_round_machine, a_core_hides_as_much_of_the_shorter_as_its_figure_says) {
  constexpr double fetching = (1 << 20) / 8 * 1e3 + 10e3;
  for (double const flops : {1e5, 4e5, 2e6}) {
    double const computing = flops / 4 * 1e3;
    for (double const hidden : {0.0, 0.25, 1.0}) {
      machine_numbers numbers = model.numbers();
      numbers.hidden_share = hidden;
      model_costs c(model, numbers, where);
      double const expected = std::max(computing, fetching) + (1 - hidden) * std::min(computing, fetching);
      EXPECT_NEAR(static_cast<double>(c.run(0, w0, tree, leaf(range(0, 1 << 20), flops))), expected, 1);
      EXPECT_EQ(c.account(w0).waited, 0U);
    }
  }
}

TEST_F(model_costs_of_the_round_machine, what_was_measured_is_not_lengthened_by_the_misses_that_are_in_it) {
  machine_numbers numbers = model.numbers();
  numbers.hidden_share = 0;
  model_costs bare_time(model, numbers, where);
  EXPECT_EQ(bare_time.run(0, w0, tree, leaf(range(0, 1 << 20), 0, 500'000)), 500'000'000U);
  model_costs by_ns(model, numbers, where, {.leaves = arithmetic::by_ns});
  EXPECT_EQ(by_ns.run(0, w0, tree, leaf(range(0, 1 << 20), 4e5, 500'000)), 500'000'000U);
}

/// A serial run misses to local memory; what was measured there contains just that.
TEST_F(model_costs_of_the_round_machine, what_was_measured_grows_by_what_remote_memory_takes_longer) {
  constexpr std::uint64_t bytes = 1 << 16;
  constexpr double local = bytes / 8 * 1e3 + 10e3;
  constexpr double remote = bytes / 2 * 1e3 + 16e3;
  for (std::uint64_t const ns : {std::uint64_t{9'000}, std::uint64_t{500'000}}) {
    auto const took = [&](std::uint32_t node) {
      model_costs c = make();
      c.bind_pages(reinterpret_cast<void const*>(somewhere), bytes, node);
      return static_cast<double>(c.run(0, w0, tree, leaf(range(0, bytes), 0, ns)));
    };
    double const measured = static_cast<double>(ns) * 1e3;
    EXPECT_NEAR(took(0), measured, 1);
    EXPECT_NEAR(took(1), measured + remote - local, 1);
  }
}

TEST_F(model_costs_of_the_round_machine, leaves_that_were_measured_share_links_and_memory) {
  constexpr std::uint64_t leaf_bytes = 1 << 14;
  auto const last_end = [&](std::uint32_t node) {
    model_costs c = make({.pages = {.mode = page_placement::kind::bind, .node = node}});
    tick now = 0;
    tick last = 0;
    for (std::uint32_t i = 0; i < 512; ++i) {  // four at a time, 2.1 us each by measurement
      worker_id const w{i % 4};
      if (i % 4 == 0) now = last;
      last = std::max(last, now + c.run(now, w, tree, leaf(range(i * leaf_bytes, leaf_bytes), 0, 2'100)));
    }
    return static_cast<double>(last) / 1e3;
  };
  EXPECT_NEAR(last_end(0), 512.0 * leaf_bytes / 16, 1);  // the memory delivers 16 bytes/ns
  EXPECT_NEAR(last_end(1), 512.0 * leaf_bytes / 4, 1);   // the link 4
}

TEST_F(model_costs_of_the_round_machine, few_lines_in_flight_wait_for_the_latency_of_memory) {
  constexpr std::uint64_t bytes = 1 << 20;
  constexpr double lines = bytes / 64;
  auto const ns = [&](double in_flight, std::uint32_t node) {
    machine_numbers numbers = model.numbers();
    numbers.lines_in_flight = in_flight;
    model_costs c(model, numbers, where, {.pages = {.mode = page_placement::kind::bind, .node = node}});
    return static_cast<double>(c.run(0, w0, tree, leaf(range(0, bytes)))) / 1e3;
  };
  EXPECT_NEAR(ns(1, 0), lines * 100 + 10, 1e-3);
  EXPECT_NEAR(ns(1, 1), lines * 160 + 16, 1e-3);
  EXPECT_NEAR(ns(2, 1), lines * 80 + 16, 1e-3);
  EXPECT_NEAR(ns(20, 0), bytes / 8 + 10, 1e-3);  // as many as the bandwidth needs, and more
  EXPECT_EQ(ns(0, 0), ns(20, 0));
}

TEST_F(model_costs_of_the_round_machine, what_a_program_gives_to_places_lies_there) {
  constexpr std::uint64_t bytes = 1 << 16;
  layout const two = model.layout_of({.places = "numa_domains"});
  ASSERT_EQ(two.places(), 2U);
  std::vector<owned_range> const owned{{.address = somewhere, .bytes = bytes + 100, .owner = place_id{0}},
                                       {.address = somewhere + bytes + 100, .bytes = bytes - 100, .owner = place_id{1}},
                                       {.address = somewhere + 2 * bytes, .bytes = bytes, .owner = {}}};
  auto const remote_bytes = [&](page_placement::kind how, worker_id w, std::uint64_t offset, std::uint64_t length) {
    model_costs c(model, model.numbers(), two, {.pages = {.mode = how}});
    c.own(owned, two);
    static_cast<void>(c.run(0, w, tree, leaf(range(offset, length), 0, 1)));
    return c.account(w).remote_bytes;
  };
  using kind = page_placement::kind;
  EXPECT_EQ(remote_bytes(kind::places, w0, 0, bytes), 0U);
  EXPECT_EQ(remote_bytes(kind::places, w4, 0, bytes), bytes);
  EXPECT_EQ(remote_bytes(kind::places, w0, bytes, bytes), bytes - 4096);  // a shared page belongs to the first owner
  EXPECT_EQ(remote_bytes(kind::places, w4, bytes, bytes), 4096U);
  EXPECT_EQ(remote_bytes(kind::places, w4, 2 * bytes, bytes), bytes);  // nobody's
  EXPECT_EQ(remote_bytes(kind::places, w4, 3 * bytes, bytes), 0U);     // did not exist before the run
  EXPECT_EQ(remote_bytes(kind::prepared, w4, 0, 3 * bytes), 3 * bytes);
  EXPECT_EQ(remote_bytes(kind::first_touch, w4, 0, 3 * bytes), 0U);
}

/// A measured leaf on a place's own memory takes its time; on another's it pays for the distance.
TEST_F(model_costs_of_the_round_machine, remote_bytes_of_a_placed_array_lengthen_a_measured_leaf) {
  constexpr std::uint64_t bytes = 1 << 16;
  layout const two = model.layout_of({.places = "numa_domains"});
  std::vector<owned_range> const owned{{.address = somewhere, .bytes = bytes, .owner = place_id{1}}};
  auto const took = [&](worker_id w) {
    model_costs c(model, model.numbers(), two, {.pages = {.mode = page_placement::kind::places}});
    c.own(owned, two);
    return static_cast<double>(c.run(0, w, tree, leaf(range(0, bytes), 0, 50'000)));
  };
  EXPECT_NEAR(took(w4), 50e6, 1);
  EXPECT_NEAR(took(w0), 50e6 + (bytes / 2.0 - bytes / 8.0) * 1e3 + 6e3, 1);
}

/// If many cores wait for one memory, that memory determines the time, however little a core hides.
TEST_F(model_costs_of_the_round_machine, saturated_memory_hides_the_arithmetic_of_all) {
  constexpr std::uint64_t leaf_bytes = 1 << 14;
  machine_numbers numbers = model.numbers();
  numbers.hidden_share = 0;
  model_costs c(model, numbers, where);
  tick now = 0;
  tick last = 0;
  for (std::uint32_t i = 0; i < 1024; ++i) {  // four at a time: 4 * 2048 ns at 8 bytes/ns each, memory delivers 16
    worker_id const w{i % 4};
    if (i % 4 == 0) now = last;
    last = std::max(last, now + c.run(now, w, tree, leaf(range(i * leaf_bytes, leaf_bytes), 4 * 1000)));
  }
  EXPECT_NEAR(static_cast<double>(last) / 1e3, 1024.0 * leaf_bytes / 16, 1);
}

TEST_F(model_costs_of_the_round_machine, a_stream_larger_than_all_caches_takes_bytes_over_bandwidth) {
  model_costs c = make();
  constexpr double bytes = 1 << 26;
  tree_node_id const id = leaf(range(0, 1 << 26));
  for (int pass = 0; pass < 3; ++pass) {
    tick const took = c.run(static_cast<tick>(pass) * 1'000'000'000'000, w0, tree, id);
    EXPECT_NEAR(static_cast<double>(took), bytes / 8 * 1e3 + 10e3, 1);  // and a tenth of one latency
  }
  EXPECT_EQ(c.account(w0).local_bytes, 3ULL << 26);
  EXPECT_EQ(c.account(w0).waited, 0U);
}

TEST_F(model_costs_of_the_round_machine, what_is_written_is_read_and_goes_back) {
  model_costs c = make();
  tree_node_id const id = leaf(range(0, 1 << 26, true));
  static_cast<void>(c.run(0, w0, tree, id));
  tick const took = c.run(1'000'000'000'000, w0, tree, id);
  EXPECT_NEAR(static_cast<double>(took), (1 << 26) / 8.0 * 1e3, 0.01 * static_cast<double>(took));
  EXPECT_EQ(c.account(w0).written_back_bytes, (2ULL << 26) - (65536 + 262144));
}

TEST_F(model_costs_of_the_round_machine, what_fits_the_private_cache_is_free_of_memory_after_the_first_pass) {
  model_costs c = make();
  tree_node_id const id = leaf(range(0, 32768));
  tick const first = c.run(0, w0, tree, id);
  tick const second = c.run(first, w0, tree, id);
  EXPECT_EQ(first, 4'106'000U);  // 32768 / 8 ns and 100 ns / 10
  EXPECT_EQ(second, 512'100U);   // 32768 / 64 ns and 1 ns / 10
  EXPECT_EQ(c.account(w0).local_bytes, 32768U);
  EXPECT_EQ(c.account(w0).private_bytes, 32768U);
}

/// Workers stream through `bytes` each, leaf by leaf, in the order of time. Returns when the last one ends.
tick stream_together(model_costs& c, task_tree& tree, std::vector<worker_id> const& who, std::uint64_t bytes,
                     std::uint64_t leaf_bytes) {
  using entry = std::pair<tick, std::uint32_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
  std::vector<std::uint64_t> done(who.size(), 0);
  for (std::uint32_t i = 0; i < who.size(); ++i) next.push({0, i});
  tick last = 0;
  while (!next.empty()) {
    auto const [now, i] = next.top();
    next.pop();
    last = std::max(last, now);
    if (done[i] == bytes) continue;
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree.add_touch(id, {.address = somewhere + i * (bytes + 4096) + done[i], .bytes = leaf_bytes});
    done[i] += leaf_bytes;
    next.push({now + c.run(now, who[i], tree, id), i});
  }
  return last;
}

TEST_F(model_costs_of_the_round_machine, cores_of_a_node_share_its_memory_and_cores_of_two_nodes_do_not) {
  constexpr std::uint64_t bytes = 1 << 24;
  constexpr std::uint64_t leaf_bytes = 1 << 14;
  auto const ns = [&](std::vector<worker_id> const& who) {
    model_costs c = make();
    return static_cast<double>(stream_together(c, tree, who, bytes, leaf_bytes)) / 1e3;
  };
  double const alone = static_cast<double>(bytes) / 8 + 1024 * 10;  // a leaf is a run
  EXPECT_NEAR(ns({w0}), alone, 1);
  EXPECT_NEAR(ns({w0, w4}), alone, 1);
  double const four = ns({w0, w1, w2, worker_id{3}});
  EXPECT_NEAR(four, 4.0 * static_cast<double>(bytes) / 16, 0.01 * four);
}

TEST_F(model_costs_of_the_round_machine, waiting_is_what_queues_add) {
  model_costs c = make();
  static_cast<void>(stream_together(c, tree, {w0, w1, w2, worker_id{3}}, 1 << 22, 1 << 14));
  memory_account const all = c.total();
  double const alone = static_cast<double>(4U << 22) / 8 * 1e3 + 1024 * 10e3;
  EXPECT_NEAR(static_cast<double>(all.ran - all.waited), alone, 1e-6 * alone);
  EXPECT_GT(all.waited, 0U);
}

TEST_F(model_costs_of_the_round_machine, remote_memory_costs_what_the_link_says) {
  tree_node_id const id = leaf(range(0, 1 << 20));
  model_costs local = make();
  model_costs remote = make({.pages = {.mode = page_placement::kind::bind, .node = 1}});
  EXPECT_EQ(local.run(0, w0, tree, id), (1U << 20) / 8 * 1000 + 10'000);
  EXPECT_EQ(remote.run(0, w0, tree, id), (1U << 20) / 2 * 1000 + 16'000);
  EXPECT_EQ(remote.account(w0).remote_bytes, 1U << 20);
  // Four cores want 8 bytes/ns over a link that carries 4.
  model_costs busy = make({.pages = {.mode = page_placement::kind::bind, .node = 1}});
  double const all =
      static_cast<double>(stream_together(busy, tree, {w0, w1, w2, worker_id{3}}, 1 << 22, 1 << 14)) / 1e3;
  EXPECT_NEAR(all, static_cast<double>(4U << 22) / 4, 0.01 * all);
}

TEST_F(model_costs_of_the_round_machine, interleaved_pages_use_the_bandwidth_of_all_nodes) {
  model_costs c = make({.pages = {.mode = page_placement::kind::interleave}});
  static_cast<void>(c.run(0, w0, tree, leaf(range(0, 1 << 20))));
  EXPECT_EQ(c.account(w0).local_bytes, 1U << 19);
  EXPECT_EQ(c.account(w0).remote_bytes, 1U << 19);
  EXPECT_EQ(c.pages(), (std::vector<std::uint64_t>{128, 128}));
}

TEST_F(model_costs_of_the_round_machine, a_write_by_another_core_invalidates_the_line_here) {
  model_costs c = make();
  tree_node_id const reads = leaf(range(0, 1024));
  tree_node_id const writes = leaf(range(0, 1024, true));
  static_cast<void>(c.run(0, w0, tree, reads));
  tick const hit = c.run(1'000'000, w0, tree, reads);
  static_cast<void>(c.run(2'000'000, w4, tree, writes));
  tick const miss = c.run(3'000'000, w0, tree, reads);
  EXPECT_EQ(hit, 16'100U);
  EXPECT_EQ(miss, 512'000U + 11'000U);  // 1024 / 2 ns over the link, (50 + 60) / 10 ns
  EXPECT_EQ(c.account(w0).transfer_bytes, 1024U);
}

TEST_F(model_costs_of_the_round_machine, a_port_bounds_what_a_place_draws) {
  std::string const text = round_machine_with("bytes_per_ns = 32\n", "bytes_per_ns = 32\nmemory_bytes_per_ns = 6\n");
  model = machine_model::parse(text, "port.toml");
  model_costs c = make();
  double const both = static_cast<double>(stream_together(c, tree, {w0, w1}, 1 << 22, 1 << 14)) / 1e3;
  EXPECT_NEAR(both, static_cast<double>(2U << 22) / 6, 0.01 * both);
  model_costs apart = make();
  double const two = static_cast<double>(stream_together(apart, tree, {w0, w2}, 1 << 22, 1 << 14)) / 1e3;
  EXPECT_NEAR(two, static_cast<double>(1U << 22) / 6, 0.01 * two);
}

TEST_F(model_costs_of_the_round_machine, operations_cost_more_the_farther_they_reach) {
  model_costs c = make();
  EXPECT_EQ(c.price(0, operation::fork, w0, w0), 1'000U);
  EXPECT_EQ(c.price(0, operation::pop, w0, w0), 3'000U);
  EXPECT_EQ(c.price(0, operation::wake_up, w0, w4), 80'000U);
  EXPECT_EQ(c.price(0, operation::steal, w0, w1), 100'000U);
  EXPECT_EQ(c.price(0, operation::steal, w0, w2), 100'000U + 2 * 40'000U);
  EXPECT_EQ(c.price(0, operation::steal, w0, w4), 100'000U + 2 * 100'000U);
  EXPECT_EQ(c.price(0, operation::miss, w4, w0), 20'000U + 100'000U);
  EXPECT_EQ(c.price(0, operation::send, w0, w2), 30'000U + 3 * 40'000U);
  EXPECT_EQ(c.spin(), 5'000'000U);
}

TEST_F(model_costs_of_the_round_machine, fences_cost_nothing_unless_the_model_has_their_prices) {
  for (operation const what :
       {operation::fence, operation::heavy_fence, operation::heavy_fence_each, operation::interrupt})
    EXPECT_EQ(make().price(0, what, w0, w0), 0U);
  machine_model const fenced = machine_model::parse(
      round_machine_with("steal_lines = 2",
                         "fence_ns = 4\nheavy_fence_ns = 500\nheavy_fence_each_ns = 6\ninterrupt_ns = 200\n"
                         "steal_lines = 2"),
      "fenced.toml");
  model_costs c(fenced, fenced.numbers(), where);
  EXPECT_EQ(c.price(0, operation::fence, w0, w0), 4'000U);
  EXPECT_EQ(c.price(0, operation::heavy_fence, w0, w0), 500'000U);
  EXPECT_EQ(c.price(0, operation::heavy_fence_each, w4, w4), 6'000U);
  EXPECT_EQ(c.price(0, operation::interrupt, w4, w4), 200'000U);
}

/// Four nodes of one place in a ring: workers 2 n and 2 n + 1 belong to node n.
class model_costs_of_a_ring : public model_costs_of_the_round_machine {
 protected:
  void SetUp() override { set("\"ring\""); }
  void set(char const* between) {
    model = machine_model::parse(ring_machine_with(between), "ring.toml");
    where = model.layout_of({});
  }
  model_costs on(std::uint32_t node) { return make({.pages = {.mode = page_placement::kind::bind, .node = node}}); }
  static std::uint64_t carried(model_costs const& c, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t l = 0; l < c.node_routes().links().size(); ++l) {
      if (c.node_routes().links()[l] == routes::link{from, to}) return c.carried(l);
    }
    ADD_FAILURE() << "no link from " << from << " to " << to;
    return 0;
  }
};

TEST_F(model_costs_of_a_ring, remote_data_loads_every_link_on_its_route_and_no_other) {
  model_costs c = on(2);
  static_cast<void>(c.run(0, w0, tree, leaf(range(0, 1 << 20))));
  EXPECT_EQ(carried(c, 2, 3), 1U << 20);  // routes.md: from 2 to 0 through 3
  EXPECT_EQ(carried(c, 3, 0), 1U << 20);
  std::uint64_t all = 0;
  for (std::uint32_t l = 0; l < 8; ++l) all += c.carried(l);
  EXPECT_EQ(all, 2U << 20);
}

TEST_F(model_costs_of_a_ring, a_core_alone_reads_at_the_figures_of_the_distance) {
  tree_node_id const id = leaf(range(0, 1 << 20));
  EXPECT_EQ(on(1).run(0, w0, tree, id), (1U << 20) / 2 * 1000 + 16'000);
  EXPECT_EQ(on(2).run(0, w0, tree, id), (1U << 20) / 1 * 1000 + 19'000);
  EXPECT_EQ(on(3).run(0, w0, tree, id), (1U << 20) / 2 * 1000 + 16'000);
}

/// Twice as much as the route can carry: both wait for the link that the route shares with a neighbour's traffic.
TEST_F(model_costs_of_a_ring, crossing_traffic_and_a_neighbours_traffic_share_a_link) {
  std::string text = ring_machine_with("\"ring\"");
  text.replace(text.find("core_bytes_per_ns = [2, 1]"), 26, "core_bytes_per_ns = [8, 8]");
  model = machine_model::parse(text, "wide.toml");
  where = model.layout_of({});
  constexpr std::uint64_t bytes = 1 << 20;
  auto const ns = [&](std::uint32_t home_of_near, std::uint32_t home_of_far) {
    model_costs c = make();
    c.bind_pages(reinterpret_cast<void const*>(somewhere), bytes, home_of_near);
    c.bind_pages(reinterpret_cast<void const*>(somewhere + (1 << 24)), bytes, home_of_far);
    tick const near = c.run(0, w0, tree, leaf(range(0, bytes)));
    tick const far = c.run(0, w1, tree, leaf(range(1 << 24, bytes)));
    return static_cast<double>(std::max(near, far)) / 1e3;
  };
  EXPECT_NEAR(ns(3, 1), static_cast<double>(bytes) / 4, 1);      // two links
  EXPECT_NEAR(ns(3, 2), static_cast<double>(2 * bytes) / 4, 1);  // 2 -> 3 -> 0 and 3 -> 0
  EXPECT_NEAR(ns(1, 2), static_cast<double>(bytes) / 4, 1);      // 1 -> 0 and 2 -> 3 -> 0
}

TEST_F(model_costs_of_a_ring, a_link_is_never_reserved_for_later) {
  model_costs c = on(2);
  constexpr std::uint64_t bytes = 1 << 20;
  static_cast<void>(c.run(0, w0, tree, leaf(range(0, bytes))));  // 2 -> 3 -> 0, busy for bytes / 4 ns
  tick const later = bytes / 4 * 1000;
  EXPECT_EQ(c.run(later, w1, tree, leaf(range(1 << 24, bytes))), bytes * 1000 + 19'000);
  EXPECT_EQ(c.account(w1).waited, 0U);
}

/// Over all links: bytes = sum over what moved between nodes of bytes x hops, for any touches by any worker.
TEST_F(model_costs_of_a_ring, links_carry_every_byte_once_per_hop) {
  for (char const* between : {"\"ring\"", "[[3, 2], [1, 0], [1, 2], [3, 0]]"}) {
    set(between);
    model_costs c = make({.pages = {.mode = page_placement::kind::interleave}});
    runtime::dice roll(17);
    std::uint64_t expected = 0;
    for (int i = 0; i < 3000; ++i) {
      tree_node_id const id = leaf({.address = somewhere + roll.below(1 << 20),
                                    .bytes = 1 + roll.below(9000),
                                    .rows = 1 + roll.below(3),
                                    .stride = 10'000,
                                    .written = roll.below(2) == 0});
      std::uint32_t const worker = roll.below(8);
      static_cast<void>(c.run(static_cast<tick>(i) * 100'000, worker_id{worker}, tree, id));
      traffic const& moved = c.memory().moved();
      for (std::uint32_t n = 0; n < 4; ++n)
        expected += (moved.memory[n].lines + moved.transfers[n].lines + moved.write_back[n]) * 64 *
                    c.node_routes().hops(worker / 2, n);
    }
    std::uint64_t all = 0;
    for (std::uint32_t l = 0; l < 8; ++l) all += c.carried(l);
    EXPECT_EQ(all, expected);
    EXPECT_GT(all, 0U);
  }
}

TEST_F(model_costs_of_the_round_machine, the_layout_must_be_of_this_machine) {
  layout const elsewhere = layout::flat(4);
  EXPECT_THROW(model_costs(model, model.numbers(), elsewhere), usage_error);
}

TEST_F(model_costs_of_the_round_machine, noise_takes_its_share_and_is_off_by_default) {
  model_costs quiet = make();
  model_costs noisy = make({.noise = {.per_second = 1e5, .duration_ns = 1000}, .seed = 7});
  tree_node_id const id = bare(4e8, 0);  // 0.1 s
  EXPECT_EQ(quiet.run(0, w0, tree, id), 100'000'000'000U);
  tick const took = noisy.run(0, w0, tree, id);
  EXPECT_NEAR(static_cast<double>(took), 1e11 / 0.9, 1e9);  // a tenth of all time is lost
  EXPECT_EQ(noisy.account(w0).noise, took - 100'000'000'000U);
  EXPECT_GT(noisy.run(0, w1, tree, id), 100'000'000'000U);
}

/// Random leaves on random workers: compares every tick.
std::vector<tick> run(model_costs& c, std::uint64_t seed) {
  runtime::dice roll(seed);
  task_tree tree;
  std::vector<tick> all;
  tick now = 0;
  for (int i = 0; i < 2000; ++i) {
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree[id].flops = roll.below(10'000);
    tree.add_touch(id, {.address = somewhere + roll.below(1 << 20),
                        .bytes = 1 + roll.below(9000),
                        .rows = 1 + roll.below(3),
                        .stride = 10'000,
                        .written = roll.below(2) == 0});
    all.push_back(c.run(now, worker_id{roll.below(8)}, tree, id));
    now += roll.below(2'000'000);
  }
  return all;
}

TEST_F(model_costs_of_the_round_machine, equal_runs_take_equal_times) {
  cost_options const how{.pages = {.mode = page_placement::kind::interleave},
                         .noise = {.per_second = 1000, .duration_ns = 500}};
  model_costs a = make(how);
  model_costs b = make(how);
  EXPECT_EQ(run(a, 3), run(b, 3));
  EXPECT_EQ(a.total(), b.total());
  EXPECT_EQ(a.memory().broken_invariant(), "");
}

}}}}  // namespace skua::v0::sim
