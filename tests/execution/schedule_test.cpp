// SPDX-License-Identifier: MIT
// `schedule` on a pool: where and how often an operation completes, with stops, forks of the process, pools that end, and what else
// tasks do around it.
#include "skua/execution/schedule.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "skua/skua.hpp"
#include "tests/execution/small_senders.hpp"
#include "tests/programs/fib.hpp"

namespace skua { inline namespace v0 { namespace {

using testing::basic_reporter;
using testing::ending;
using testing::outcome;
using testing::reporter;
using testing::small_library;
using testing::steady_reporter;
using testing::wait_until;
using scheduler = runtime::senders::scheduler<small_library>;

auto scheduled(pool& where, outcome& to) { return scheduler(where).schedule().connect(reporter{&to}); }
using operation = decltype(scheduled(std::declval<pool&>(), std::declval<outcome&>()));

/// Holds the only worker of a pool.
class plug {
 public:
  explicit plug(pool& where) {
    where.enqueue([this] {
      holds_ = true;
      wait_until("the plug is pulled", [this] { return pulled_.load(); });
      gone_ = true;
    });
    wait_until("the worker is busy", [this] { return holds_.load(); });
  }
  void pull() noexcept { pulled_ = true; }
  ~plug() {
    pull();
    wait_until("the worker is free", [this] { return gone_.load(); });
  }

 private:
  std::atomic<bool> holds_{false}, pulled_{false}, gone_{false};
};

TEST(schedule, completes_on_a_worker_of_its_pool) {
  for (std::uint32_t const workers : {1U, 3U}) {
    pool some({.workers = workers});
    std::atomic<pool*> seen{nullptr};
    outcome result;
    result.then = [&] { seen = &current_pool(); };
    auto op = scheduled(some, result);
    EXPECT_FALSE(result.is_over()) << "before start nothing happens";
    op.start();
    EXPECT_EQ(result.wait(), ending::value);
    EXPECT_EQ(seen, &some);
    EXPECT_TRUE(result.worker.has_value());
    EXPECT_NE(result.thread, testing::this_thread_number());
    some.drain();
  }
}

TEST(schedule, a_receiver_that_nobody_stops_needs_no_environment) {
  pool one({.workers = 1});
  outcome result;
  auto op = scheduler(one).schedule().connect(steady_reporter{&result});
  op.start();
  EXPECT_EQ(result.wait(), ending::value);
  one.drain();
}

TEST(schedule, tasks_of_this_and_of_another_pool_may_start_it) {
  pool here_too({.workers = 2});
  pool other({.workers = 1});
  for (pool* const from : {&here_too, &other}) {
    std::array<outcome, 20> results;
    std::vector<std::unique_ptr<operation>> operations;
    for (outcome& to : results) {
      to.then = [&] { EXPECT_EQ(&current_pool(), &here_too); };
      operations.emplace_back(new operation(scheduled(here_too, to)));
    }
    from->run([&](auto& h) {
      for_each(h, std::size_t{0}, operations.size(), [&](std::size_t i) { operations[i]->start(); }, grain{1});
    });
    for (outcome& to : results) EXPECT_EQ(to.wait(), ending::value);
    here_too.drain();
  }
}

TEST(schedule, a_stop_before_the_start_completes_it_at_once) {
  pool one({.workers = 1});
  plug const busy(one);
  std::stop_source stop;
  outcome result;
  result.env.token = stop.get_token();
  auto op = scheduled(one, result);
  stop.request_stop();
  op.start();
  EXPECT_EQ(result.how, ending::stopped);
  EXPECT_EQ(result.thread, testing::this_thread_number());
}

TEST(schedule, a_stop_while_it_is_queued_keeps_it_from_its_value) {
  pool one({.workers = 1});
  plug busy(one);
  std::stop_source stop;
  outcome stopped;
  outcome other;
  stopped.env.token = stop.get_token();
  auto op = scheduled(one, stopped);
  auto beside = scheduled(one, other);
  op.start();
  beside.start();
  stop.request_stop();
  EXPECT_FALSE(stopped.is_over()) << "it completes when its turn comes";
  busy.pull();
  EXPECT_EQ(stopped.wait(), ending::stopped);
  EXPECT_TRUE(stopped.worker.has_value());
  EXPECT_EQ(other.wait(), ending::value);
  one.drain();
}

TEST(schedule, a_pool_that_ends_completes_what_is_queued) {
  std::array<outcome, 50> results;
  std::vector<std::unique_ptr<operation>> operations;
  {
    pool one({.workers = 1});
    plug busy(one);
    for (outcome& to : results) {
      operations.emplace_back(new operation(scheduled(one, to)));
      operations.back()->start();
    }
    busy.pull();
  }
  for (outcome const& to : results) EXPECT_EQ(to.how, ending::value);
}

TEST(schedule, an_operation_may_be_destroyed_by_its_completion) {
  pool two({.workers = 2});
  std::array<outcome, 100> results;
  std::array<std::unique_ptr<operation>, 100> operations;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].then = [&, i] { operations[i].reset(); };
    operations[i].reset(new operation(scheduled(two, results[i])));
  }
  for (auto& op : operations) op->start();
  for (outcome& to : results) EXPECT_EQ(to.wait(), ending::value);
  two.drain();
}

TEST(schedule, a_pool_counts_what_a_completion_starts) {
  outcome first;
  outcome second;
  std::optional<operation> before;  // both outlive the pool, which completes them
  std::optional<operation> after;
  {
    pool one({.workers = 1});
    struct in_place {
      pool& p;
      outcome& to;
      operator operation() const { return scheduled(p, to); }  // NOLINT(google-explicit-constructor)
    };
    after.emplace(in_place{one, second});
    first.then = [&] { after->start(); };
    before.emplace(in_place{one, first});
    before->start();
  }
  EXPECT_EQ(first.how, ending::value);
  EXPECT_EQ(second.how, ending::value);
}

TEST(schedule, a_child_of_fork_cannot_connect) {
  pool two({.workers = 2});
  pid_t const child = ::fork();
  if (child == 0) {
    outcome result;
    bool refused = false;
    try {
      static_cast<void>(scheduled(two, result));
    } catch (error const& e) {
      refused = std::string(e.what()).find("fork") != std::string::npos;
    }
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(schedule_death_test, a_child_of_fork_ends_when_it_starts_what_was_connected_before) {
  pool two({.workers = 2});
  outcome result;
  auto op = scheduled(two, result);
  EXPECT_DEATH(op.start(), "workers stayed in the parent process");  // in a child of fork()
}

TEST(schedule, completions_may_fork_wait_isolate_and_flow) {
  pool two({.workers = 2});
  outcome result;
  std::atomic<long> sum{0};
  result.then = [&] {
    with_here([&](auto& h) {
      auto const [a, b] =
          h.join([](auto& i) { return testing::fib(i, 12); }, [](auto& i) { return testing::fib(i, 10); });
      sum += a + b;
      h.finish([&](auto& f) { f.spawn(strategies::depth_first{}, [&](auto&) { ++sum; }); });
    });
    isolate([&] { parallel_for(0, 100, [&](int) { ++sum; }); });
    with_here([&](auto& h) {
      flow steps{h};
      auto const one = steps.add([&](auto&) { ++sum; });
      steps.add(after(one), [&](auto&) { ++sum; });
      steps.run(h);
    });
    try {
      parallel_for(0, 100, [](int i) {
        if (i == 50) throw std::runtime_error("inside");
      });
    } catch (std::runtime_error const&) {
      ++sum;
    }
  };
  auto op = scheduled(two, result);
  op.start();
  EXPECT_EQ(result.wait(), ending::value);
  EXPECT_EQ(sum, 144 + 55 + 1 + 100 + 2 + 1);
  two.drain();
}

TEST(schedule, an_isolated_task_waits_for_it_on_another_worker) {
  pool two({.workers = 2});
  two.run([&] {
    isolate([&] {
      outcome result;
      auto op = scheduled(two, result);
      op.start();
      EXPECT_EQ(result.wait(), ending::value);
      EXPECT_NE(result.thread, testing::this_thread_number());
    });
  });
  two.drain();
}

/// stdexec's task_scheduler has room for 72 bytes, of which its own receiver takes 24.
TEST(schedule, an_operation_is_four_words_beside_its_receiver) {
  EXPECT_LE(sizeof(operation), 4 * sizeof(void*) + sizeof(reporter));
}

TEST(schedule, schedulers_of_one_pool_are_equal) {
  pool one({.workers = 1});
  pool two({.workers = 1});
  EXPECT_EQ(scheduler(one), scheduler(one));
  EXPECT_NE(scheduler(one), scheduler(two));
  using query = small_library::completion_scheduler_query<small_library::set_value_t>;
  EXPECT_EQ(scheduler(one).schedule().get_env().query(query{}), scheduler(one));
  EXPECT_EQ(scheduler(one).query(small_library::progress_query{}), small_library::parallel_progress);
}

TEST(schedule, a_sender_says_whether_it_can_be_stopped) {
  using sender = decltype(std::declval<scheduler>().schedule());
  using lib = small_library;
  using value = lib::set_value_t();
  using stopped = lib::set_stopped_t();
  struct nothing {};
  EXPECT_TRUE((std::is_same_v<lib::signatures_of<sender>, lib::signatures<value, stopped>>));
  EXPECT_TRUE((std::is_same_v<lib::signatures_of<sender, testing::with_token>, lib::signatures<value, stopped>>));
  EXPECT_TRUE((std::is_same_v<lib::signatures_of<sender, nothing>, lib::signatures<value>>));
}

/// Chains of operations on two pools: a completion starts the next one on a drawn pool. Other threads stop some.
class chains {
 public:
  chains(std::uint32_t seed, std::size_t number) : dice_(seed), pools_{pool({.workers = 2}), pool({.workers = 1})} {
    for (std::size_t i = 0; i < number; ++i) links_.push_back(std::make_unique<link>(*this));
  }
  void run() {
    for (auto& l : links_) l->begin();
    std::uniform_int_distribution<std::size_t> any(0, links_.size() - 1);
    for (std::size_t i = 0; i < links_.size() / 4; ++i) links_[any(dice_)]->stop.request_stop();
    for (auto& l : links_) wait_until("a chain ends", [&] { return l->is_over.load(); });
    for (pool& p : pools_) p.drain();
    for (auto& l : links_) EXPECT_TRUE(l->steps == l->results.size() || l->was_stopped);
  }

 private:
  struct link {
    explicit link(chains& c) : all(c), chance(static_cast<std::uint32_t>(c.dice_())) {
      for (outcome& to : results) {
        to.env.token = stop.get_token();
        to.then = [this] { ++steps; };
      }
    }
    void begin() { go_on(); }
    /// A completion of the previous step calls it; the outcome of that is noted last, so nobody looks at it before.
    void go_on() {
      std::size_t const step = started++;
      struct in_place {
        link& l;
        std::size_t i;
        operator operation() const {  // NOLINT(google-explicit-constructor)
          return scheduler(l.all.pools_[(l.chance >> i) % 2]).schedule().connect(reporter{&l.results[i]});
        }
      };
      results[step].then = [this, step] {
        ++steps;
        bool const stopped = stop.stop_requested() && step + 1 < results.size();
        if (stopped) was_stopped = true;
        if (stopped || step + 1 == results.size()) {
          is_over = true;
        } else {
          go_on();
        }
      };
      operations[step].emplace(in_place{*this, step});
      operations[step]->start();
    }
    chains& all;
    std::uint32_t const chance;
    std::stop_source stop;
    std::array<outcome, 12> results;
    std::array<std::optional<operation>, 12> operations;
    std::size_t started = 0;
    std::atomic<std::size_t> steps{0};
    std::atomic<bool> was_stopped{false};
    std::atomic<bool> is_over{false};
  };

  std::mt19937 dice_;
  std::array<pool, 2> pools_;
  std::vector<std::unique_ptr<link>> links_;
};

TEST(schedule, random_chains_complete_each_step_once) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    chains(seed, 100).run();
  }
}

}}}  // namespace skua::v0
