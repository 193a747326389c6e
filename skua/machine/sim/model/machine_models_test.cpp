// SPDX-License-Identifier: MIT
// Machine model files: what the reader accepts, what it refuses and at which line; and the shipped models load.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_rules.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

std::string refusal(std::string const& text) {
  try {
    static_cast<void>(machine_model::parse(text, "my.toml"));
  } catch (usage_error const& fault) {
    return fault.what();
  }
  return "";
}

/// The number of the line that contains `what`, from 1.
std::string line_of(std::string const& text, std::string_view what) {
  std::size_t const at = text.find(what);
  if (at == std::string::npos) return "no line";
  return std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

TEST(machine_model, says_what_the_file_says) {
  machine_model const m = round_model();
  EXPECT_EQ(m.name(), "round");
  EXPECT_EQ(m.about(), "for tests");
  EXPECT_EQ(m.nodes(), 2U);
  EXPECT_EQ(m.distances(), 1U);
  EXPECT_EQ(m.distance(0, 0), 0U);
  EXPECT_EQ(m.distance(0, 1), 1U);
  EXPECT_EQ(m.tree().count(runtime::level::core), 8U);
  EXPECT_EQ(m.tree().numa_latency(0, 1), 20U);
  machine_numbers const n = m.numbers();
  EXPECT_EQ(n.clock_ghz, 2);
  EXPECT_EQ(n.private_bytes, 65536);
  EXPECT_EQ(n.shared_filling, filling::victim);
  EXPECT_EQ(n.link_latency_ns, std::vector<double>{60});
  EXPECT_EQ(n.memory_write_back_bytes_per_ns, 0);
  EXPECT_EQ(n.spin_ns, 5000);
  EXPECT_EQ(n.block_bytes, 1024U);
}

TEST(machine_model, arithmetic_hides_misses_wholly_unless_the_file_says_otherwise) {
  EXPECT_EQ(round_model().numbers().hidden_share, 1);
  auto const message = [](std::string const& figure) {
    return machine_model::parse(round_machine_with("flops_per_ns = 4", "flops_per_ns = 4\nhidden_share = " + figure),
                                "o");
  };
  EXPECT_EQ(message("0").numbers().hidden_share, 0);
  machine_model const m = message("{ value = 0.5, assumed = true, low = 0, high = 1 }");
  EXPECT_EQ(m.numbers(bound::low).hidden_share, 0);
  EXPECT_EQ(m.numbers().hidden_share, 0.5);
  EXPECT_EQ(m.numbers(bound::high).hidden_share, 1);
}

constexpr std::string_view first_level = "[first_level_cache]\nbytes = 16384\nbytes_per_ns = 128\nlatency_ns = 0.5\n\n";

TEST(machine_model, has_a_first_level_cache_if_the_file_has_one) {
  machine_model const none = round_model();
  EXPECT_EQ(none.numbers().first_level_bytes, 0);
  EXPECT_THROW(static_cast<void>(none.numbers_with("first_level_cache.bytes", 16384)), usage_error);
  machine_model const m =
      machine_model::parse(round_machine_with("[private_cache]", std::string{first_level} + "[private_cache]"), "o");
  EXPECT_EQ(m.numbers().first_level_bytes, 16384);
  EXPECT_EQ(m.numbers().first_level_bytes_per_ns, 128);
  EXPECT_EQ(m.numbers().first_level_latency_ns, 0.5);
  EXPECT_EQ(m.numbers_with("first_level_cache.bytes", 32768).first_level_bytes, 32768);
  EXPECT_THROW(static_cast<void>(m.numbers_with("first_level_cache.bytes", 65537)), usage_error);
  EXPECT_THROW(static_cast<void>(m.numbers_with("private_cache.bytes", 16383)), usage_error);
}

TEST(machine_model, a_first_level_cache_that_cannot_be_is_refused_at_its_line) {
  auto const refused = [](std::string_view from, std::string_view to, std::string_view line, std::string_view why) {
    std::string text = round_machine_with("[private_cache]", std::string{first_level} + "[private_cache]");
    text.replace(text.find(from), from.size(), to);
    std::string const message = refusal(text);
    EXPECT_TRUE(message.starts_with("my.toml:" + line_of(text, line) + ": ")) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  refused("bytes = 16384", "bytes = 4095", "bytes = 4095",
          "first_level_cache.bytes must be from 4 blocks (of 1024 bytes) to private_cache.bytes");
  refused("bytes = 16384", "bytes = 65537", "bytes = 65537", "to private_cache.bytes, both with their ranges");
  refused("bytes = 16384", "bytes = { value = 16384, low = 16384, high = 65537 }", "bytes = { value",
          "to private_cache.bytes");
  refused("bytes = 16384", "bytes = 0", "bytes = 0", "first_level_cache.bytes is 0; allowed: a positive number");
  refused("bytes = 16384", "bytes = nan", "bytes = nan", "first_level_cache.bytes is nan");
  refused("bytes_per_ns = 128", "bytes_per_ns = -1", "bytes_per_ns = -1", "first_level_cache.bytes_per_ns is -1");
  refused("latency_ns = 0.5", "ways = 8", "ways = 8", "there is no key ways in [first_level_cache]; allowed: bytes");
  for (char const* figure : {"bytes = 16384\n", "bytes_per_ns = 128\n", "latency_ns = 0.5\n"})
    refused(figure, "", "[first_level_cache]", "is missing in [first_level_cache]; allowed: a positive number");
}

TEST(machine_model, can_be_taken_at_the_ends_of_its_ranges) {
  machine_model const m = round_model();
  EXPECT_EQ(m.numbers().wake_up_ns, 80);
  EXPECT_EQ(m.numbers(bound::low).wake_up_ns, 8);
  EXPECT_EQ(m.numbers(bound::high).wake_up_ns, 800);
  EXPECT_EQ(m.numbers(bound::high).steal_ns, 100);
  EXPECT_EQ(m.numbers_with("prices.wake_up_ns", 800).wake_up_ns, 800);
  EXPECT_EQ(m.numbers_with("prices.steal_ns", 800).wake_up_ns, 80);
  EXPECT_EQ(m.numbers_with("link.latency_ns[0]", 70).link_latency_ns, std::vector<double>{70});
  EXPECT_EQ(m.numbers_with("core.hidden_share", 0.25).hidden_share, 0.25);
  EXPECT_THROW(static_cast<void>(m.numbers_with("prices.tea", 1)), usage_error);
  EXPECT_THROW(static_cast<void>(m.numbers_with("link.latency_ns[1]", 1)), usage_error);
  EXPECT_THROW(static_cast<void>(m.numbers_with("prices.steal_ns", -1)), usage_error);
  EXPECT_THROW(static_cast<void>(m.numbers_with("private_cache.bytes", 1)), usage_error);
  auto const at = std::ranges::find(m.figures(), std::string{"prices.wake_up_ns"}, &figure::key);
  ASSERT_NE(at, m.figures().end());
  EXPECT_TRUE(at->assumed);
  EXPECT_EQ(at->source, "nobody knows");
}

TEST(machine_model, four_nodes_in_a_ring_have_two_distances) {
  std::string text = round_machine_with("package:2 numa:1 l3:2", "package:4 numa:1 l3:1");
  auto const put = [&](std::string_view from, std::string_view to) { text.replace(text.find(from), from.size(), to); };
  put("[[10, 20], [20, 10]]", "[[10, 20, 30, 20], [20, 10, 20, 30], [30, 20, 10, 20], [20, 30, 20, 10]]");
  put("bytes_per_ns = [4]", "bytes_per_ns = [4, 3]");
  put("core_bytes_per_ns = [2]", "core_bytes_per_ns = [2, 1]");
  put("latency_ns = [60]", "latency_ns = [60, { value = 90, low = 80, high = 99 }]");
  machine_model const m = machine_model::parse(text, "ring.toml");
  EXPECT_EQ(m.distances(), 2U);
  EXPECT_EQ(m.distance(0, 1), 1U);
  EXPECT_EQ(m.distance(0, 2), 2U);
  EXPECT_EQ(m.distance(3, 1), 2U);
  EXPECT_EQ(m.numbers(bound::high).link_latency_ns, (std::vector<double>{60, 99}));
}

TEST(machine_model, links_are_between_all_nodes_or_where_the_file_says) {
  EXPECT_EQ(round_model().node_routes().links().size(), 2U);
  for (char const* between : {"\"ring\"", "[[0, 1], [1, 2], [2, 3], [3, 0]]", "[[3, 2], [1, 0], [1, 2], [3, 0]]"}) {
    machine_model const m = machine_model::parse(ring_machine_with(between), "ring.toml");
    EXPECT_EQ(m.node_routes().links().size(), 8U);
    EXPECT_EQ(m.node_routes().hops(0, 2), 2U);
    EXPECT_EQ(m.node_routes().hops(3, 0), 1U);
    EXPECT_EQ(m.numbers().link_bytes_per_ns, std::vector<double>{4});
    EXPECT_EQ(m.numbers().link_core_bytes_per_ns, (std::vector<double>{2, 1}));
  }
}

TEST(machine_model, links_that_do_not_fit_the_topology_are_refused_at_their_line) {
  auto const message = [](char const* between) {
    std::string const text = ring_machine_with(between);
    std::string const all = refusal(text);
    EXPECT_TRUE(all.starts_with("my.toml:" + line_of(text, "between = ") + ": ")) << all;
    EXPECT_EQ(all.find('\n'), std::string::npos);
    return all;
  };
  auto const holds = [](std::string const& all, char const* part) { return all.find(part) != std::string::npos; };
  EXPECT_TRUE(holds(message("\"star\""), "must be \"all\", \"ring\", or pairs of NUMA nodes"));
  EXPECT_TRUE(holds(message("3"), "must be \"all\""));
  EXPECT_TRUE(holds(message("[0, 1]"), "must be \"all\""));
  EXPECT_TRUE(holds(message("[[0, 1, 2]]"), "must be \"all\""));
  EXPECT_TRUE(holds(message("[[0, -1]]"), "must be \"all\""));
  EXPECT_TRUE(holds(message("[[0, 1.5]]"), "must be \"all\""));
  EXPECT_TRUE(holds(message("[[0, 4]]"), "no link [0, 4]; allowed: two of the NUMA nodes 0 to 3"));
  EXPECT_TRUE(holds(message("[[0, 1], [2, 3]]"), "no links lead from NUMA node 0 to 2"));
  EXPECT_TRUE(holds(message("[[0, 2], [2, 1], [1, 3], [3, 0]]"), "does not agree with topology.distances"));
  EXPECT_TRUE(
      holds(message("[[0, 1], [1, 2], [2, 3]]"),
            "nodes 0 and 1 are 1 hops apart, nodes 0 and 3 are 3 hops apart, and both are at the same distance"));
  EXPECT_TRUE(holds(message("[[0, 2], [1, 3], [0, 1], [2, 3]]"), "at the same distance"));
}

TEST(machine_model, farther_nodes_are_not_fewer_hops_apart) {
  std::string text = ring_machine_with("[[0, 2], [0, 1], [0, 3], [2, 1], [2, 3]]");
  std::string const near = "[[10, 20, 30, 20], [20, 10, 20, 30], [30, 20, 10, 20], [20, 30, 20, 10]]";
  text.replace(text.find(near), near.size(),
               "[[10, 20, 20, 20], [20, 10, 20, 15], [20, 20, 10, 20], [20, 15, 20, 10]]");
  EXPECT_NE(refusal(text).find("nodes 1 and 3 are 2 hops apart, nodes 0 and 1 are 1 hops apart, and the first are "
                               "nearer"),
            std::string::npos)
      << refusal(text);
}

TEST(machine_model, only_distances_with_links_have_a_figure_of_a_link) {
  std::string text = ring_machine_with("\"ring\"");
  text.replace(text.find("bytes_per_ns = [4]"), 18, "bytes_per_ns = [4, 3]");
  EXPECT_NE(refusal(text).find("link.bytes_per_ns has 2 figures; allowed: 1, one for each distance at which NUMA nodes "
                               "have a link"),
            std::string::npos)
      << refusal(text);
  std::string const two = "bytes_per_ns = [4, 3]";
  std::string all = ring_machine_with("\"all\"");
  EXPECT_NE(refusal(all).find("link.bytes_per_ns has 1 figures; allowed: 2"), std::string::npos);
  all.replace(all.find("bytes_per_ns = [4]"), 18, two);
  EXPECT_EQ(refusal(all), "");
}

struct mistake {
  std::string from;
  std::string to;
  std::string message;  ///< a part of the error
};

TEST(machine_model, every_mistake_is_refused_with_its_line_and_what_is_allowed) {
  std::vector<mistake> const mistakes{
      {"flops_per_ns = 4", "flops_per_nanosecond = 4",
       "there is no key flops_per_nanosecond in [core]; allowed: clock_ghz"},
      {"[idle]\n", "[\"\\u001b[2J\"]\n", "there is no key \\x1b[2J at the top level; allowed: name"},
      {"[idle]\n", "[idel]\n", "there is no key idel at the top level; allowed: name"},
      {"flops_per_ns = 4", "flops_per_ns = \"four\"", "core.flops_per_ns is not a number"},
      {"flops_per_ns = 4", "flops_per_ns = true", "core.flops_per_ns is not a number"},
      {"flops_per_ns = 4", "flops_per_ns = 0", "core.flops_per_ns is 0; allowed: a positive number"},
      {"flops_per_ns = 4", "flops_per_ns = -4", "core.flops_per_ns is -4"},
      {"flops_per_ns = 4", "flops_per_ns = 1e-12",
       "core.flops_per_ns is 1e-12; allowed: a positive number from 1e-9 to 1e12, or { value"},
      {"flops_per_ns = 4", "flops_per_ns = nan", "core.flops_per_ns is nan"},
      {"flops_per_ns = 4", "flops_per_ns = inf", "core.flops_per_ns is inf"},
      {"flops_per_ns = 4", "flops_per_ns = { value = 4, low = 5, high = 6 }", "low 5, value 4, high 6"},
      {"flops_per_ns = 4", "flops_per_ns = { value = 4, low = 3 }", "low and high are given together"},
      {"flops_per_ns = 4", "flops_per_ns = { value = 4, assumed = true }", "low and high are given together"},
      {"flops_per_ns = 4", "flops_per_ns = { assumed = true, low = 3, high = 5 }", "value is missing"},
      {"flops_per_ns = 4", "flops_per_ns = { value = 4, guess = 3 }", "there is no key guess"},
      {"flops_per_ns = 4", "flops_per_ns = { value = 4, source = 3 }", "source must be words"},
      {"flops_per_ns = 4", "flops_per_ns = { value = 4, assumed = 1, low = 3, high = 5 }", "must be true or false"},
      {"flops_per_ns = 4", "flops_per_ns = ", "this is not TOML"},
      {"clock_ghz = 2", "hidden_share = 1.5\nclock_ghz = 2", "core.hidden_share is 1.5; allowed: a number from 0 to 1"},
      {"clock_ghz = 2", "hidden_share = -0.1\nclock_ghz = 2",
       "core.hidden_share is -0.1; allowed: a number from 0 to 1"},
      {"clock_ghz = 2", "hidden_share = nan\nclock_ghz = 2", "core.hidden_share is nan; allowed: a number from 0 to 1"},
      {"filling = \"victim\"", "filling = \"exclusive\"", "must be \"victim\" or \"inclusive\""},
      {"block_bytes = 1024", "block_bytes = 1000", "must be a power of two from 256 to 16384"},
      {"block_bytes = 1024", "block_bytes = 8192", "from 1 to 64 lines"},
      {"page_bytes = 4096", "page_bytes = 4", "must be a power of two from 4096"},
      {"bytes = 65536", "bytes = 5000", "private_cache.bytes must be from 16 blocks"},
      {"latency_ns = [60]", "latency_ns = 60", "link.latency_ns must be a list"},
      {"latency_ns = [60]", "latency_ns = [60, 70]", "link.latency_ns has 2 figures; allowed: 1"},
      {"words = \"package:2 numa:1 l3:2 core:2 pu:1\"", "words = \"package:2 tea:1\"", "tea"},
      {"words = \"package:2 numa:1 l3:2 core:2 pu:1\"", "words = \"package:2 numa:1 core:2\"", "must name l3"},
      {"distances = [[10, 20], [20, 10]]", "distances = [[10, 20]]", "2 numbers for 2 NUMA nodes"},
      {"distances = [[10, 20], [20, 10]]", "distances = [[10, 20], [2.5, 10]]", "a whole number from 10"},
      {"distances = [[10, 20], [20, 10]]", "distances = [10, 20]", "a row of distances must be a list"},
      {"name = \"round\"", "name = 3", "name must be words in quotes"},
  };
  for (mistake const& m : mistakes) {
    std::string const text = round_machine_with(m.from, m.to);
    std::string const message = refusal(text);
    SCOPED_TRACE(m.to + " -> " + message);
    EXPECT_TRUE(message.starts_with("my.toml:" + line_of(text, m.to) + ": "));
    EXPECT_NE(message.find(m.message), std::string::npos);
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(machine_model, nothing_that_is_needed_may_be_left_out) {
  for (figure_rule const& rule : figure_rules()) {
    std::string const start = "\n" + std::string{rule.name} + " = ";
    std::string text{round_machine};
    if (rule.need == need::together || rule.need == need::by_kind) continue;
    std::size_t const table = text.find("[" + std::string{rule.table} + "]");
    ASSERT_NE(table, std::string::npos);
    std::size_t const at = text.find(start, table);
    if (rule.need == need::optional || rule.need == need::share) continue;
    ASSERT_NE(at, std::string::npos) << rule.table << "." << rule.name;
    text.erase(at, text.find('\n', at + 1) - at);
    std::string const message = refusal(text);
    EXPECT_NE(message.find(std::string{rule.name}), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("my.toml:")) << message;
    if (rule.need == need::always) {
      std::string const line = line_of(text, "[" + std::string{rule.table} + "]");
      EXPECT_TRUE(message.starts_with("my.toml:" + line + ": " + std::string{rule.name} + " is missing")) << message;
    }
  }
}

TEST(machine_model, a_machine_of_one_node_needs_no_links) {
  std::string text = round_machine_with("package:2 numa:1 l3:2", "package:1 numa:1 l3:2");
  std::size_t const links = text.find("[link]");
  text.erase(links, text.find("[prices]") - links);
  EXPECT_NE(refusal(text).find("4 numbers for 1 NUMA nodes"), std::string::npos);
  std::size_t const at = text.find("distances");
  text.erase(at, text.find('\n', at) - at);
  EXPECT_EQ(refusal(text), "");
}

TEST(machine_model, is_found_by_name_or_path) {
  std::string const path = testing::TempDir() + "round_machine.toml";
  std::ofstream(path) << round_machine;
  EXPECT_EQ(machine_model::load(path).name(), "round");
  std::remove(path.c_str());
  EXPECT_THROW(static_cast<void>(machine_model::load(path)), usage_error);
  try {
    static_cast<void>(machine_model::load("no-such-machine"));
    FAIL();
  } catch (usage_error const& fault) {
    EXPECT_NE(std::string{fault.what()}.find("xeon-6130-4s"), std::string::npos) << fault.what();
  }
}

TEST(machine_model, what_is_shipped_loads_and_names_its_sources) {
  EXPECT_GE(machine_model::shipped().size(), 6U);
  for (std::string_view const name : machine_model::shipped()) {
    SCOPED_TRACE(name);
    machine_model const m = machine_model::load(name);
    EXPECT_EQ(m.name(), name);
    EXPECT_FALSE(m.about().empty());
    EXPECT_EQ(machine_model::parse(machine_model::shipped_text(name), "text").name(), name);
    for (figure const& f : m.figures()) {
      EXPECT_FALSE(f.source.empty()) << f.key;
      EXPECT_LE(f.low, f.value) << f.key;
      EXPECT_LE(f.value, f.high) << f.key;
    }
    for (bound const b : {bound::stated, bound::low, bound::high}) EXPECT_GT(m.numbers(b).memory_bytes_per_ns, 0);
    EXPECT_EQ(m.layout_of({}).workers(), m.tree().pus().size());
  }
}

TEST(machine_model, the_papers_machines_have_the_papers_cores) {
  auto const cores = [](char const* name) { return machine_model::load(name).tree().count(runtime::level::core); };
  EXPECT_EQ(cores("xeon-6130-4s"), 64U);
  EXPECT_EQ(cores("xeon-6130-2s"), 32U);
  EXPECT_EQ(cores("xeon-e5-4620-4s"), 32U);
  EXPECT_EQ(cores("opteron-6168-4s"), 48U);
  EXPECT_EQ(cores("chiplet-2x96"), 192U);
}

TEST(machine_model, the_papers_machines_have_the_first_level_caches_of_their_processors) {
  auto const kib = [](char const* name) { return machine_model::load(name).numbers().first_level_bytes / 1024; };
  EXPECT_EQ(kib("xeon-6130-4s"), 32);
  EXPECT_EQ(kib("xeon-6130-2s"), 32);
  EXPECT_EQ(kib("xeon-e5-4620-4s"), 32);
  EXPECT_EQ(kib("opteron-6168-4s"), 64);
  EXPECT_EQ(kib("chiplet-2x96"), 32);
  EXPECT_EQ(kib("measured-2core"), 48);
  for (std::string_view const name : machine_model::shipped()) {
    for (bound const b : {bound::stated, bound::low, bound::high}) {
      machine_numbers const n = machine_model::load(name).numbers(b);
      EXPECT_GT(n.first_level_bytes_per_ns, n.private_bytes_per_ns) << name;
      EXPECT_LT(n.first_level_latency_ns, n.private_latency_ns) << name;
    }
  }
}

TEST(machine_model, the_papers_machines_are_linked_as_published) {
  machine_model const ring = machine_model::load("xeon-e5-4620-4s");
  EXPECT_EQ(ring.node_routes().links().size(), 8U);
  EXPECT_EQ(ring.node_routes().hops(0, 2), 2U);
  EXPECT_EQ(machine_model::load("xeon-6130-4s").node_routes().links().size(), 12U);
  machine_model const dies = machine_model::load("opteron-6168-4s");
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = 0; b < 8; ++b) EXPECT_EQ(dies.node_routes().hops(a, b), dies.distance(a, b));
  }
}

TEST(machine_models, nested_keys_without_end_are_refused_before_they_overflow_the_parser) {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i) key += ".a";
  for (std::string const& text :
       {key + " = 1", "[" + key + "]", "x = { " + key + " = 1 }", "x = [[{ " + key + " = 1 }]]"}) {
    try {
      static_cast<void>(machine_model::parse("name = \"n\"\n" + text, "file"));
      ADD_FAILURE() << text.substr(0, 20);
    } catch (usage_error const& fault) {
      EXPECT_TRUE(std::string(fault.what()).starts_with("file:2: a key has more than 16 parts")) << fault.what();
    }
  }
}

}}}}  // namespace skua::v0::sim
