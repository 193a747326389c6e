// SPDX-License-Identifier: MIT
// What ranks get that do not make the same collective calls in the same order: the same usage_error on every rank, which
// names two ranks and their calls (call_order.md).
#include "skua/machine/ranks/communicator/call_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using numbers_collection = task_collection<int>;

class call_orders : public on_each_number_of_ranks {};

/// The text of the usage_error that f throws; empty: none.
std::string said_by_refusal(std::function<void()> const& f) {
  try {
    f();
  } catch (usage_error const& e) {
    return e.what();
  }
  return {};
}

bool mentions(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Each rank draws one of these. Returns true if the result is right for ranks that all have drawn it.
struct drawn_call {
  char const* words;
  bool (*is_right)(communicator&);
};
template <std::size_t N>
bool sums_ones(communicator& world) {
  std::array<double, N> ones;
  ones.fill(1);
  world.sum(ones);
  return ones.front() == world.size() && ones.back() == world.size();
}
template <class T>
bool reduces_span(communicator& world) {
  std::array<T, 2> ones{1, 1};
  world.sum(ones);
  return ones[0] == static_cast<T>(world.size()) && ones[1] == ones[0];
}
/// A rank may send any number of elements.
bool gathers_spans(communicator& world) {
  std::vector<double> const own(world.rank(), 1.5);
  auto const all = world.gather(std::span(own));
  return world.rank() != 0 || (all.size() == world.size() && all.back().size() == world.size() - 1);
}
template <std::size_t N>
bool broadcasts(communicator& world) {
  std::array<double, N> own;
  own.fill(1.0 + world.rank());
  world.broadcast(std::span(own));
  return own.front() == 1 && own.back() == 1;
}
bool scatters_rows(communicator& world) {
  std::vector<double> const all(2 * std::size_t{world.size()}, 3.0);
  std::array<double, 2> own{};
  world.scatter(std::span(all), std::span(own));
  return own[0] == 3 && own[1] == 3;
}
constexpr std::array drawn_calls{
    drawn_call{"sum of 1 double", [](communicator& w) { return w.sum(1.0) == w.size(); }},
    drawn_call{"sum of 3 doubles", sums_ones<3>},
    drawn_call{"sum of 5 doubles", sums_ones<5>},
    drawn_call{"sum of 1 unsigned integer", [](communicator& w) { return w.sum(1U) == w.size(); }},
    drawn_call{"sum of 1 signed integer", [](communicator& w) { return w.sum(-1) == -std::int64_t{w.size()}; }},
    drawn_call{"max of 1 double", [](communicator& w) { return w.max(1.0 * w.rank()) == w.size() - 1; }},
    drawn_call{"min of 1 double", [](communicator& w) { return w.min(1.0 + w.rank()) == 1; }},
    drawn_call{"sum of 2 unsigned integers", [](communicator& w) { return reduces_span<std::uint64_t>(w); }},
    drawn_call{"sum of 2 signed integers", [](communicator& w) { return reduces_span<std::int64_t>(w); }},
    drawn_call{"gather of one 'int' to rank 0",
               [](communicator& w) { return w.gather(7, 0).size() == (w.rank() == 0 ? w.size() : 0); }},
    drawn_call{"gather of spans of 'double' to rank 0", gathers_spans},
    drawn_call{"allgather of one 'int'", [](communicator& w) { return w.allgather(7).size() == w.size(); }},
    drawn_call{"broadcast of one 'int' from rank 0", [](communicator& w) { return w.broadcast(7) == 7; }},
    drawn_call{"broadcast of one 'double' from rank 0", [](communicator& w) { return w.broadcast(7.5) == 7.5; }},
    drawn_call{"broadcast of 3 'double' from rank 0", broadcasts<3>},
    drawn_call{"broadcast of 5 'double' from rank 0", broadcasts<5>},
    drawn_call{"scatter of one 'int' from rank 0",
               [](communicator& w) { return w.scatter(std::vector<int>(w.size(), 7)) == 7; }},
    drawn_call{"scatter of 2 'double' for each rank from rank 0", scatters_rows},
    drawn_call{"barrier", [](communicator& w) { return w.barrier(), true; }},
    drawn_call{"processors", [](communicator& w) { return w.processors() > 0; }},
};

TEST_P(call_orders, that_differ_are_refused_everywhere_and_the_ranks_go_on_together) {
  constexpr std::uint64_t seed = 20261128;
  on_ranks(GetParam(), [&](communicator& world) {
    runtime::dice draws(seed);  // the same on every rank
    std::size_t differed = 0;
    for (int round = 0; round < 120; ++round) {
      auto const usual = draws.below(drawn_calls.size());
      std::vector<std::uint32_t> calls(world.size(), usual);
      for (auto& c : calls) {
        if (draws.below(world.size() + 1) == 0) c = draws.below(drawn_calls.size());
      }
      bool differ = false;
      for (auto const c : calls) differ = differ || c != calls[0];
      drawn_call const& mine = drawn_calls[calls[world.rank()]];
      bool is_right = false;
      std::string const said = said_by_refusal([&] { is_right = mine.is_right(world); });
      if (!differ) {
        EXPECT_TRUE(is_right) << mine.words << ", seed " << seed << ", round " << round << ": " << said;
        continue;
      }
      ++differed;
      // Any two ranks, with what they were in.
      bool names_two = false;
      for (std::uint32_t a = 0; a < world.size(); ++a) {
        for (std::uint32_t b = a + 1; b < world.size(); ++b) {
          names_two = names_two ||
                      (calls[a] != calls[b] &&
                       mentions(said, "rank " + std::to_string(a) + " is in " + drawn_calls[calls[a]].words +
                                          ", rank " + std::to_string(b) + " in " + drawn_calls[calls[b]].words + ";"));
        }
      }
      EXPECT_TRUE(names_two) << said << ", seed " << seed << ", round " << round;
    }
    EXPECT_EQ(differed > 0, world.size() > 1);
  });
}

TEST_P(call_orders, a_longer_vector_is_never_taken_for_a_sum) {
  on_ranks(GetParam(), [&](communicator& world) {
    for (std::uint32_t odd = 0; odd < world.size() && world.size() > 1; ++odd) {
      std::vector<double> own(world.rank() == odd ? 1000 : 10, 1.0);
      std::string const said = said_by_refusal([&] { world.sum(std::span<double>(own)); });
      EXPECT_TRUE(mentions(said, "sum of 1000 doubles") && mentions(said, "sum of 10 doubles")) << said;
      EXPECT_EQ(own, std::vector<double>(own.size(), 1.0)) << "unchanged";
    }
  });
}

TEST_P(call_orders, a_root_and_the_parts_of_a_scatter_are_checked_on_every_rank) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::uint32_t const n = world.size();
    auto const expect = [&](std::string const& text, std::function<void()> const& f) {
      std::string const said = said_by_refusal(f);
      EXPECT_TRUE(mentions(said, text)) << said;
    };
    std::string const ranks = "allowed: a rank from 0 to " + std::to_string(n - 1);
    expect(ranks, [&] { static_cast<void>(world.gather(1, n)); });
    expect(ranks, [&] { static_cast<void>(world.broadcast(1, n + 5)); });
    expect(ranks, [&] { static_cast<void>(world.scatter(std::vector<int>(n), n)); });
    for (std::uint32_t root = 0; root < n; ++root) {
      std::string const from = " from rank " + std::to_string(root) + ": it has ";
      // Only the root knows how many parts it has.
      std::vector<int> const parts(world.rank() == root ? n + 1 : n);
      expect("scatter of one 'int'" + from + std::to_string(n + 1) + " parts; allowed: " + std::to_string(n),
             [&] { static_cast<void>(world.scatter(parts, root)); });
      std::vector<float> rows(world.rank() == root ? 3 * n - 1 : 0);
      std::array<float, 3> own{1, 2, 3};
      expect("scatter of 3 'float' for each rank" + from + std::to_string(12 * n - 4) +
                 " bytes; allowed: " + std::to_string(12 * n),
             [&] { world.scatter(std::span(rows), std::span(own), root); });
      EXPECT_EQ(own, (std::array<float, 3>{1, 2, 3})) << "unchanged";
      if (n == 1) continue;
      // Roots that differ, and lengths that differ.
      std::uint32_t const other = (root + 1) % n;
      std::uint32_t const mine = world.rank() == root ? other : root;
      std::string said = said_by_refusal([&] { static_cast<void>(world.broadcast(1, mine)); });
      EXPECT_TRUE(mentions(said, "from rank " + std::to_string(root)) &&
                  mentions(said, "from rank " + std::to_string(other)))
          << said;
      std::vector<std::uint16_t> lengths(world.rank() == root ? 4 : 5, 9);
      said = said_by_refusal([&] { world.broadcast(std::span(lengths), other); });
      EXPECT_TRUE(mentions(said, "broadcast of 4 ") && mentions(said, "broadcast of 5 ")) << said;
      EXPECT_EQ(lengths, std::vector<std::uint16_t>(lengths.size(), 9)) << "unchanged";
    }
    EXPECT_EQ(world.sum(1U), n);
  });
}

TEST_P(call_orders, calls_of_collections_are_compared) {
  on_ranks(GetParam(), [&](communicator& world) {
    if (world.size() == 1) return;
    bool const last = world.rank() == world.size() - 1;
    numbers_collection a(world, {.name = "a"}, [](int) {});
    numbers_collection b(world, {.name = "b"}, [](int) {});
    auto const expect = [&](std::string const& x, std::string const& y, std::function<void()> const& f) {
      std::string const said = said_by_refusal(f);
      EXPECT_TRUE(mentions(said, x) && mentions(said, y)) << said;
    };
    a.add(1);
    b.add(1);
    a.process();
    b.process();
    expect("rebalance of 'a' with 'hierarchical'", "rebalance of 'a' with 'tempered'",
           [&] { a.rebalance(last ? "hierarchical" : "tempered"); });
    expect("rebalance_if_due of 'a' with 'hierarchical'", "rebalance_if_due of 'a' with 'tempered'",
           [&] { static_cast<void>(a.rebalance_if_due(last ? "hierarchical" : "tempered")); });
    expect("rebalance of 'a'", "rebalance of 'b'", [&] { (last ? a : b).rebalance("hierarchical"); });
    expect("report of 'b'", "sum of 1 double", [&] {
      if (last) {
        static_cast<void>(b.report());
      } else {
        static_cast<void>(world.sum(1.0));
      }
    });
    expect("restore of 'a'", "barrier", [&] {
      if (last) {
        a.restore(placement_of_tasks::original);
      } else {
        world.barrier();
      }
    });
    expect("the constructor of a task collection", "barrier", [&] {
      if (last) {
        numbers_collection const c(world, {.name = "c"}, [](int) {});
      } else {
        world.barrier();
      }
    });
    a.rebalance("hierarchical");
    int ran = 0;
    numbers_collection d(world, {.name = "d"}, [&](int) { ++ran; });  // of the same number on every rank
    d.add(1);
    d.process();
    EXPECT_EQ(world.sum(ran), world.size());
    EXPECT_EQ(world.sum(a.num_recorded()), world.size());
  });
}

TEST_P(call_orders, collective_calls_in_a_task_are_refused) {
  on_ranks(GetParam(), [&](communicator& world) {
    bool const first = world.rank() == 0;
    numbers_collection other(world, {.name = "other"}, [](int) {});
    other.add(1);
    other.process();
    std::vector<std::function<void()>> const calls{
        [&] { world.barrier(); },
        [&] { static_cast<void>(world.sum(1.0)); },
        [&] { static_cast<void>(world.processors()); },
        [&] { static_cast<void>(world.gather(1)); },
        [&] { static_cast<void>(world.allgather(1)); },
        [&] { static_cast<void>(world.broadcast(1)); },
        [&] { static_cast<void>(world.scatter(std::vector<int>(world.size()))); },
        [&] { other.process(); },
        [&] { static_cast<void>(other.report()); },
        [&] { other.rebalance("hierarchical"); },
        [&] { other.restore(placement_of_tasks::original); },
        [&] { numbers_collection const made(world, {.name = "made"}, [](int) {}); },
    };
    std::vector<std::string> said;
    numbers_collection all(world, {.name = "all", .steals = false},
                           [&](int call) { said.push_back(said_by_refusal(calls[static_cast<std::size_t>(call)])); });
    for (std::size_t c = 0; first && c < calls.size(); ++c) all.add(static_cast<int>(c));
    all.process();
    EXPECT_EQ(said.size(), first ? calls.size() : 0U);
    for (auto const& s : said) EXPECT_TRUE(mentions(s, " in a task, during process of 'all'; allowed: outside")) << s;

    // What a task does not catch ends process() everywhere.
    numbers_collection throws(world, {.name = "throws", .steals = false}, [&](int) { world.barrier(); });
    if (first) throws.add(1);
    if (first) {
      EXPECT_THROW(throws.process(), usage_error);
    } else {
      EXPECT_THROW(throws.process(), remote_error);
    }
    EXPECT_EQ(world.sum(1U), world.size());
    numbers_collection made(world, {.name = "made"}, [](int) {});
    made.add(1);
    made.process();
    EXPECT_EQ(world.sum(made.num_recorded()), world.size());
  });
}

TEST(call_order, what_travels_is_the_call) {
  collective_call const call{
      .what = operation::rebalance, .collection = 7, .detail = "tempered", .of = element::real, .length = 5};
  message_header head;
  std::vector<std::byte> body(3, std::byte{1});
  append_call(head, body, call);
  EXPECT_EQ(call_in(head, body), call);
  EXPECT_EQ(body.size() - head.flags, 3U);
}

TEST(call_order, numbers_of_steps_wrap_around) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_TRUE(call_order::is_before(1, 2));
  EXPECT_FALSE(call_order::is_before(2, 2));
  EXPECT_TRUE(call_order::is_before(most, 0));
  EXPECT_FALSE(call_order::is_before(0, most));
}

INSTANTIATE_TEST_SUITE_P(of_ranks, call_orders, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
