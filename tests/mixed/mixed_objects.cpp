// SPDX-License-Identifier: MIT
// Steps of mixed programs that use objects with a life of their own: flows that grow or gather nodes, teams, objects per worker,
// groups that are used again or bounded, contexts, shields, observers, limits, arenas, lent threads, and enqueued calls with a token.
#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <stop_token>
#include <string>
#include <thread>

#include "skua/machine/threads/face/default_region.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "tests/mixed/answer_with.hpp"
#include "tests/mixed/mixed_program.hpp"

namespace skua { inline namespace v0 { namespace testing {

namespace {

/// Nodes that add the other children while the flow runs, one after the other or a node that adds another.
template <class Child>
void grow(runtime::here& on, std::size_t number, std::uint64_t chance, Child const& child) {
  bool grows = true;
  flow graph(on);
  graph.add([&](runtime::here& h, auto& in) {
    runtime::node<void> last;
    for (std::size_t i = 1; grows && i < number; ++i) {
      auto const task = [&child, i](runtime::here& g) { child(g, i); };
      if (i == 1) {
        last = in.add(task);
      } else if ((chance >> i) % 2 == 0) {
        last = in.add(after(last), task);
      } else {
        in.add([&grows, task](runtime::here&, auto& inner) {
          if (grows) inner.add(task);
        });
      }
    }
    child(h, 0);
  });
  graph.run(on);
  grows = false;  // what was added stays
  if (chance % 4 == 0) graph.run(on);
}

/// A team whose members divide the children. answer(here, i): of a child.
template <class Answer>
std::uint64_t ask_team(runtime::here& on, std::size_t number, bool shares, Answer const& answer) {
  std::uint64_t sum = 0;
  flow graph(on);
  graph.add_team([&](auto& team) {
    std::uint64_t mine = 0;
    auto const take = [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) mine += answer(team.here(), i);
    };
    if (shares) {
      auto const [begin, end] = team.share(number);
      take(begin, end);
    } else {
      team.for_shared(number, 1, take);
    }
    std::uint64_t const all = team.reduce(mine, std::plus<>{});
    if (team.member() == 0) sum = all;
  });
  graph.run(on);
  return sum;
}

/// Moldable nodes of one type, in a chain or not, between which others have what `child(here, i)` runs for i < number: enough of them
/// for a policy that learns widths to try and choose teams. False: a node has not run once, or a member has missed a barrier.
template <class Child>
bool mold(runtime::here& on, std::size_t number, std::uint64_t chance, Child const& child) {
  constexpr std::size_t nodes = 12;
  std::array<std::atomic<std::uint32_t>, nodes> met{};
  std::atomic<bool> is_wrong{false};
  flow graph(on);
  runtime::node<void> last = graph.add([](runtime::here&) {});
  for (std::size_t i = 0; i < nodes; ++i) {
    auto const work = [&, i](auto& team) {
      if (i % 3 == 1 && i / 3 < number && team.member() == chance % team.width()) child(team.here(), i / 3);
      if ((chance >> i) % 3 == 0) team.barrier();
      if (team.reduce(1U, std::plus<>{}) != team.width()) is_wrong = true;
      if (team.member() == 0) met[i].fetch_add(1, std::memory_order_relaxed);
    };
    auto const data = address::at(static_cast<double>(chance % (i + 2)) / static_cast<double>(i + 2));
    if ((chance >> i) % 2 == 0) {
      last = graph.add_team(data, task_type{1}, after(last), work);
    } else {
      graph.add_team(data, task_type{1}, work);
    }
  }
  graph.run(on);
  return !is_wrong && std::ranges::all_of(met, [](auto const& n) { return n == 1; });
}

template <class Answer>
std::uint64_t add_up_per_worker(runtime::here& on, std::size_t number, Answer const& answer) {
  constexpr std::array<std::size_t, 4> all{0, 1, 2, 3};
  skua::worker_local<std::uint64_t> parts;
  on.join_each(std::span(all).first(number), [&](runtime::here& h, std::size_t i) {
    static_cast<void>(parts.local());
    std::uint64_t const part = answer(h, i);
    parts.local() += part;  // of the thread on which it is now
  });
  return parts.combine(std::plus<>{});
}

/// f() inside of something that is stopped, which must not cut it short. `stop` has it stopped.
template <class Stop, class F>
void although_stopped(runtime::here& on, Stop const& stop, F const& f) {
  std::stop_source source;
  bool is_done = false;
  try {
    on.with_stop(source.get_token(), [&](runtime::here&) {
      stop(source);
      f();
      is_done = true;
    });
  } catch (cancelled const&) {
    if (!is_done) throw;  // what is around this was stopped before
  }
}

/// call(i) calls a child.
template <class Call>
void use_once(std::size_t number, Call const& call) {
  returns_here const same_thread;
  skua::task_group group;
  for (std::size_t i = 1; i < number; ++i) group.run([&, i] { call(i); });
  group.run_and_wait([&] { call(0); });
}

/// The same. The first use of the group does not count.
template <class Call>
void use_twice(std::size_t number, Call const& call) {
  skua::task_group group;
  group.run([&] { call(1); });
  group.cancel();
  try {
    static_cast<void>(group.wait());
  } catch (cancelled const&) {  // what is stopped around this throws again below
  }
  for (std::size_t i = 1; i < number; ++i) group.run([&, i] { call(i); });
  group.run_and_wait([&] { call(0); });
}

/// The same; whoever starts a task too many runs it. Some are started by tasks of the group.
template <class Call>
void use_bounded(std::size_t number, std::uint64_t chance, Call const& call) {
  skua::task_group group(at_most(chance % 3));
  for (std::size_t i = 1; i < number; ++i) {
    if ((chance >> i) % 2 == 0) {
      group.run([&, i] { call(i); });
    } else {
      group.run([&, i] { group.run([&, i] { call(i); }); });
    }
  }
  group.run([&] { call(0); });
  static_cast<void>(group.wait());
}

/// Nodes with the same hints, which a policy that places nodes gathers, and others among them. child(here, i) is called once
/// each; the other nodes count. False: a node ran too often, or not at all.
template <class Child>
bool gather(runtime::here& on, std::size_t number, std::uint64_t chance, Child const& child) {
  constexpr std::size_t nodes = 24;
  std::array<std::atomic<int>, nodes> ran{};
  bool is_first = true;
  flow graph(on);
  for (std::size_t i = 0; i < nodes; ++i) {
    auto const node = [&, i](runtime::here& h) {
      ran[i].fetch_add(1, std::memory_order_relaxed);
      if (is_first && i % 6 == 1 && i / 6 < number) child(h, i / 6);
    };
    double const address = (chance >> (i / 8)) % 2 == 0 ? 0.25 : 0.75;
    if (i % 11 == 10) {
      graph.add(node);
    } else {
      graph.add(address::at(address), task_type{static_cast<std::uint16_t>(chance % 3)}, node);
    }
  }
  graph.run(on);
  is_first = false;
  graph.run(on);
  return std::ranges::all_of(ran, [](auto const& n) { return n == 2; });
}

/// Counts who works in the pool around it, from its begin to its end.
class counting_observer final : public tbb::task_scheduler_observer {
 public:
  counting_observer() { observe(true); }
  ~counting_observer() override { observe(false); }
  counting_observer(counting_observer const&) = delete;
  counting_observer& operator=(counting_observer const&) = delete;

  void on_scheduler_entry(bool) override { ++inside_; }
  void on_scheduler_exit(bool) override {
    if (--inside_ < 0) is_wrong_ = true;
  }
  /// Somebody has left who had not entered; or, asked by a task, nobody is inside.
  [[nodiscard]] bool is_wrong() const noexcept { return is_wrong_ || inside_ < 1; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> is_wrong_{false};
};

}  // namespace

void shared_arena::check_number() noexcept {
  int const mine = tbb::this_task_arena::current_thread_index();
  if (mine < 0 || mine >= static_cast<int>(workers) || in_use[static_cast<std::size_t>(mine)].exchange(true)) {
    ++wrong_numbers;
    return;
  }
  for (int i = 0; i < 20; ++i) runtime::relax();
  in_use[static_cast<std::size_t>(mine)] = false;
}

/// The weighted sum of the children's answers.
std::uint64_t mixed_program::children_with_objects(runtime::here& on, mixed_step const& by, place at) {
  std::array<std::uint64_t, 4> got{};
  auto const answer = [&](runtime::here& h, std::size_t i) { return weight(i) * step(h, by.child[i], at); };
  auto const child = [&](runtime::here& h, std::size_t i) { got[i] = answer(h, i); };
  auto const call = [&](std::size_t i) {
    pools_[at.pool]->run([&](runtime::here& h) { got[i] = weight(i) * step(h, by.child[i], at.called()); });
  };
  auto const task = [&](std::size_t i) {  // of a group
    pools_[at.pool]->run([&](runtime::here& h) { got[i] = weight(i) * step(h, by.child[i], at.called().unseen()); });
  };
  switch (by.what) {
    case construct::growing_flow: grow(on, by.number(), by.chance, child); break;
    case construct::team: return ask_team(on, by.number(), by.chance % 2 == 0, answer);
    case construct::worker_local: return add_up_per_worker(on, by.number(), answer);
    case construct::isolated_loop: {
      task_group_context alone(task_group_context::isolated);
      although_stopped(
          on, [](std::stop_source& source) { source.request_stop(); },
          [&] { parallel_for(std::size_t{0}, by.number(), task, simple_partitioner{}, alone); });
      break;
    }
    case construct::bounded_group: use_bounded(by.number(), by.chance, task); break;
    case construct::gathered:
      if (!gather(on, by.number(), by.chance, child)) return 0;
      break;
    case construct::observed: {
      counting_observer const seen;
      std::atomic<bool> is_wrong{false};
      parallel_for(std::size_t{0}, by.number(), [&](std::size_t i) {
        call(i);
        if (seen.is_wrong()) is_wrong = true;
      });
      if (is_wrong) return 0;
      break;
    }
    case construct::task_group: use_once(by.number(), task); break;
    case construct::beside: return beside_each_other(on, by, at);
    case construct::left_tasks: return take_left_tasks(on, by, at);
    case construct::fed: return feed(by, at);
    default: use_twice(by.number(), task);
  }
  return got[0] + got[1] + got[2] + got[3];
}

/// The children's answers: the first ones' of teams in a region under arms, the others' of a region under any policy, at the same time
/// on the same workers, or some of them.
std::uint64_t mixed_program::beside_each_other(runtime::here& on, mixed_step const& by, place at) {
  std::array<std::uint64_t, 4> got{};
  if (at.alone != nullptr) {  // as in `elsewhere`
    for (std::size_t i = 0; i < by.number(); ++i) got[i] = weight(i) * step(on, by.child[i], at);
    return got[0] + got[1] + got[2] + got[3];
  }
  constexpr std::array molding{"checked:only:arms", "checked:arms:cost=time", "checked:arms:critical=on",
                               "checked:only:arms:measure=leader,cost=product"};
  auto const others = testing::whole_policies();
  pool& of = *pools_[at.pool];
  auto const open = [&](std::string const& policy, std::uint64_t chance) {
    return of.open_region(policy, static_cast<std::uint32_t>(chance % 3) % (of.num_workers() + 1));  // 0: all workers
  };
  std::size_t const teams = 1 + by.chance / 7 % (by.number() - 1);
  auto const child = [&](runtime::here& h, std::size_t i) {
    got[i] = weight(i) * step(h, by.child[i], {at.pool, nullptr, nullptr, true});
  };
  std::atomic<bool> is_right{false};
  on.join(
      [&](runtime::here&) {
        auto const region = open(molding[by.chance % molding.size()], by.chance / 4);
        is_right = region.run([&](runtime::here& h) { return mold(h, teams, by.chance, child); });
      },
      [&](runtime::here&) {
        auto const region = open("checked:" + others[by.chance / 11 % others.size()], by.chance / 13);
        region.run([&](runtime::here& h) {
          std::array<std::size_t, 4> const all{0, 1, 2, 3};
          h.join_each(std::span(all).first(by.number()).subspan(teams), child);
        });
      });
  return is_right ? got[0] + got[1] + got[2] + got[3] : 0;
}

/// The answer of the only child, though a stop is requested around it.
std::uint64_t mixed_program::shielded(runtime::here& on, mixed_step const& by, place at) {
  std::uint64_t value = 0;
  auto const stop = [&](std::stop_source& source) {
    if (by.chance % 2 == 0) {
      source.request_stop();
    } else {
      outside_.ask([source]() mutable { source.request_stop(); });
    }
  };
  although_stopped(on, stop,
                   [&] { value = without_stop([&](runtime::here& h) { return step(h, by.child[0], at.unseen()); }); });
  return value;
}

/// The answer of the only child, of a thread that knows no pool.
std::uint64_t mixed_program::limited(mixed_step const& by, place at) {
  one_shot<std::uint64_t> question;
  std::jthread const caller([&] {
    answer_with(question, [&] {
      runtime::worker_limit const limit(1 + static_cast<std::uint32_t>(by.chance % 3));
      std::uint64_t value = 0;
      isolated_mark const* alone = nullptr;
      auto const ask = [&] {
        // The default pool, whose calls stay within the limit, and a limit that changes meanwhile.
        runtime::worker_limit const narrower(1 + static_cast<std::uint32_t>(by.chance / 7 % 4));
        value = by.chance % 3 == 0 ? default_pool().run([&](runtime::here&) { return in(at.pool, by.child[0], alone); })
                                   : in(at.pool, by.child[0], alone);
      };
      isolate([&] {  // as in `elsewhere`
        isolated_mark const mark;
        alone = &mark;
        if (by.chance % 2 == 0) {
          parallel_for(0, 3, [&](int i) {
            if (i == 1) ask();
          });
        } else {
          skua::task_group group;
          group.run(ask);
          static_cast<void>(group.wait());
        }
      });
      return value;
    });
  });
  return question.wait();
}

/// The answer of the only child, which a body of the shared arena computes. Its callers are workers, and threads from outside,
/// which wait for one of its places.
std::uint64_t mixed_program::in_the_arena(mixed_step const& by, place at) {
  auto const call = [&] {
    return arena_.calls.execute([&] {
      std::uint64_t value = 0;
      parallel_for(0, 4, [&](int i) {
        arena_.check_number();
        if (i == 2) value = in(at.pool, by.child[0]);
        arena_.check_number();
      });
      return value;
    });
  };
  if (by.chance % 2 == 0) return call();
  one_shot<std::uint64_t> question;
  std::jthread const caller([&] { answer_with(question, call); });
  return question.wait();
}

/// The answer of the only child, which an enqueued task computes while every worker of its pool waits where Skua does not see it.
std::uint64_t mixed_program::lent(mixed_step const& by, place at) {
  pool own({.workers = 1});
  return own.run([&](runtime::here&) {
    std::promise<std::uint64_t> answer;
    own.enqueue([&] {
      try {
        answer.set_value(in(at.pool, by.child[0]));
      } catch (...) {
        answer.set_exception(std::current_exception());
      }
    });
    return answer.get_future().get();
  });
}

/// The children's answers: of tasks of a group that a thread from outside starts in a call, which does not wait for them.
std::uint64_t mixed_program::take_left_tasks(runtime::here& on, mixed_step const& by, place at) {
  std::array<std::uint64_t, 4> got{};
  auto const child = [&](std::size_t i) {
    pools_[at.pool]->run([&](runtime::here& h) { got[i] = weight(i) * step(h, by.child[i], at.called().unseen()); });
  };
  skua::task_group group;
  if (at.alone != nullptr) {  // as in `elsewhere`
    for (std::size_t i = 0; i < by.number(); ++i) group.run([&child, i] { child(i); });
  } else {
    one_shot<std::uint64_t> left;
    std::jthread const caller([&] {
      answer_with(left, [&] {
        pools_[at.pool]->run([&](runtime::here&) {
          for (std::size_t i = 0; i < by.number(); ++i) group.run([&child, i] { child(i); });
        });
        return std::uint64_t{1};
      });
    });
    static_cast<void>(by.chance % 3 == 0 ? left.wait() : left.wait(on));
  }
  static_cast<void>(group.wait());
  return got[0] + got[1] + got[2] + got[3];
}

/// The children's answers: of elements that other elements have added.
std::uint64_t mixed_program::feed(mixed_step const& by, place at) {
  std::array<std::uint64_t, 4> got{};
  std::array<std::size_t, 2> const first{0, 1};
  parallel_for_each(first.begin(), first.end(), [&](std::size_t i, feeder<std::size_t>& added) {
    if (i + 2 < by.number()) added.add(i + 2);
    pools_[at.pool]->run([&](runtime::here& h) { got[i] = weight(i) * step(h, by.child[i], at.called()); });
  });
  return got[0] + got[1] + got[2] + got[3];
}

}}}  // namespace skua::v0::testing
