// SPDX-License-Identifier: MIT
// A task's exception reaches its join, once; nothing leaks; the pool goes on. A stop ends what it should.
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/random_program.hpp"

namespace {

using skua::testing::random_program;
using skua::testing::thrown;

class Failures : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  skua::pool pool_{{.workers = GetParam(), .policy = "random"}};
};

INSTANTIATE_TEST_SUITE_P(Workers, Failures, ::testing::Values(1U, 2U, 5U));

TEST_P(Failures, ThrowFromEveryKthTaskOfRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    random_program reference(seed, 4);
    skua::serial alone;
    auto const expected = reference(alone);
    long const tasks = reference.tasks();
    for (long k = 1; k <= tasks; k += 1 + tasks / 17) {
      random_program program(seed, 4);
      program.throw_from(k);
      EXPECT_THROW(pool_.run([&](auto& h) { return program(h); }), thrown) << "seed " << seed << " task " << k;
      EXPECT_EQ(program.living(), 0) << "seed " << seed << " task " << k;
    }
    random_program again(seed, 4);
    EXPECT_EQ(pool_.run([&](auto& h) { return again(h); }), expected) << "seed " << seed;
  }
}

TEST_P(Failures, TheSecondChildsExceptionArrives) {
  EXPECT_THROW(pool_.run([](auto& h) { h.join([](auto&) {}, [](auto&) { throw thrown("second"); }); }), thrown);
}

TEST_P(Failures, OneOfManyArrives) {
  std::vector<int> cells(100);
  std::iota(cells.begin(), cells.end(), 0);
  for (int bad : {0, 1, 57, 99}) {
    EXPECT_THROW(pool_.run([&](auto& h) {
      h.each(cells, [bad](auto&, int c) {
        if (c == bad) throw thrown("each");
      });
    }),
                 thrown);
  }
}

TEST_P(Failures, ARunningSiblingSeesTheFailure) {
  if (GetParam() == 1) GTEST_SKIP() << "needs two workers";
  // The child that throws waits until its sibling runs; the sibling runs until it sees the failure.
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> running{false};
    EXPECT_THROW(pool_.run([&](auto& h) {
      h.join(
          [&](auto&) {
            while (!running.load()) std::this_thread::yield();
            throw thrown("first");
          },
          [&](auto& g) {
            running.store(true);
            while (!g.stop_requested()) std::this_thread::yield();
          });
    }),
                 thrown);
  }
}

/// A stolen child throws when its owner's part runs; that part ends when it hears of it, and the throw arrives.
template <class Start>
void throw_from_the_stolen_half(skua::pool& pool, Start const& start) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.run([&](auto& h) { start(h, [](auto&) { throw thrown("stolen"); }); }), thrown);
  }
}

TEST_P(Failures, TheOwnerSeesAStolenSiblingsFailure) {
  if (GetParam() == 1) GTEST_SKIP() << "needs two workers";
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    h.join(
        [](auto& g) {
          while (!g.stop_requested()) std::this_thread::yield();
        },
        fails);
  });
}

TEST_P(Failures, TheOwnersForksEndWhenAStolenSiblingFails) {
  if (GetParam() == 1) GTEST_SKIP() << "needs two workers";
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    h.join(
        [](auto& g) {
          for (;;) g.join([](auto&) {}, [](auto&) {});
        },
        fails);
  });
}

TEST_P(Failures, TheFirstOfManySeesTheFailureOfAStolenOne) {
  if (GetParam() == 1) GTEST_SKIP() << "needs two workers";
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    h.join(
        [](auto& g) {
          while (!g.stop_requested()) std::this_thread::yield();
        },
        [](auto&) {}, fails);
  });
}

TEST_P(Failures, AStolenGrandchildSeesTheFailureOfItsParentsSibling) {
  if (GetParam() < 3) GTEST_SKIP() << "needs three workers";
  // The parent waits for the grandchild; its own sibling fails.
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    std::atomic<bool> grandchild_runs{false};
    h.join(
        [&](auto& g) {
          g.join(
              [&](auto&) {
                while (!grandchild_runs.load()) std::this_thread::yield();
              },
              [&](auto& k) {
                grandchild_runs.store(true);
                while (!k.stop_requested()) std::this_thread::yield();
              });
        },
        [&](auto& g) {
          while (!grandchild_runs.load()) std::this_thread::yield();
          fails(g);
        });
  });
}

TEST_P(Failures, AScopesBodySeesTheFailureOfAStolenChild) {
  if (GetParam() == 1) GTEST_SKIP() << "needs two workers";
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    h.scope([&](auto& s) {
      s.fork(fails);
      while (!h.stop_requested()) std::this_thread::yield();
    });
  });
}

TEST_P(Failures, AFailureThatArrivedStopsNobodyElse) {
  // What was robbed and has failed is forgotten when its join has ended.
  auto const sum = pool_.run([](auto& h) {
    long good = 0;
    for (int i = 0; i < 300; ++i) {
      try {
        h.join([](auto& g) { g.join([](auto&) { std::this_thread::yield(); }, [](auto&) {}); },
               [](auto&) { throw thrown("again"); });
      } catch (thrown const&) {
        auto [a, b] =
            h.join([](auto& g) { return std::get<0>(g.join([](auto&) { return 1; }, [](auto&) { return 2; })); },
                   [](auto&) { return 3; });
        good += a + b;
      }
      if (h.stop_requested()) return -1L;
    }
    return good;
  });
  EXPECT_EQ(sum, 300 * 4);
}

TEST_P(Failures, AStopRequestedAtARandomMomentEndsTheRun) {
  auto forever = [](auto& self, auto& h) -> void {
    for (;;) h.join([](auto&) {}, [](auto&) {});
    self(self, h);
  };
  for (int round = 0; round < 10; ++round) {
    std::stop_source source;
    std::thread stopper([&, round] {
      std::this_thread::sleep_for(std::chrono::microseconds(50 * round));
      source.request_stop();
    });
    EXPECT_THROW(pool_.run([&](auto& h) {
      h.with_stop(source.get_token(), [&](auto& g) {
        g.join([&](auto& a) { forever(forever, a); }, [&](auto& b) { forever(forever, b); });
      });
    }),
                 skua::cancelled);
    stopper.join();
  }
  EXPECT_EQ(pool_.run([](auto&) { return 1; }), 1);
}

TEST_P(Failures, AStopBeforehandRunsNothing) {
  std::stop_source source;
  source.request_stop();
  bool ran = false;
  EXPECT_THROW(pool_.run([&](auto& h) { h.with_stop(source.get_token(), [&](auto&) { ran = true; }); }),
               skua::cancelled);
  EXPECT_FALSE(ran);
}

TEST_P(Failures, ATokenThatIsNeverStoppedChangesNothing) {
  std::stop_source source;
  auto const sum = pool_.run([&](auto& h) {
    return h.with_stop(source.get_token(), [](auto& g) {
      auto [a, b] = g.join([](auto&) { return 1; }, [](auto&) { return 2; });
      return a + b;
    });
  });
  EXPECT_EQ(sum, 3);
}

TEST_P(Failures, AJoinInAHandlerMayWait) {
  // The frame is suspended inside a catch block, perhaps resumed elsewhere; the exception must still be there.
  for (int round = 0; round < 50; ++round) {
    auto const message = pool_.run([](auto& h) -> std::string {
      try {
        throw thrown("outer");
      } catch (thrown const&) {
        h.join([](auto& g) { g.join([](auto&) {}, [](auto&) {}); },
               [](auto&) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
        try {
          throw;
        } catch (thrown const& again) {
          return again.what();
        }
      }
    });
    EXPECT_EQ(message, "outer");
  }
}

}  // namespace
