// SPDX-License-Identifier: MIT
// A machine with several NUMA nodes, from the topology to the page: nodes and distances are those of the firmware,
// workers stay on their nodes, and arrays lie where their owners run, with and without mbind(2). Every test is skipped
// on a machine with one node; tools/numa_bed.py boots one with four and lets no test be skipped.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/memory/fake_kernel_test.hpp"
#include "skua/parts/memory/touch.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using runtime::testing::nodes_with_memory;

/// The real kernel as seen in a container: everything works but bind.
class forbidding_kernel final : public runtime::page_kernel {
 public:
  int bind(std::span<std::byte>, runtime::page_rule, runtime::numa_set const&) const noexcept override { return EPERM; }
  int locate(std::span<void* const> pages, std::span<int> found) const noexcept override {
    return runtime::running_kernel().locate(pages, found);
  }
  int find(std::span<std::byte> pages) const noexcept override { return runtime::running_kernel().find(pages); }
  int advise(std::span<std::byte> pages, runtime::page_advice advice) const noexcept override {
    return runtime::running_kernel().advise(pages, advice);
  }
};

memory::numa_id node_of_this_thread() {
  unsigned cpu = 0;
  unsigned node = 0;
  return syscall(SYS_getcpu, &cpu, &node, nullptr) == 0 ? memory::numa_id{node} : runtime::no_numa_node;
}

std::vector<std::uint64_t> numbers_of(std::string const& text) {
  std::istringstream words(text);
  std::vector<std::uint64_t> all;
  for (std::uint64_t n = 0; words >> n;) all.push_back(n);
  return all;
}

/// A row of the SLIT, as the kernel has read it.
std::vector<std::uint64_t> distances_from(memory::numa_id node) {
  std::string row;
  std::getline(std::ifstream("/sys/devices/system/node/node" + std::to_string(index(node)) + "/distance"), row);
  return numbers_of(row);
}

class numa : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nodes_.size() < 2) GTEST_SKIP() << "this machine has one NUMA node; make numa emulates four";
    if (memory::locate_pages(std::as_bytes(std::span{nodes_})).refusal) GTEST_SKIP() << "move_pages(2) is refused";
  }

  [[nodiscard]] static double at_home(memory::page_block const& block, std::span<memory::page_run const> runs,
                                      layout const& map) {
    return memory::part_at_home(memory::locate_pages(block.bytes()).pages, runs, memory::homes_of(map));
  }
  template <class T>
  [[nodiscard]] static std::vector<memory::page_run> runs_of(page_array<T> const& array, layout const& map) {
    return pages_of(shares_of(array, map), sizeof(T), array.block().bytes().size(), array.block().page_bytes());
  }

  std::vector<memory::numa_id> const nodes_ = nodes_with_memory();
  topology const tree_ = topology::machine();
  layout const map_{tree_, {.places = "numa_domains"}};
};

TEST_F(numa, latencies_are_those_of_the_firmware) {
  ASSERT_EQ(tree_.count(runtime::level::numa_node), nodes_.size());
  ASSERT_TRUE(tree_.has_numa_latencies());
  std::vector<std::uint64_t> all;
  for (std::size_t from = 0; from < nodes_.size(); ++from) {
    std::vector<std::uint64_t> const row = distances_from(nodes_[from]);
    ASSERT_EQ(row.size(), nodes_.size());
    for (std::size_t to = 0; to < row.size(); ++to) {
      std::uint64_t const back = distances_from(nodes_[to])[from];
      EXPECT_EQ(tree_.numa_latency(index(nodes_[from]), index(nodes_[to])), std::max(row[to], back));
    }
    all.insert(all.end(), row.begin(), row.end());
  }
  // The test bed knows the firmware's distances; elsewhere trust the kernel.
  char const* const slit = std::getenv("SKUA_TEST_SLIT");
  if (slit != nullptr) {
    EXPECT_EQ(all, numbers_of(slit));
  }
}

TEST_F(numa, farther_nodes_are_farther_places) {
  ASSERT_EQ(map_.places(), nodes_.size());
  for (std::uint32_t a = 0; a < map_.places(); ++a) {
    for (std::uint32_t b = 0; b < map_.places(); ++b) {
      for (std::uint32_t c = 0; c < map_.places(); ++c) {
        auto const latency = [&](std::uint32_t p) {
          return tree_.numa_latency(map_.numa_of(place_id{a}), map_.numa_of(place_id{p}));
        };
        bool const nearer = map_.distance(place_id{a}, place_id{b}) < map_.distance(place_id{a}, place_id{c});
        EXPECT_TRUE(latency(b) >= latency(c) || nearer) << a << " " << b << " " << c;
      }
    }
  }
}

TEST_F(numa, workers_run_on_the_nodes_of_their_places) {
  pool pinned({.pin = true});
  layout const& map = pinned.layout();
  ASSERT_EQ(map.workers(), tree_.pus().size());
  std::vector<memory::numa_id> seen(map.workers(), runtime::no_numa_node);
  std::atomic<std::uint32_t> arrived{0};
  std::vector<int> const everybody(map.workers());
  pinned.run([&](auto& here) {
    here.join_each(everybody, [&](auto& h, int) {
      // Nobody leaves before all have arrived, so that every worker runs exactly one of these.
      seen[index(h.worker())] = node_of_this_thread();
      arrived.fetch_add(1);
      testing::wait_until("every worker takes one task", [&] { return arrived.load() == everybody.size(); });
    });
  });
  for (std::uint32_t w = 0; w < map.workers(); ++w) {
    EXPECT_EQ(index(seen[w]), map.numa_of(worker_id{w})) << "worker " << w;
    EXPECT_EQ(map.numa_of(worker_id{w}), map.numa_of(map.place_of(worker_id{w}))) << "a place is on one node";
  }
}

TEST_F(numa, shares_lie_with_their_owners) {
  page_array<double> const array(nodes_.size() * 20'000 + 17);
  distribution const how = distribute(array, shares_of(array, map_), map_);
  ASSERT_EQ(how.how, memory::distribution_method::bound) << how.why;
  ASSERT_FALSE(runtime::touch_pages(array.block().bytes()));  // by this thread, wherever it is
  EXPECT_EQ(at_home(array.block(), runs_of(array, map_), map_), 1.0);
  memory::page_census const found = memory::count_pages(memory::locate_pages(array.block().bytes()).pages);
  EXPECT_EQ(found.nodes.size(), nodes_.size()) << to_text(found);
}

// Small arrays too: under "transparent_hugepage=always" one thread's touch would bring in 2 MiB for all of them.
TEST_F(numa, shares_lie_with_their_owners_also_where_binding_is_forbidden) {
  for (std::size_t const elements_per_node : {std::size_t{4'096}, std::size_t{300'000}}) {
    page_array<double> const array(nodes_.size() * elements_per_node + 5);
    distribution const how = distribute(array, shares_of(array, map_), map_, forbidding_kernel{});
    ASSERT_EQ(how.how, memory::distribution_method::first_touch) << how.why;
    memory::page_census const found = memory::count_pages(memory::locate_pages(array.block().bytes()).pages);
    EXPECT_EQ(found.untouched + found.unmapped + found.unknown, 0U) << to_text(found);
    EXPECT_EQ(at_home(array.block(), runs_of(array, map_), map_), 1.0) << to_text(found);
  }
}

TEST_F(numa, huge_pages_lie_with_their_owners) {
  forbidding_kernel const forbidding;
  for (runtime::page_kernel const* const kernel :
       {&runtime::running_kernel(), static_cast<runtime::page_kernel const*>(&forbidding)}) {
    page_array<char> const array(nodes_.size() * 2 * runtime::huge_page_bytes(), page_size::huge);
    ASSERT_EQ(array.block().page_bytes(), runtime::huge_page_bytes());
    distribution const how = distribute(array, shares_of(array, map_), map_, *kernel);
    ASSERT_FALSE(runtime::touch_pages(array.block().bytes()));
    EXPECT_EQ(at_home(array.block(), runs_of(array, map_), map_), 1.0) << how.why;
  }
}

TEST_F(numa, blocks_are_dealt_to_the_nodes_in_turn) {
  forbidding_kernel const forbidding;
  for (runtime::page_kernel const* const kernel :
       {&runtime::running_kernel(), static_cast<runtime::page_kernel const*>(&forbidding)}) {
    page_array<char> const array(101 * runtime::small_page_bytes());
    std::size_t const block_bytes = 3 * runtime::small_page_bytes();
    distribution const how = distribute_cyclic(array, block_bytes, map_, *kernel);
    ASSERT_FALSE(runtime::touch_pages(array.block().bytes()));
    std::vector<memory::page_home> const found = memory::locate_pages(array.block().bytes()).pages;
    for (std::size_t page = 0; page < found.size(); ++page) {
      EXPECT_EQ(found[page].node, memory::homes_of(map_)[page / 3 % map_.places()])
          << "page " << page << ", " << how.why;
    }
  }
}

TEST_F(numa, interleaved_pages_are_dealt_evenly) {
  forbidding_kernel const forbidding;
  for (runtime::page_kernel const* const kernel :
       {&runtime::running_kernel(), static_cast<runtime::page_kernel const*>(&forbidding)}) {
    memory::page_block const block(nodes_.size() * 50 * runtime::small_page_bytes());
    distribution const how = distribute_interleaved(block, map_, *kernel);
    ASSERT_FALSE(runtime::touch_pages(block.bytes()));
    memory::page_census const found = memory::count_pages(memory::locate_pages(block.bytes()).pages);
    ASSERT_EQ(found.nodes.size(), nodes_.size()) << to_text(found);
    for (auto const& [node, pages] : found.nodes) EXPECT_EQ(pages, 50U) << to_text(found) << ", " << how.why;
  }
}

TEST_F(numa, a_page_lies_where_the_task_ran_that_touched_it_first) {
  pool pinned({.policy = "random", .pin = true});
  page_array<char> const array(256 * runtime::small_page_bytes());
  std::vector<memory::page_run> const runs =
      runtime::cyclic_blocks(array.block().bytes().size(), 1, runtime::small_page_bytes(), pinned.layout().places());
  std::vector<memory::numa_id> toucher(runs.size(), runtime::no_numa_node);
  pinned.run([&](auto& here) {
    here.join_each(runs, [&](auto& h, memory::page_run const& run) {
      toucher[static_cast<std::size_t>(&run - runs.data())] = memory::numa_id{pinned.layout().numa_of(h.worker())};
      serial alone;
      first_touch(alone, array.block(), std::span{&run, 1});
    });
  });
  std::vector<memory::page_home> const found = memory::locate_pages(array.block().bytes()).pages;
  for (std::size_t page = 0; page < found.size(); ++page) EXPECT_EQ(found[page].node, toucher[page]) << "page " << page;
}

}}}  // namespace skua::v0
