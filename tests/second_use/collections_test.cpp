// SPDX-License-Identifier: MIT
// A task collection is as new after uses that went wrong: drawn sequences of uses, each compared with what collection.md says
// that it leaves behind. Ranks are threads of the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"
#include "tests/programs/effort.hpp"

namespace {

struct plain_task {
  std::uint32_t id;
  bool is_spawned;
  static plain_task make(std::uint32_t id, bool is_spawned) { return {id, is_spawned}; }
  [[nodiscard]] std::uint32_t number() const { return id; }
};

/// One that owns memory.
struct serialized_task {
  std::vector<std::uint32_t> ids;
  bool is_spawned = false;
  template <class Archive>
  void serialize(Archive& a) {
    a(ids, is_spawned);
  }
  static serialized_task make(std::uint32_t id, bool is_spawned) {
    return {std::vector<std::uint32_t>(id + 1, id), is_spawned};
  }
  [[nodiscard]] std::uint32_t number() const { return ids.size() == ids.back() + 1 ? ids.back() : ~std::uint32_t{0}; }
};

struct breaks : std::runtime_error {
  breaks() : std::runtime_error("this use fails") {}
};

constexpr std::uint32_t ids = 12;
/// By their number, how many tasks all ranks have together.
using amounts = std::vector<double>;

double sum_of(amounts const& a) { return std::accumulate(a.begin(), a.end(), 0.0); }

/// Drawn uses of one collection. Every rank draws the same.
template <class Task>
class uses {
 public:
  uses(skua::communicator& world, std::uint64_t seed)
      : world_(world), roll_(seed), ran_(ids),
        all_(world, {}, [this](skua::task_site<Task>& here, Task const& t) { return run(here, t); }) {}

  void go(int steps) {
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE(testing::Message() << "step " << step);
      one();
      std::array<double, 2> now{static_cast<double>(all_.num_waiting()), static_cast<double>(all_.num_recorded())};
      world_.sum(now);
      EXPECT_EQ(now, (std::array{sum_of(waiting_), sum_of(recorded_)})) << "waiting, recorded";
    }
  }

 private:
  void one() {
    switch (roll_.below(9)) {
      case 0:
      case 1: return add();
      case 2: return process_well(how::ends);
      case 3: return process_well(how::is_null);
      case 4: return process_well(how::spawns);
      case 5: return process_badly();
      case 6: return all_.enable_stealing(roll_.below(2) == 0);
      case 7: return what_is_refused();
      default: return restore();
    }
  }

  void add() {
    for (std::uint32_t n = roll_.below(40); n > 0; --n) {
      std::uint32_t const id = roll_.below(ids);
      if (roll_.below(world_.size()) == world_.rank()) all_.add(Task::make(id, false));
      ++waiting_[id];
    }
  }

  enum class how : std::uint8_t { ends, is_null, spawns };
  void process_well(how h) {
    how_ = h;
    clear_ran();
    all_.process();
    amounts expected = waiting_;
    if (h == how::spawns) {
      for (double& n : expected) n *= 2;
    }
    EXPECT_EQ(ran_everywhere(), expected);
    recorded_ = h == how::is_null ? amounts(ids) : waiting_;
    waiting_ = amounts(ids);
    executed_ = true;
  }

  void process_badly() {
    std::uint32_t const bad = roll_.below(ids);
    how_ = how::ends;
    throws_ = bad;
    executed_ = false;
    try {
      all_.process();
      EXPECT_EQ(waiting_[bad], 0);
      recorded_ = waiting_;
      executed_ = true;
    } catch (breaks const&) {
      recorded_ = amounts(ids);
    } catch (skua::remote_error const&) {
      recorded_ = amounts(ids);
    }
    throws_ = std::nullopt;
    waiting_ = amounts(ids);
  }

  void what_is_refused() {
    EXPECT_THROW(all_.rebalance("perfect"), skua::usage_error);
    if (executed_ && sum_of(waiting_) == 0) {
      EXPECT_THROW(all_.checkpoint("/proc/none/here"), skua::resource_error);
    } else {
      EXPECT_THROW(all_.checkpoint("/proc/none/here"), skua::usage_error);
    }
    EXPECT_THROW(static_cast<void>(all_.restart("/proc/none/here")), skua::resource_error);
    world_.barrier();
  }

  void restore() {
    if (roll_.below(3) == 0) {
      if (executed_) {
        all_.rebalance("centralised");
      } else {
        EXPECT_THROW(all_.rebalance("centralised"), skua::usage_error);
      }
    }
    executed_ = false;
    all_.restore(roll_.below(2) == 0 ? skua::placement_of_tasks::original : skua::placement_of_tasks::retained);
    std::ranges::transform(waiting_, recorded_, waiting_.begin(), std::plus<>{});
    recorded_ = amounts(ids);
  }

  skua::task_outcome run(skua::task_site<Task>& here, Task const& t) {
    std::uint32_t const id = t.number();
    if (throws_ == id) throw breaks();
    ran_.at(id).fetch_add(1, std::memory_order_relaxed);
    if (how_ == how::spawns && !t.is_spawned) here.spawn(Task::make(id, true));
    return how_ == how::is_null ? skua::task_outcome::null : skua::task_outcome::done;
  }
  void clear_ran() {
    for (auto& n : ran_) n.store(0, std::memory_order_relaxed);
  }
  [[nodiscard]] amounts ran_everywhere() {
    amounts all(ran_.begin(), ran_.end());
    world_.sum(all);
    return all;
  }

  skua::communicator& world_;
  skua::runtime::dice roll_;
  amounts waiting_ = amounts(ids);
  amounts recorded_ = amounts(ids);
  bool executed_ = false;  ///< since the last restore() or failure
  how how_ = how::ends;
  std::optional<std::uint32_t> throws_;
  std::vector<std::atomic<std::uint32_t>> ran_;
  skua::task_collection<Task> all_;
};

struct shape {
  std::uint32_t ranks;
  std::uint32_t threads;
  friend std::ostream& operator<<(std::ostream& out, shape const& s) {
    return out << s.ranks << " ranks, " << s.threads << " threads each";
  }
};

class second_use_of_collections : public ::testing::TestWithParam<shape> {
 protected:
  /// Two collections of one communicator, one after the other.
  template <class Task>
  static void twice(skua::communicator& world) {
    for (std::uint64_t const seed : {11U, 12U}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", rank " << world.rank());
      uses<Task>(world, seed).go(skua::testing::full_or(200, 25));
    }
  }

  template <class Task>
  static void on_all() {
    skua::ranks::on_ranks(GetParam().ranks, [](skua::communicator& world) {
      if (GetParam().threads == 0) return twice<Task>(world);
      skua::pool threads(GetParam().threads);
      skua::rank_pool const workers(world, threads, skua::serving::server_thread);
      twice<Task>(world);
    });
  }
};

TEST_P(second_use_of_collections, are_as_the_model_says) { on_all<plain_task>(); }
TEST_P(second_use_of_collections, of_serialized_tasks_are_as_the_model_says) { on_all<serialized_task>(); }

INSTANTIATE_TEST_SUITE_P(of_ranks, second_use_of_collections, ::testing::Values(shape{1, 0}, shape{3, 0}, shape{1, 2}));

TEST(second_use_of_a_full_collection, is_as_the_first_one) {
  auto const world = skua::communicator::alone();
  int ran = 0;
  skua::task_collection<int> all(*world, {.limit = 8}, [&](int) { ++ran; });
  for (int round = 0; round < 3; ++round) {
    for (int n = 0; n < 8; ++n) all.add(n);
    EXPECT_THROW(all.add(8), skua::resource_error);
    EXPECT_THROW(all.emplace(8), skua::resource_error);
    EXPECT_EQ(all.num_waiting(), 8U);
    ran = 0;
    all.process();
    EXPECT_EQ(ran, 8);
  }
  all.restore();
  EXPECT_THROW(all.add(8), skua::resource_error);
  all.process();
  EXPECT_EQ(ran, 16);
}

}  // namespace
