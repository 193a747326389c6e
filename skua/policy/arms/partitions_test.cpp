// SPDX-License-Identifier: MIT
#include "skua/policy/arms/partitions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms { namespace {

using list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // leader, width

list inclusive(partitions const& all, std::uint32_t w) {
  list found;
  for (partition_id const p : all.inclusive(worker_id{w})) found.emplace_back(index(all[p].leader), all[p].width);
  return found;
}
std::vector<std::uint32_t> widths(partitions const& all) { return {all.widths().begin(), all.widths().end()}; }

std::string const table_2 = "0,2,4,8,1,3,5,7\n1,2,4\n1\n1,2\n1\n1,2,4\n1\n1,2\n1\n";

TEST(partitions, the_file_of_table_2_gives_the_inclusive_partitions_of_table_3) {
  partitions const all = partitions::read("layout", table_2);
  EXPECT_EQ(all.workers(), 8U);
  EXPECT_EQ(inclusive(all, 0), (list{{0, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 1), (list{{1, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 2), (list{{2, 1}, {2, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 3), (list{{3, 1}, {2, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 7), (list{{7, 1}, {6, 2}, {4, 4}}));
  EXPECT_EQ(all.all().size(), 8U + 4 + 2);
  EXPECT_EQ(std::vector(all.affinity().begin(), all.affinity().end()),
            (std::vector<std::uint32_t>{0, 2, 4, 8, 1, 3, 5, 7}));
  EXPECT_EQ(all.text(), table_2);
}

TEST(partitions, the_machine_of_figure_4_has_the_partitions_of_table_3_without_a_file) {
  partitions const all(layout(topology::synthetic("package:2 numa:1 core:4 pu:1")));
  EXPECT_EQ(inclusive(all, 0), (list{{0, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 1), (list{{1, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 2), (list{{2, 1}, {2, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 3), (list{{3, 1}, {2, 2}, {0, 4}}));
  EXPECT_EQ(inclusive(all, 4), (list{{4, 1}, {4, 2}, {4, 4}}));
}

TEST(partitions, whatever_shares_a_cache_a_node_or_a_package_is_a_partition) {
  partitions const all(layout(topology::synthetic("package:2 numa:2 l3:1 l2:3 core:1 pu:2")));
  EXPECT_EQ(widths(all), (std::vector<std::uint32_t>{1, 2, 6, 12}));
  EXPECT_EQ(inclusive(all, 13), (list{{13, 1}, {12, 2}, {12, 6}, {12, 12}}));
  partitions const skylake(layout(topology::synthetic("package:2 numa:1 l3:1 l2:16 core:1 pu:1")));
  EXPECT_EQ(widths(skylake), (std::vector<std::uint32_t>{1, 2, 4, 8, 16})) << "blocks between core and package";
}

TEST(partitions, no_partition_leaves_a_package_unless_that_is_asked_for) {
  layout const two(topology::synthetic("package:2 numa:1 core:4 pu:1"));
  partitions const inside(two);
  for (partition const& p : inside.all())
    EXPECT_EQ(two.package_of(p.leader), two.package_of(worker_id{index(p.leader) + p.width - 1}));
  EXPECT_EQ(widths(partitions(two, {.across_packages = true})), (std::vector<std::uint32_t>{1, 2, 4, 8}));
  EXPECT_EQ(widths(partitions(two, {.width = 2})), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(widths(partitions(two, {.width = 1})), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(widths(partitions(two, {.width = 0})), (std::vector<std::uint32_t>{1})) << "a worker is a partition";
}

TEST(partitions, flat_workers_are_divided_into_blocks_of_every_size_that_is_worth_a_try) {
  auto const of = [](std::uint32_t n) { return widths(partitions(layout::flat(n))); };
  EXPECT_EQ(of(1), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(of(2), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(of(7), (std::vector<std::uint32_t>{1, 7}));
  EXPECT_EQ(of(6), (std::vector<std::uint32_t>{1, 2, 3, 6}));
  EXPECT_EQ(of(9), (std::vector<std::uint32_t>{1, 3, 9}));
  EXPECT_EQ(of(12), (std::vector<std::uint32_t>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(of(16), (std::vector<std::uint32_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(of(24), (std::vector<std::uint32_t>{1, 2, 3, 4, 6, 8, 12, 24}));
  EXPECT_EQ(of(60), (std::vector<std::uint32_t>{1, 2, 3, 4, 6, 10, 15, 20, 30, 60})) << "not 5 and 12";
}

TEST(partitions, blocks_consist_of_whole_parts_and_stay_in_what_they_share) {
  partitions const opteron(layout(topology::synthetic("package:1 numa:2 l3:1 core:6 pu:1")));
  EXPECT_EQ(widths(opteron), (std::vector<std::uint32_t>{1, 2, 3, 6, 12}));
  EXPECT_EQ(inclusive(opteron, 10), (list{{10, 1}, {10, 2}, {9, 3}, {6, 6}, {0, 12}}));
  EXPECT_EQ(widths(partitions(layout(topology::synthetic("package:1 numa:1 l3:6 core:4 pu:2")))),
            (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 24, 48}))
      << "a core is not divided among blocks, nor is a cache";
}

TEST(partitions, are_bounded_in_number) {
  for (std::uint32_t const n : {720U, 5040U, 10'080U}) {
    partitions const all(layout::flat(n));
    for (std::uint32_t w = 0; w < n; w += 719)
      EXPECT_LT(static_cast<double>(all.inclusive(worker_id{w}).size()), 2 + std::log(n) / std::log(4.0 / 3));
  }
}

TEST(partitions, every_worker_is_in_its_own_and_those_around_it_by_width_then_leader) {
  for (char const* machine : {"package:2 numa:2 l3:2 core:3 pu:2", "core:13 pu:1", "package:4 numa:1 core:16 pu:1"}) {
    partitions const all(layout(topology::synthetic(machine)));
    for (std::uint32_t w = 0; w < all.workers(); ++w) {
      auto const mine = inclusive(all, w);
      EXPECT_EQ(mine.front(), std::pair(w, 1U));
      for (std::size_t i = 1; i < mine.size(); ++i)
        EXPECT_LT(std::pair(mine[i - 1].second, mine[i - 1].first), std::pair(mine[i].second, mine[i].first));
      std::size_t members = 0;
      for (partition const& p : all.all()) members += p.has(worker_id{w}) ? 1 : 0;
      EXPECT_EQ(mine.size(), members);
      for (partition_id const p : all.inclusive(worker_id{w})) {
        EXPECT_TRUE(all[p].has(worker_id{w}));
        EXPECT_EQ(all.widths()[all.width_class(p)], all[p].width);
      }
    }
  }
}

TEST(partitions, the_neighbours_of_a_worker_are_all_with_whom_it_shares_a_partition) {
  partitions const all = partitions::read("layout", "0,1,2,3,4\n1,2\n1,3\n1\n1\n1\n");
  EXPECT_EQ(all.neighbours(worker_id{0}), (partitions::range{worker_id{0}, 2}));
  EXPECT_EQ(all.neighbours(worker_id{1}), (partitions::range{worker_id{0}, 4}));
  EXPECT_EQ(all.neighbours(worker_id{3}), (partitions::range{worker_id{1}, 3}));
  EXPECT_EQ(all.neighbours(worker_id{4}), (partitions::range{worker_id{4}, 1}));
}

TEST(partitions, text_and_partitions_are_two_forms_of_one_thing) {
  for (char const* machine : {"package:2 numa:2 l3:2 core:3 pu:2", "core:13 pu:1", "package:4 numa:1 core:16 pu:1"}) {
    partitions const all(layout(topology::synthetic(machine)));
    EXPECT_EQ(partitions::read("again", all.text()), all) << machine;
  }
  partitions const flat(layout::flat(6));
  EXPECT_EQ(partitions::read("again", flat.text()), flat);
}

TEST(partitions, blanks_carriage_returns_any_order_of_widths_and_blank_lines_at_the_end_are_read) {
  EXPECT_EQ(partitions::read("a", " 7 , 3\r\n2, 1\r\n 1\r\n\r\n  \n").text(), "7,3\n1,2\n1\n");
  EXPECT_EQ(partitions::read("a", "5\n1").text(), "5\n1\n") << "the last line may lack its end";
  EXPECT_EQ(partitions::read("a", "5,5\n1\n1").text(), "5,5\n1\n1\n") << "two workers may share a processor";
}

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(partitions::read("FILE", text));
  } catch (usage_error const& e) {
    return e.what();
  }
  return "accepted";
}

TEST(partitions, every_mistake_in_a_text_is_named_with_its_line) {
  EXPECT_EQ(refusal(""), "FILE: line 1 has '' as a processor; allowed: a whole number from 0 to 4294967294");
  EXPECT_EQ(refusal("0,x\n1\n1\n"),
            "FILE: line 1 has 'x' as a processor; allowed: a whole number from 0 to 4294967294");
  EXPECT_EQ(refusal("0,\x1b[2J\n1\n1\n"),
            "FILE: line 1 has '\\x1b[2J' as a processor; allowed: a whole number from 0 to 4294967294");
  EXPECT_EQ(refusal("0,1,\n1\n1\n"),
            "FILE: line 1 has '' as a processor; allowed: a whole number from 0 to 4294967294");
  EXPECT_EQ(refusal("0,-1\n1\n1\n"),
            "FILE: line 1 has '-1' as a processor; allowed: a whole number from 0 to 4294967294");
  EXPECT_EQ(refusal("0,1\n0,1\n1\n"), "FILE: line 2 has '0' as a width; allowed: a whole number from 1 to 2");
  EXPECT_EQ(refusal("0,1\n1,2.5\n1\n"), "FILE: line 2 has '2.5' as a width; allowed: a whole number from 1 to 2");
  EXPECT_EQ(refusal("0,1\n1,3\n1\n"), "FILE: line 2 has '3' as a width; allowed: a whole number from 1 to 2");
  EXPECT_EQ(refusal("0,1\n1,2\n1,2\n"), "FILE: line 3 has '2' as a width; allowed: a whole number from 1 to 1");
  EXPECT_EQ(refusal("0,1\n1,2,2\n1\n"),
            "FILE: line 2 has the width 2 twice; allowed: the widths of worker 0, each once");
  EXPECT_EQ(refusal("0,1\n2\n1\n"), "FILE: line 2 has no width 1; allowed: the widths of worker 0, 1 among them");
  EXPECT_EQ(refusal("0,1\n1,2\n"), "FILE: line 3 is missing; allowed: a line for each of the 2 workers of line 1");
  EXPECT_EQ(refusal("0,1\n1,2"), "FILE: line 3 is missing; allowed: a line for each of the 2 workers of line 1");
  EXPECT_EQ(refusal("0,1\n\n1\n"), "FILE: line 2 is missing; allowed: a line for each of the 2 workers of line 1");
  EXPECT_EQ(refusal("0,1\n1\n1\n1\n"), "FILE: line 4 follows the last worker; allowed: 3 lines for 2 workers");
  EXPECT_EQ(refusal("0,1\n1\n1\n\n1\n"), "FILE: line 5 follows the last worker; allowed: 3 lines for 2 workers");
  EXPECT_EQ(refusal("99999999999\n1\n"),
            "FILE: line 1 has '99999999999' as a processor; allowed: a whole number from 0 to 4294967294");
  EXPECT_LT(refusal(std::string(100'000, '9')).size(), 200U);
}

TEST(partitions, texts_with_too_many_workers_or_members_are_refused_before_memory_runs_out) {
  std::string many = "0";
  for (int i = 0; i < 65'536; ++i) many += ",0";
  EXPECT_EQ(refusal(many), "FILE: line 1 names 65537 processors; allowed: at most 65536");
  std::string dense = "0";
  for (int i = 1; i < 1000; ++i) dense += ",0";
  dense += '\n';
  for (int leader = 0; leader < 1000; ++leader) {
    for (int w = 1; w <= 1000 - leader; ++w) dense += (w == 1 ? "" : ",") + std::to_string(w);
    dense += '\n';
  }
  EXPECT_NE(refusal(dense).find("allowed: at most 16777216"), std::string::npos) << refusal(dense);
}

}}}}}  // namespace skua::v0::policies::arms
