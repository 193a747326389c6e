// SPDX-License-Identifier: MIT
// Steps of mixed programs that end before all of their children have: by a failure, or by a stop.
#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "tests/mixed/answer_with.hpp"
#include "tests/mixed/mixed_program.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

struct failure : std::runtime_error {
  failure() : std::runtime_error("a step fails") {}
};

/// Calls body(here, i) for many i, all children of one construct; then end(), from inside of it where it has an inside.
template <class Body, class End>
void run_many(runtime::here& on, std::uint64_t chance, std::stop_token const& token, Body const& body, End const& end) {
  constexpr int many = 64;
  switch (chance % 5) {
    case 0:
      on.scope([&](auto& s) {
        for (int i = 0; i < many; ++i) s.spawn([&body, i](runtime::here& h) { body(h, i); });
        end();
      });
      break;
    case 1:
      on.finish([&](auto& f) {
        for (int i = 0; i < many; i += 4) {
          f.spawn([&body, i](auto& g) {
            body(g.here(), i);
            for (int k = 1; k < 4; ++k) g.spawn([&body, n = i + k](auto& x) { body(x.here(), n); });
          });
        }
        end();
      });
      break;
    case 2: {
      flow graph(on);
      for (int i = 0; i < many; i += 2) {
        auto const first = graph.add([&body, i](runtime::here& h) { body(h, i); });
        graph.add(after(first), [&body, i](runtime::here& h) { body(h, i + 1); });
      }
      graph.run(on);
      break;
    }
    case 3: {
      skua::task_group group(token);
      for (int i = 0; i < many; ++i) group.run([&body, i](runtime::here& h) { body(h, i); });
      if (group.wait() == canceled) throw cancelled{};
      break;
    }
    default: {
      std::array<int, many> all{};
      for (int i = 0; i < many; ++i) all[static_cast<std::size_t>(i)] = i;
      on.join_each(all, [&](runtime::here& h, int i) { body(h, i); });
    }
  }
}

}  // namespace

void mixed_program::try_step(runtime::here& on, mixed_step const& by, place at) {
  if (step(on, by, at) != by.expected()) note_wrong("a step returns a wrong answer in something that ends early");
}

/// Children of which one ends the others early. Their answers do not count; 0.
std::uint64_t mixed_program::ended_early(runtime::here& on, mixed_step const& by, place at) {
  try {
    switch (by.what) {
      case construct::stopped_call: stop_a_call(on, by, at); break;
      case construct::broken_team: break_a_team(on, by, at); break;
      default: stop_a_sibling(on, by, at);
    }
  } catch (failure const&) {
    if (by.what != construct::fails && by.what != construct::broken_team) throw;
  }
  return 0;
}

void mixed_program::stop_a_sibling(runtime::here& on, mixed_step const& by, place at) {
  bool const fails = by.what == construct::fails;
  std::stop_source source;
  std::atomic<bool> is_stopped{false};
  place const inside{at.pool, at.alone, fails ? at.stopped : &is_stopped, at.in_own_region};
  std::size_t const ends = by.chance % by.number();  // this child
  try {
    on.with_stop(source.get_token(), [&](runtime::here& h) {
      std::array<std::size_t, 4> const all{0, 1, 2, 3};
      auto const child = [&](runtime::here& g, std::size_t i) {
        try_step(g, by.child[i], inside);
        if (i != ends) return;
        if (fails) throw failure();
        source.request_stop();
        is_stopped = true;
        if (!g.stop_requested()) note_wrong("a step does not hear of the stop that it has requested");
      };
      if (by.number() == 2) {
        h.join([&](runtime::here& g) { child(g, 0); }, [&](runtime::here& g) { child(g, 1); });
      } else if (by.number() == 3) {
        h.join([&](runtime::here& g) { child(g, 0); }, [&](runtime::here& g) { child(g, 1); },
               [&](runtime::here& g) { child(g, 2); });
      } else {
        h.join_each(all, [&](runtime::here& g, std::size_t i) { child(g, i); });
      }
    });
    if (fails) note_wrong("a failure is lost");
  } catch (cancelled const&) {
    if (fails) throw;  // of what is around
  }
}

/// The members meet at a barrier, and one of them does not come. Its exception is the flow's.
void mixed_program::break_a_team(runtime::here& on, mixed_step const& by, place at) {
  flow graph(on);
  graph.add_team([&](auto& team) {
    bool const is_last = team.member() + 1 == team.width();
    if (is_last || by.chance % 2 == 0) try_step(team.here(), by.child[team.member() % by.number()], at);
    if (is_last) throw failure();
    team.barrier();
  });
  graph.run(on);
  note_wrong("a failure is lost");
}

/// The answer of the only child, which is asked for around many small tasks that one of them ends, or what has started them, or by one
/// of them.
std::uint64_t mixed_program::cut_short(runtime::here& on, mixed_step const& by, place at) {
  enum : std::uint64_t { scope, finish, flow, group, each };
  std::uint64_t const kind = by.chance % 5;
  bool const fails = by.chance / 5 % 2 == 0;
  bool const by_starter = kind <= finish && by.chance / 10 % 3 == 0;
  bool const is_asked_inside = by.chance % 3 == 0;
  int const last = by_starter ? 1000 : static_cast<int>(by.chance / 30 % 20);
  std::uint64_t const value = is_asked_inside ? 0 : step(on, by.child[0], at);
  std::stop_source source;
  late_bodies late(fails, on.num_workers());
  auto const end = [&] {
    if (fails) {
      late.fails_here();
      throw failure();
    }
    source.request_stop();
    late.stopped();
  };
  auto const body = [&](runtime::here& g, int i) {
    late.begin(g.stop_requested());
    if (i == last) return end();
    if (i == last + 1 && is_asked_inside) return try_step(g, by.child[0], at.unseen());
    g.join([](runtime::here&) {}, [](runtime::here&) {}, [](runtime::here&) {});
  };
  try {
    on.with_stop(source.get_token(), [&](runtime::here& h) {
      run_many(h, kind, source.get_token(), body, [&] {
        if (by_starter) end();
      });
    });
    if (fails) note_wrong("a failure is lost");
  } catch (failure const&) {
    if (!fails) throw;
  } catch (cancelled const&) {
    if (fails) throw;  // of what is around
  }
  constexpr char const* kinds[] = {"scope", "finish region", "flow", "task_group", "each"};
  // Inside of isolate() a flow's nodes run where they are released, by halves: one of each half that has begun.
  int const halves = kind == flow && at.alone != nullptr ? 6 : 0;
  late.expect_few(kind == each ? 3 : 1, halves, kinds[kind]);
  return is_asked_inside ? step(on, by.child[0], at) : value;
}

/// An enqueued call with a token. Its answer does not count.
void mixed_program::stop_a_call(runtime::here& on, mixed_step const& by, place at) {
  if (at.alone != nullptr) return;  // as in `elsewhere`
  std::stop_source source;
  one_shot<std::uint64_t> question;
  std::size_t const where = by.chance % 3 == 0 ? 1 - at.pool : at.pool;
  pools_[where]->enqueue([&] {
    answer_with(question, [&] {
      return pools_[where]->run([&](runtime::here& h) {
        h.with_stop(source.get_token(), [&](runtime::here& g) { try_step(g, by.child[0], {where}); });
        return std::uint64_t{0};
      });
    });
  });
  auto const end = [&] {
    source.request_stop();
    try {
      static_cast<void>(by.chance % 5 == 0 ? question.wait() : question.wait(on));
    } catch (cancelled const&) {  // or it was faster
    }
  };
  try {
    if (by.chance % 2 == 0) try_step(on, by.child[1], at);
  } catch (...) {
    end();
    throw;
  }
  end();
}

}}}  // namespace skua::v0::testing
