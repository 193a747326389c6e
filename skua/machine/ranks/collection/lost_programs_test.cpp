// SPDX-License-Identifier: MIT
// Random programs that lose ranks: several collections in one job, of tasks that spawn and of ranges that split, added with works and without,
// with workers and progress threads, every start of an iteration, other collective calls between them, and distributed matrices beside them. All
// live ranks go on from the same call, and every iteration that they complete has each task once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/collection/mortal_for_test.hpp"
#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/collection/task_collection.hpp"
#include "skua/rank_pool.hpp"
#include "tests/programs/effort.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using mortal::died, mortal::fates, mortal::mortal_transport, mortal::mortality;

constexpr std::uint32_t iterations = 4;
constexpr double deadline_s = 3;

struct node {
  std::uint64_t value;
  std::uint64_t children;
};

/// A program, the same on every rank.
struct drawn_program {
  explicit drawn_program(std::uint64_t number) : seed(number), dice(number) {
    ranks = 2 + dice.below(4);
    has_progress_threads = dice.below(2) == 0;
    workers = dice.below(3);
    collections = 1 + dice.below(3);
    has_parts = dice.below(2) == 0;
    has_matrix = dice.below(6) == 0;
    matrix_ends = dice.below(2) == 0;
    // Half of the first ones are those of rank 0, and the second ones those of its successor.
    bool const leaders_die = dice.below(2) == 0;
    std::uint32_t const deaths = dice.below(4) == 0 ? 2 : 1;
    for (std::uint32_t d = 0; d < deaths && d + 1 < ranks; ++d) {
      rank_number const who = leaders_die ? d : 1 + dice.below(ranks - 1);
      dies.emplace_back(who, dice.below(static_cast<std::uint32_t>((leaders_die ? 70 : 40) * collections)));
    }
  }
  /// Every death can be made up for.
  [[nodiscard]] bool must_go_on() const { return dies.size() < 2 && !has_parts && (!has_matrix || matrix_ends); }
  [[nodiscard]] std::string start_of(std::uint32_t iteration, std::size_t collection) const {
    static constexpr char const* local[] = {"", "retentive", "none"};
    static constexpr char const* with_parts[] = {"auto",        "steal", "hierarchical", "tempered",
                                                 "centralised", "due",   "auto"};
    runtime::dice d(seed * 1000 + iteration * 10 + collection);
    return has_parts && d.below(2) == 0 ? with_parts[d.below(7)] : local[d.below(3)];
  }

  std::uint64_t seed;
  runtime::dice dice;
  std::uint32_t ranks;
  bool has_progress_threads;
  std::uint32_t workers;  ///< 0: the rank's thread only; 1: two more; 2: one more beside it
  std::size_t collections;
  bool has_parts;  ///< calls in which a death may end the job
  bool has_matrix;
  bool matrix_ends;  ///< before a rank may die
  std::vector<std::pair<rank_number, std::uint64_t>>
      dies;  ///< the rank, and after how many messages since the first iteration
};

/// A collection whose tasks are numbers, and their sum on this rank.
class summed {
 public:
  virtual ~summed() = default;
  virtual void process() = 0;
  virtual void restore(std::string const& how) = 0;
  virtual void recover() = 0;
  virtual void report() = 0;
  std::atomic<std::uint64_t> own{0};
  std::uint64_t of_all = 0;
};

/// Some tasks are long enough for looks of the progress thread.
void spend_time_on(std::uint64_t value) {
  if (value % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void run_task(task_site<node>& here, node const& n, std::atomic<std::uint64_t>& own) {
  own += n.value;
  for (std::uint64_t c = 0; c < n.children; ++c) here.spawn({n.value + c, 0});
  spend_time_on(n.value);
}

void run_task(task_site<index_range>& here, index_range const& r, std::atomic<std::uint64_t>& own) {
  for (std::uint64_t i = r.first; i < r.last; ++i) own += i;
  here.progress();
  spend_time_on(r.first);
}

template <class Task>
class summed_tasks final : public summed {
 public:
  summed_tasks(communicator& world, std::string const& name)
      : all(world, {.name = name, .on_loss = lost_tasks::run_again},
            [this](task_site<Task>& here, Task const& t) { run_task(here, t, own); }) {}
  void process() override {
    own = 0;
    all.process();
  }
  void restore(std::string const& how) override {
    if (how == "due") static_cast<void>(all.rebalance_if_due("hierarchical"));
    how.empty() || how == "due" ? all.restore() : all.restore(how);
  }
  void recover() override { all.recover(); }
  void report() override { static_cast<void>(all.report()); }
  task_collection<Task> all;
};

/// Nodes, some of them with works.
std::unique_ptr<summed> nodes_of(communicator& world, std::string const& name, runtime::dice dice) {
  auto made = std::make_unique<summed_tasks<node>>(world, name);
  bool const weighed = dice.below(2) == 0;
  for (std::uint64_t n = 0; n < 40; ++n) {
    std::uint64_t const value = n * 7 + dice.below(5);
    std::uint64_t const children = dice.below(3);
    rank_number const on = dice.below(dice.below(2) + 1) == 0 ? 0 : dice.below(world.size());
    bool const has_work = weighed || dice.below(2) == 0;
    for (std::uint64_t c = 0; c <= children; ++c) made->of_all += c == 0 ? value : value + c - 1;
    if (on != world.rank()) continue;
    has_work ? made->all.add({value, children}, 1.0 + static_cast<double>(n)) : made->all.add({value, children});
  }
  if (weighed) made->all.rebalance("hierarchical");
  return made;
}

/// Ranges that split, some of them added with their works.
std::unique_ptr<summed> ranges_of(communicator& world, std::string const& name, runtime::dice dice) {
  auto made = std::make_unique<summed_tasks<index_range>>(world, name);
  bool const weighed = dice.below(2) == 0;
  for (std::uint64_t n = 0; n < 6; ++n) {
    std::uint64_t const first = n * 100;
    std::uint64_t const last = first + dice.below(60);
    std::uint64_t const grain = 1 + dice.below(5);
    rank_number const on = dice.below(world.size());
    bool const has_work = weighed || dice.below(2) == 0;
    for (std::uint64_t i = first; i < last; ++i) made->of_all += i;
    if (on != world.rank()) continue;
    if (has_work) {
      made->all.add({first, last, grain}, 1.0 + static_cast<double>(last - first));
    } else {
      made->all.add_range(first, last, grain);
    }
  }
  if (weighed) made->all.rebalance("tempered");
  return made;
}

/// What one rank saw.
struct seen {
  std::uint32_t complete = 0;  ///< iterations
  std::uint32_t wrong = 0;     ///< sums of these
  std::uint32_t losses = 0;
  std::uint32_t live = 0;
  std::string error;
};

/// Between two process(): other calls of the same communicator.
void call_others(communicator& world, drawn_program const& p, std::uint32_t iteration) {
  runtime::dice d(p.seed * 77 + iteration);
  if (d.below(2) == 0) static_cast<void>(world.allgather(world.rank()));
  if (d.below(2) == 0) static_cast<void>(world.max(1.0));
  if (p.has_parts && d.below(2) == 0) static_cast<void>(world.gather(world.rank(), world.first_live()));
  if (d.below(2) == 0) static_cast<void>(world.broadcast(1.0, world.first_live()));
}

void iterate_once(communicator& world, drawn_program const& p, std::vector<std::unique_ptr<summed>>& all,
                  std::uint32_t iteration, seen& out) {
  std::uint32_t wrong = 0;
  for (auto const& c : all) {
    c->process();
    wrong += world.sum(c->own.load()) != c->of_all ? 1 : 0;
    if (p.seed % 2 == 0) c->report();
  }
  call_others(world, p, iteration);
  for (std::size_t c = 0; c < all.size(); ++c) all[c]->restore(p.start_of(iteration, c));
  out.wrong += wrong;
}

void program(communicator& world, drawn_program const& p, mortality& mine, seen& out) {
  world.watch(deadline_s);
  std::optional<pool> threads;
  std::optional<rank_pool> working;
  if (p.workers > 0) {
    threads.emplace(p.workers == 1 ? 2U : 1U);
    working.emplace(world, *threads, p.workers == 1 ? serving::server_thread : serving::between_tasks);
  }
  std::vector<std::unique_ptr<summed>> all;
  runtime::dice kinds(p.seed * 5);
  for (std::size_t c = 0; c < p.collections; ++c) {
    std::string const name = "collection " + std::to_string(c);
    runtime::dice const tasks(p.seed * 100 + c);
    all.push_back(kinds.below(2) == 0 ? nodes_of(world, name, tasks) : ranges_of(world, name, tasks));
  }
  std::optional<distributed_matrix<double>> matrix;
  if (p.has_matrix) matrix.emplace(world, 8, 8);
  bool is_lost = false;
  while (out.complete < iterations) {
    mine.counts = out.complete == 1 || out.complete == 2;  // all ranks learn of the death in the last one
    try {
      for (auto const& c : all) {
        if (is_lost) c->recover();
      }
      is_lost = false;
      iterate_once(world, p, all, out.complete, out);
      if (p.matrix_ends) matrix.reset();
      if (out.complete == 0) world.barrier();
      ++out.complete;
    } catch (rank_lost const& lost) {
      ++out.losses;
      if (!lost.can_go_on()) throw;
      is_lost = true;
    }
  }
  mine.counts = false;
}

std::vector<seen> run(drawn_program const& p) {
  auto const network = std::make_shared<loopback_network>(p.ranks, 0, disorder{.seed = p.seed, .delays_one_in = 6});
  if (p.has_progress_threads) network->allow_any_thread();
  fates fate(p.ranks);
  for (auto const& [rank, after] : p.dies) fate[rank].may_send = after;
  std::vector<seen> all(p.ranks);
  std::vector<std::jthread> threads;
  for (rank_number r = 0; r < p.ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        communicator world(std::make_unique<mortal_transport>(loopback_network::owned_end(network, r), fate));
        program(world, p, fate[r], all[r]);
        all[r].live = world.live();
      } catch (died const&) {
        all[r].error = "died";
      } catch (std::exception const& e) {
        all[r].error = e.what();
      }
    });
  }
  threads.clear();
  return all;
}

/// Returns the number of losses after which the ranks went on.
std::uint32_t check(drawn_program const& p, std::vector<seen> const& all) {
  std::uint32_t dead = 0;
  for (seen const& s : all) dead += s.error == "died" ? 1 : 0;
  seen const& first = *std::ranges::find_if(all, [](seen const& s) { return s.error != "died"; });
  for (rank_number r = 0; r < p.ranks; ++r) {
    SCOPED_TRACE("program " + std::to_string(p.seed) + ", rank " + std::to_string(r) + " of " +
                 std::to_string(p.ranks));
    seen const& s = all[r];
    EXPECT_EQ(s.wrong, 0U);
    if (s.error == "died") continue;
    if (p.must_go_on()) {
      EXPECT_EQ(s.error, "");
    } else if (!s.error.empty()) {
      EXPECT_NE(s.error.find("died"), std::string::npos) << s.error;
    }
    EXPECT_EQ(s.error.empty(), first.error.empty()) << s.error << first.error;
    if (!s.error.empty()) continue;
    EXPECT_EQ(s.complete, iterations);
    EXPECT_EQ(s.live, p.ranks - dead);
    EXPECT_EQ(s.losses, first.losses);
  }
  return first.error.empty() ? first.losses : 0;
}

TEST(programs_that_lose_ranks, go_on_with_each_task_once_or_end_on_every_rank) {
  std::uint32_t losses = 0;
  for (std::uint64_t seed = 1; seed <= testing::full_or(80U, 40U); ++seed) {
    drawn_program const p(seed);
    losses += check(p, run(p));
    if (HasFailure()) break;
  }
  EXPECT_GT(losses, 10U);
}

}}}}  // namespace skua::v0::ranks
