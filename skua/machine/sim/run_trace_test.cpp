// SPDX-License-Identifier: MIT
// A trace of a simulated run says what the simulator did: tasks begin and end, frames that park go on, working time adds up,
// and the same seed gives the same events.
#include "skua/machine/sim/run_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/mark.hpp"
#include "skua/program/recorder.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

using trace::kind;
using trace::trace_data;

constexpr std::uint32_t workers = 4;

std::array<double, 64> written{};

/// Uneven, so that thieves come everywhere.
void uneven(auto& here, int depth, std::size_t at) {
  if (depth == 0)
    return here.leaf(writes{&written[at % 64], sizeof(double)}, flops{10.0 + static_cast<double>(at % 7)}, [] {});
  here.join([=](auto& h) { uneven(h, depth - 1, at); }, [=](auto& h) { uneven(h, std::max(0, depth - 2), at + 1); });
}

void steps(auto& here) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    mark(here, "iteration", i);
    uneven(here, 8, 5 * i);
    here.scope([](auto& s) {
      for (int k = 0; k < 6; ++k) s.spawn([](auto& h) { uneven(h, 3, 1); });
    });
  }
}

class traced_team : public ::testing::Test {
 protected:
  traced_team() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_sim_trace_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~traced_team() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(char const* name = "t") const { return (folder_ / name).string(); }

  struct traced final : observer {
    traced(trace::trace_file& to, std::uint32_t of, tick ticks_per_ns) : all(to, of, ticks_per_ns) {}
    [[nodiscard]] run_trace* trace() noexcept override { return &all; }
    run_trace all;
  };

  /// Runs `simulated(policy, layout, rules, costs, observer)` with a trace.
  template <class F>
  static simulation run_traced(std::string const& to, char const* policy, rules by, F simulated,
                               std::size_t bytes = std::size_t{4} << 20) {
    auto const file = trace::trace_file::make({.path = to, .tracks = workers, .bytes = bytes, .is_virtual = true});
    return run(policy, by, simulated, traced(*file, workers, by.ticks_per_ns));
  }
  template <class F>
  static simulation run(char const* policy, rules by, F simulated, observer&& watcher) {
    layout const where = layout_of(workers);
    auto const scheduler = policies::make_policy(policy, where, by.seed);
    by.unit = unit::flops;
    by.spin_ticks = 300;
    flat_costs prices(by);
    return simulated(*scheduler, where, by, prices, watcher);
  }

  std::filesystem::path folder_;
};
class traced_run : public traced_team, public ::testing::WithParamInterface<char const*> {};
INSTANTIATE_TEST_SUITE_P(policies, traced_run,
                         ::testing::Values("random", "hierarchical", "adws", "numa-ws", "replay", "strategies"));

auto const recorded = [](policy& p, layout const& where, rules const& by, costs& prices, observer& watcher) {
  return simulate(record([](auto& h) { steps(h); }), p, where, by, prices, watcher);
};
auto const live_program = [](policy& p, layout const& where, rules const& by, costs& prices, observer& watcher) {
  return simulate([](auto& h) { steps(h); }, p, where, by, prices, watcher);
};

std::size_t count(trace_data const& all, kind what) {
  std::size_t n = 0;
  for (auto const& t : all.tracks)
    n += static_cast<std::size_t>(std::ranges::count(t.events, what, &trace::event::what));
  return n;
}

bool is_activity(kind what) { return what >= kind::working && what <= kind::sleeping; }

/// Of one worker, until the run ended.
std::uint64_t working_ns(trace::track_events const& of) {
  std::uint64_t sum = 0;
  std::uint64_t since = 0;
  bool works = false;
  for (trace::event const& e : of.events) {
    if (!is_activity(e.what)) continue;
    if (works) sum += e.ticks - since;
    works = e.what == kind::working;
    since = e.ticks;
  }
  EXPECT_FALSE(works) << "the run has ended";
  return sum;
}

std::string contents(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(traced_team, says_which_scheduler_auto_chose_and_when) {
  auto const spawns_first = [](policy& p, layout const& where, rules const& by, costs& prices, observer& watcher) {
    auto const program = [](auto& h) {
      uneven(h, 0, 1);
      h.finish([](auto& f) {
        for (int i = 0; i < 4; ++i) f.spawn([](auto&) {});
      });
    };
    return simulate(program, p, where, by, prices, watcher);
  };
  static_cast<void>(run_traced(path(), "auto", {}, spawns_first));
  trace_data const all = trace::read_trace(path());
  std::vector<trace::event> changes;
  for (auto const& t : all.tracks)
    std::ranges::copy_if(t.events, std::back_inserter(changes),
                         [](trace::event const& e) { return e.what == kind::scheduler_changed; });
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(all.name(changes[0].other), "random");
  EXPECT_GT(changes[0].ticks, 0U) << "after its leaf";
  ASSERT_EQ(count(all, kind::call_choice), 1U);
  auto const& events = all.tracks[0].events;
  auto const chosen = std::ranges::find(events, kind::call_choice, &trace::event::what);
  ASSERT_NE(chosen, events.end());
  EXPECT_NE(all.name(chosen->other).find("random (it spawns tasks before it forks)"), std::string::npos);
}

TEST_P(traced_run, says_what_the_simulator_counted) {
  for (bool const is_live : {false, true}) {
    for (tick const heavy : {0, 200}) {
      rules const by{.fork_ticks = 2, .heavy_fence_ticks = heavy, .interrupt_ticks = heavy / 10};
      run_result const done =
          (is_live ? run_traced(path(), GetParam(), by, live_program) : run_traced(path(), GetParam(), by, recorded))
              .result;
      trace_data const all = trace::read_trace(path());
      ASSERT_TRUE(all.is_virtual && all.is_complete);
      ASSERT_EQ(all.tracks.size(), workers);
      worker_counters sum;
      for (std::uint32_t w = 0; w < workers; ++w) {
        worker_counters const& mine = done.workers[w];
        EXPECT_EQ(working_ns(all.tracks[w]), mine.busy) << "worker " << w;
        sum.steals += mine.steals;
        sum.lost += mine.lost;
        sum.sent += mine.sent;
        sum.naps += mine.naps;
        sum.parks += mine.parks + mine.preempted;
      }
      EXPECT_EQ(count(all, kind::stolen), sum.steals);
      EXPECT_EQ(count(all, kind::lost), sum.lost);
      EXPECT_EQ(count(all, kind::sent), sum.sent);
      EXPECT_EQ(count(all, kind::sleeping), sum.naps);
      EXPECT_EQ(count(all, kind::parked), sum.parks);
      EXPECT_EQ(all.name(all.tracks[0].events.at(0).other), GetParam());
      EXPECT_EQ(count(all, kind::region_closed), 1u);
    }
  }
}

TEST_P(traced_run, has_every_leaf_every_task_and_every_mark) {
  for (bool const is_live : {false, true}) {
    simulation const done =
        is_live ? run_traced(path(), GetParam(), {}, live_program) : run_traced(path(), GetParam(), {}, recorded);
    trace_data const all = trace::read_trace(path());
    EXPECT_EQ(count(all, kind::task_began), count(all, kind::task_ended));
    EXPECT_GT(count(all, kind::task_began), 1u);
    EXPECT_EQ(count(all, kind::leaf), done.tree.weigh(unit::leaves).leaves);
    std::map<std::uint64_t, int> waiting;
    std::vector<std::uint64_t> marked;
    for (auto const& t : all.tracks) {
      EXPECT_EQ(t.lost, 0u);
      for (trace::event const& e : t.events) {
        if (e.what == kind::parked || e.what == kind::moved) ++waiting[e.id];
        if (e.what == kind::resumed) --waiting[e.id];
        if (e.what == kind::leaf) {
          auto const first = reinterpret_cast<std::uintptr_t>(written.data());
          EXPECT_TRUE(e.id >= first && e.id < first + sizeof written);
          EXPECT_EQ(e.value, sizeof(double));
        }
        if (e.what != kind::mark) continue;
        EXPECT_EQ(all.name(e.other), "iteration");
        marked.push_back(e.value);
      }
    }
    for (auto const& [frame, n] : waiting) EXPECT_EQ(n, 0) << "frame " << frame;
    std::ranges::sort(marked);
    EXPECT_EQ(marked, (std::vector<std::uint64_t>{0, 1, 2}));
  }
}

TEST_P(traced_run, is_the_run_without_a_trace) {
  simulation const with = run_traced(path(), GetParam(), {}, recorded);
  EXPECT_EQ(with.result, run(GetParam(), {}, recorded, observer()).result);
}

TEST_P(traced_run, has_the_same_bytes_for_the_same_seed) {
  for (char const* const to : {"a", "b"}) static_cast<void>(run_traced(path(to), GetParam(), {.seed = 7}, recorded));
  std::string a = contents(path("a"));
  std::string b = contents(path("b"));
  for (std::string* const file : {&a, &b}) {
    trace::header h;
    ASSERT_GE(file->size(), sizeof h);
    std::memcpy(&h, file->data(), sizeof h);
    h.wall_ns = 0;
    h.first = {};
    std::memcpy(file->data(), &h, sizeof h);
  }
  EXPECT_TRUE(a == b);
  static_cast<void>(run_traced(path("c"), GetParam(), {.seed = 8}, recorded));
  EXPECT_NE(contents(path("c")).substr(trace::page_bytes), a.substr(trace::page_bytes)) << "the comparison sees events";
}

TEST_P(traced_run, keeps_the_newest_events_if_the_ring_is_too_small) {
  auto const long_run = [](policy& p, layout const& where, rules const& by, costs& prices, observer& watcher) {
    return simulate(record([](auto& h) {
                      for (int i = 0; i < 40; ++i) steps(h);
                    }),
                    p, where, by, prices, watcher);
  };
  run_result const done = run_traced(path(), GetParam(), {}, long_run, 0).result;
  trace_data const all = trace::read_trace(path());
  std::uint64_t lost = 0;
  for (auto const& t : all.tracks) lost += t.lost;
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(all.ended_ns, done.makespan + done.turns[0].begin);
}

TEST_F(traced_team, has_every_member) {
  auto const program = [](policy& p, layout const& where, rules const& by, costs& prices, observer& watcher) {
    return simulate(
        [](auto& h) {
          for (int i = 0; i < 20; ++i) {
            h.team([](auto& t) {
              t.here().leaf(flops{1000.0 / t.width()}, [] {});
              t.barrier();
              t.here().leaf(flops{1000.0 / t.width()}, [] {});
            });
          }
        },
        p, where, by, prices, watcher);
  };
  run_result const done = run_traced(path(), "arms", {}, program).result;
  trace_data const all = trace::read_trace(path());
  std::size_t members = 0;
  for (std::size_t width = 2; width < done.widths.size(); ++width) members += width * done.widths[width];
  ASSERT_GT(members, 0u);
  EXPECT_EQ(count(all, kind::member_began), members);
  EXPECT_EQ(count(all, kind::member_ended), members);
  for (std::uint32_t w = 0; w < workers; ++w) {
    for (trace::event const& e : all.tracks[w].events) {
      if (e.what != kind::member_began) continue;
      EXPECT_LE(e.value, w);
      EXPECT_LT(w, e.value + e.count);
    }
  }
}

TEST_F(traced_team, has_each_run_of_a_flow_as_an_iteration) {
  auto const program = [](policy& p, layout const& where, rules const& by, costs& prices, observer& watcher) {
    return simulate(
        [](auto& h) {
          flow graph(h);
          auto const first = graph.add([](auto& in) { in.leaf(flops{10}, [] {}); });
          graph.add(after(first), [](auto& in) { in.leaf(flops{10}, [] {}); });
          graph.run(h);
          graph.run(h, 3);
        },
        p, where, by, prices, watcher);
  };
  static_cast<void>(run_traced(path(), "random", {}, program));
  std::vector<std::uint64_t> marked;
  for (auto const& t : trace::read_trace(path()).tracks) {
    for (trace::event const& e : t.events) {
      if (e.what == kind::mark) marked.push_back(e.value);
    }
  }
  EXPECT_EQ(marked, (std::vector<std::uint64_t>{0, 1, 2})) << "a flow that runs once has no iterations";
}

}}}}  // namespace skua::v0::sim
