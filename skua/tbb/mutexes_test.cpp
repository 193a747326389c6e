// SPDX-License-Identifier: MIT
// The mutexes of skua::tbb where oneTBB's would hang, and the line of those who wait in every order of steps. tests/onetbb has what both do.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/tbb/waiting_line.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

/// What a client does with the lock.
enum class operation : std::uint8_t { writes, reads, reads_then_writes, writes_then_reads };

/// Three clients who have the lock once each. A step is a critical section of parking_lock.
template <bool fair>
class clients {
 public:
  explicit clients(std::array<operation, 3> const& operations) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      all_[i].does = operations[i];
      all_[i].place.is_writer = operations[i] == operation::writes || operations[i] == operation::writes_then_reads;
    }
  }
  [[nodiscard]] bool can_step(std::size_t i) const {
    return all_[i].at == state::wants || all_[i].at == state::holds || (all_[i].at == state::waits && all_[i].is_woken);
  }
  void step(std::size_t i) {
    client& c = all_[i];
    bool const changes = c.at == state::holds && !c.has_changed;
    if (c.at != state::holds) {
      seek(c);
    } else if (changes && c.does == operation::reads_then_writes) {
      c.has_changed = c.place.is_writer = true;
      if (!line_.upgrade()) c.at = state::wants;
    } else if (changes && c.does == operation::writes_then_reads) {
      c.has_changed = true;
      c.place.is_writer = false;
      wake(line_.downgrade());
    } else {
      c.at = state::done;
      wake(c.place.is_writer ? line_.writer_leaves() : line_.reader_leaves());
    }
  }
  [[nodiscard]] bool is_exclusive() const {
    auto const holders = [this](bool writers) {
      return std::ranges::count_if(all_, [writers](client const& c) {
        return c.place.is_writer == writers && (c.at == state::holds || (c.at == state::waits && c.place.has_lock));
      });
    };
    return holders(true) == 0 || (holders(true) == 1 && holders(false) == 0);
  }
  [[nodiscard]] bool is_over() const {
    return line_.is_idle() && std::ranges::all_of(all_, [](client const& c) { return c.at == state::done; });
  }

 private:
  enum class state : std::uint8_t { wants, waits, holds, done };
  struct client {
    tbb::place_in_line place{.is_writer = false};
    operation does{};
    state at = state::wants;
    bool is_woken = false;
    bool has_changed = false;
  };
  void seek(client& c) {
    if (c.at == state::waits && c.place.has_lock) {
      c.at = state::holds;
    } else if (line_.take(c.place.is_writer)) {
      c.at = state::holds;
    } else {
      c.place = {.is_writer = c.place.is_writer};
      c.is_woken = false;
      c.at = state::waits;
      line_.join(c.place);
    }
    if (c.at == state::holds) c.place.has_lock = false;
  }
  void wake(tbb::place_in_line* first) {
    for (auto* p = first; p != nullptr; p = p->next)
      std::ranges::find_if(all_, [p](client const& c) { return &c.place == p; })->is_woken = true;
  }

  std::array<client, 3> all_;
  tbb::waiting_line<fair> line_;
};

/// Continues the run that `order` begins in every way; returns how many ways there are to its end.
template <bool fair>
long runs_after(std::array<operation, 3> const& operations, std::vector<std::size_t>& order) {
  clients<fair> now(operations);
  for (std::size_t const i : order) now.step(i);
  EXPECT_TRUE(now.is_exclusive());
  long runs = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!now.can_step(i)) continue;
    order.push_back(i);
    runs += runs_after<fair>(operations, order);
    order.pop_back();
  }
  if (runs != 0) return runs;
  EXPECT_TRUE(now.is_over());
  return 1;
}

template <bool fair>
void every_order_of_all_operations() {
  constexpr std::array all{operation::writes, operation::reads, operation::reads_then_writes,
                           operation::writes_then_reads};
  long runs = 0;
  std::vector<std::size_t> order;
  for (operation const a : all)
    for (operation const b : all)
      for (operation const c : all) runs += runs_after<fair>({a, b, c}, order);
  EXPECT_GT(runs, 10'000);
}

TEST(waiting_line, lets_each_client_in_whatever_the_order_of_steps) {
  every_order_of_all_operations<true>();
  every_order_of_all_operations<false>();
}

TEST(waiting_line, is_served_in_order_if_fair) {
  tbb::waiting_line<true> line;
  std::array<tbb::place_in_line, 4> places{
      {{.is_writer = true}, {.is_writer = false}, {.is_writer = false}, {.is_writer = true}}};
  ASSERT_TRUE(line.take(true));
  for (auto& p : places) {
    ASSERT_FALSE(line.take(p.is_writer));
    line.join(p);
  }
  EXPECT_EQ(line.writer_leaves(), places.data());
  EXPECT_FALSE(line.take(false));
  EXPECT_EQ(line.writer_leaves(), &places[1]);
  EXPECT_EQ(places[1].next, &places[2]);  // readers together
  EXPECT_EQ(line.reader_leaves(), nullptr);
  EXPECT_EQ(line.reader_leaves(), &places[3]);
  EXPECT_EQ(line.writer_leaves(), nullptr);
  EXPECT_TRUE(line.is_idle());
}

TEST(waiting_line, lets_no_reader_pass_a_writer_that_waits) {
  tbb::waiting_line<false> line;
  tbb::place_in_line writer{.is_writer = true};
  ASSERT_TRUE(line.take(false));
  ASSERT_FALSE(line.take(true));
  line.join(writer);
  EXPECT_FALSE(line.take(false));
  EXPECT_EQ(line.reader_leaves(), &writer);
  EXPECT_TRUE(line.take(true));
  EXPECT_EQ(line.writer_leaves(), nullptr);
}

template <class Mutex>
void a_holder_waits_for_tasks_that_want_the_mutex_later() {
  Mutex mutex;
  int had_it = 0;
  tbb::task_arena only_worker(1);
  only_worker.execute([&] {
    tbb::task_group others;
    for (int i = 0; i < 20; ++i) {
      others.run([&] {
        typename Mutex::scoped_lock const lock(mutex);
        tbb::task_group inner;
        inner.run([] {});
        inner.wait();  // runs others, too, which park
        ++had_it;
      });
    }
    others.wait();
  });
  EXPECT_EQ(had_it, 20);
}

TEST(mutexes, a_holder_may_wait_for_tasks) {
  a_holder_waits_for_tasks_that_want_the_mutex_later<tbb::spin_mutex>();
  a_holder_waits_for_tasks_that_want_the_mutex_later<tbb::queuing_mutex>();
  a_holder_waits_for_tasks_that_want_the_mutex_later<tbb::rw_mutex>();
  a_holder_waits_for_tasks_that_want_the_mutex_later<tbb::queuing_rw_mutex>();
}

TEST(concurrent_vector, keeps_no_object_where_a_constructor_has_thrown) {
  static int alive = 0;
  struct third_throws {
    third_throws() {
      if (alive == 2) throw usage_error("the third");
      ++alive;
    }
    third_throws(third_throws const&) = delete;
    third_throws& operator=(third_throws const&) = delete;
    ~third_throws() { --alive; }
  };
  {
    tbb::concurrent_vector<third_throws> all;
    EXPECT_THROW(all.grow_by(5), usage_error);
    EXPECT_EQ(all.size(), 5U);
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

TEST(concurrent_hash_map, an_erased_element_lives_as_long_as_its_accessor) {
  using table = tbb::concurrent_hash_map<int, std::vector<int>>;
  table lists;
  table::accessor mine;
  lists.insert(mine, 1);
  mine->second = {7, 8, 9};
  std::atomic<bool> is_gone{false};
  tbb::task_group other;
  other.run([&] {
    EXPECT_TRUE(lists.erase(1));
    is_gone = true;
  });
  EXPECT_TRUE(skua::testing::wait_until("the element is gone", [&] { return lists.count(1) == 0; }));
  EXPECT_EQ(mine->second.back(), 9);
  EXPECT_FALSE(is_gone.load());
  mine.release();
  other.wait();
  EXPECT_TRUE(is_gone.load());
}

}}}  // namespace skua::v0
