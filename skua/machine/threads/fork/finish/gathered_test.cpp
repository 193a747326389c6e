// SPDX-License-Identifier: MIT
// Gathered tasks of a finish region (finish.md, "Gathered tasks"): which tasks run as parts of which, where they are at home, the policy's
// events for the parts, and that the captures of their closures end with them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "skua/skua.hpp"
#include "tests/programs/listening_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::hint;
using skua::policies::cause, skua::policies::event, skua::policies::lane, skua::policies::part_ended;
using skua::policies::placement, skua::policies::task_tag;
using skua::testing::ears, skua::testing::open_listening, skua::testing::this_thread_number, skua::testing::wait_until;

/// What happens on one worker, a letter each.
class story {
 public:
  void add(char what) {
    std::lock_guard const hold(changing_);
    text_ += what;
  }
  [[nodiscard]] std::string text() {
    std::lock_guard const hold(changing_);
    return text_;
  }

 private:
  std::mutex changing_;
  std::string text_;
};

hint of_type(std::uint16_t number) {
  hint h;
  h.type = skua::task_type{number};
  return h;
}

/// Of released tasks the first one waits in `migrated`, where only its worker looks; the others in `spawned`. A part that ends is a bar.
class gathering {
 public:
  explicit gathering(std::uint32_t workers) : pool_({.workers = workers}) {
    all_.needs = {.lanes = {lane::migrated},
                  .times = skua::policies::which_tasks::all,
                  .released = skua::policies::which_tasks::all};
    all_.heard = [this](skua::worker_id, event const& e) {
      if (std::holds_alternative<part_ended>(e)) told.add('|');
    };
    all_.placed = [this](skua::worker_id self, task_tag&, cause why) -> std::optional<placement> {
      if (why != cause::released) return std::nullopt;
      return placement{.worker = first_at.value_or(self), .lane = released_++ == 0 ? lane::migrated : lane::spawned};
    };
    region_ = open_listening(pool_, all_);
  }
  template <class F>
  void run(F&& f) {
    released_ = 0;
    region_->run(f);
  }

  story told;
  std::optional<skua::worker_id> first_at;  ///< none: where it is released

 private:
  skua::pool pool_;
  ears all_;
  std::atomic<int> released_{0};
  std::optional<skua::region> region_;
};

}  // namespace

TEST(gathered, tasks_of_the_same_hints_run_as_parts_of_one) {
  gathering one(1);
  one.run([&](auto& h) {
    h.finish([&](auto& f) {
      f.spawn_gathered(of_type(1), [&](auto& region, bool) {
        one.told.add('a');
        region.spawn_beside(of_type(1), [&](auto&, bool) { one.told.add('b'); });
      });
    });
  });
  EXPECT_EQ(one.told.text(), "a|b");
}

TEST(gathered, tasks_of_another_type_are_none_of_its_parts) {
  gathering one(1);
  one.run([&](auto& h) {
    h.finish([&](auto& f) {
      f.spawn_gathered(of_type(1), [&](auto& region, bool) {
        one.told.add('a');
        region.spawn_beside(of_type(2), [&](auto&, bool) { one.told.add('b'); });
      });
    });
  });
  EXPECT_EQ(one.told.text(), "ab");
}

TEST(gathered, tasks_at_another_address_or_place_are_none_of_its_parts) {
  hint elsewhere = of_type(1);
  elsewhere.address = skua::address::at(0.5);
  hint placed = of_type(1);
  placed.place = skua::place_id{0};
  for (hint const& other : {elsewhere, placed}) {
    gathering one(1);
    one.run([&](auto& h) {
      h.finish([&](auto& f) {
        f.spawn_gathered(of_type(1), [&](auto& region, bool) {
          one.told.add('a');
          region.spawn_beside(other, [&](auto&, bool) { one.told.add('b'); });
        });
      });
    });
    EXPECT_EQ(one.told.text(), "ab");
  }
}

TEST(gathered, tasks_that_are_not_gathered_are_none_of_its_parts) {
  gathering one(1);
  one.run([&](auto& h) {
    h.finish([&](auto& f) {
      f.spawn_gathered(of_type(1), [&](auto& region, bool) {
        one.told.add('a');
        region.spawn(of_type(1), [&](auto&) { one.told.add('b'); });
      });
    });
  });
  EXPECT_EQ(one.told.text(), "ab");
}

TEST(gathered, tasks_are_at_home_where_the_policy_placed_them) {
  gathering two(2);
  two.first_at = skua::worker_id{1};
  std::atomic<int> at_home{-1};
  two.run([&](auto& h) {
    EXPECT_EQ(skua::worker_id{0}, h.worker());
    hint with_data = of_type(1);
    with_data.address = skua::address::at(0.5);
    h.finish([&](auto& f) {
      f.spawn_gathered(with_data, [&](auto& region, bool is_at_home) {
        EXPECT_EQ(region.here().worker(), skua::worker_id{1});
        at_home = is_at_home ? 1 : 0;
      });
    });
  });
  EXPECT_EQ(at_home, 1);
}

/// What was spawned beside a task and stolen from there: at home if it has no data.
TEST(gathered, tasks_that_were_stolen_are_at_home_without_data_only) {
  for (bool const has_address : {false, true}) {
    for (bool const has_place : {false, true}) {
      gathering two(2);
      hint h = of_type(1);
      if (has_address) h.address = skua::address::at(0.5);
      if (has_place) h.place = skua::place_id{0};
      std::atomic<int> at_home{-1};
      two.run([&](auto& here) {
        here.finish([&](auto& f) {
          f.spawn_beside(h, [&](auto&, bool is_at_home) { at_home = is_at_home ? 1 : 0; });
          wait_until("a thief takes the task", [&] { return at_home >= 0; });
        });
      });
      EXPECT_EQ(at_home, has_address || has_place ? 0 : 1) << has_address << has_place;
    }
  }
}

TEST(gathered, are_no_tasks_of_an_isolated_caller) {
  gathering one(1);
  one.run([&](auto& h) {
    h.finish([&](auto& f) { EXPECT_TRUE(f.gathers({})); });
    skua::isolate([&](auto& alone) { alone.finish([&](auto& f) { EXPECT_FALSE(f.gathers({})); }); });
    h.finish([&](auto& f) { EXPECT_TRUE(f.gathers({})); });
  });
}

TEST(gathered, closures_end_with_their_tasks) {
  auto const held = std::make_shared<int>(1);
  gathering one(1);
  one.run([&](auto& h) {
    h.finish([&](auto& f) {
      f.spawn_gathered(of_type(1), [held](auto& region, bool) {
        region.spawn_beside(of_type(1), [held](auto&, bool) {});
        region.spawn([held](auto&) {});
      });
      f.spawn_team(of_type(2), [held](auto&) {}, [held](auto&) {});
    });
  });
  EXPECT_EQ(held.use_count(), 1);
}

/// From `migrated` the oldest comes first, from the others the newest.
TEST(gathered, or_not_tasks_wait_in_the_lane_in_which_the_policy_placed_them) {
  for (lane const where : {lane::migrated, lane::local, lane::spawned}) {
    ears all;
    all.needs = {.lanes = {lane::local, lane::migrated}, .released = skua::policies::which_tasks::all};
    all.placed = [where](skua::worker_id self, task_tag&, cause why) -> std::optional<placement> {
      if (why == cause::released) return placement{.worker = self, .lane = where};
      return std::nullopt;
    };
    skua::pool pool({.workers = 1});
    auto const region = open_listening(pool, all);
    story told;
    region.run([&](auto& h) {
      h.finish([&](auto& f) {
        for (char const c : {'a', 'b', 'c'}) f.spawn([&told, c](auto&) { told.add(c); });
      });
    });
    EXPECT_EQ(told.text(), where == lane::migrated ? "abc" : "cba");
  }
}

/// The policy has not asked for the lane in which it places them, so that they stay.
TEST(gathered, tasks_that_cannot_be_placed_are_at_home_where_they_stay) {
  ears all;
  all.needs = {.released = skua::policies::which_tasks::all};
  all.placed = [](skua::worker_id, task_tag&, cause why) -> std::optional<placement> {
    if (why == cause::released) return placement{.worker = skua::worker_id{1}, .lane = lane::local};
    return std::nullopt;
  };
  skua::pool pool({.workers = 2});
  auto const region = open_listening(pool, all);
  std::atomic<bool> is_kept{false};
  std::atomic<int> at_home{-1};
  region.run([&](auto& here) {
    EXPECT_EQ(here.worker(), skua::worker_id{0});
    here.join(
        [&](auto& h) {
          wait_until("the other worker comes", [&] { return is_kept.load(); });
          hint with_data = of_type(1);
          with_data.address = skua::address::at(0.5);
          h.finish([&](auto& f) {
            f.spawn_gathered(with_data, [&](auto&, bool is_at_home) { at_home = is_at_home ? 1 : 0; });
          });
        },
        [&](auto&) {
          is_kept = true;
          wait_until("the task has run", [&] { return at_home >= 0; });
        });
  });
  EXPECT_EQ(at_home, 1);
}

TEST(gathered, tasks_and_their_parts_are_counted_as_spawned) {
  skua::pool pool({.workers = 1});
  pool.run([&](auto& h) {
    auto const before = pool.counters()[0].spawns;
    h.finish([&](auto& f) {
      f.spawn([](auto&) {});
      f.spawn_gathered(of_type(1), [&](auto& region, bool) { region.spawn_beside(of_type(1), [](auto&, bool) {}); });
    });
    EXPECT_EQ(pool.counters()[0].spawns - before, 3U);
  });
}

/// The mark of an isolated call is taken back when the call returns.
TEST(gathered, or_not_a_team_includes_a_worker_whose_isolated_call_has_returned) {
  ears all;
  all.needs = {.lanes = {lane::migrated},
               .chosen = skua::policies::which_tasks::all,
               .released = skua::policies::which_tasks::all};
  all.placed = [](skua::worker_id self, task_tag&, cause why) -> std::optional<placement> {
    if (why == cause::released) return placement{.worker = self, .lane = lane::migrated};
    if (why == cause::chosen) return placement{.worker = skua::worker_id{0}, .lane = lane::inbox, .width = 2};
    return std::nullopt;
  };
  skua::pool pool({.workers = 2});
  auto const region = open_listening(pool, all);
  for (int round = 0; round < 5; ++round) {
    std::atomic<std::uint32_t> width{0};
    region.run([&](auto& h) {
      skua::isolate([](auto& outer) { outer.join([](auto&) { skua::isolate([](auto&) {}); }, [](auto&) {}); });
      h.finish([&](auto& f) { f.spawn_team(of_type(1), [&](auto& team) { width = team.width(); }, [](auto&) {}); });
    });
    EXPECT_EQ(width, 2U);
  }
}
