// SPDX-License-Identifier: MIT
// A flow keeps its exceptions: those it handles and those in flight, whichever thread runs it next.
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/context/flow_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::flow;
using testing::worker_thread;

/// Resumes `f` on a new thread.
bool resume_elsewhere(flow& f) {
  bool more = false;
  std::thread([&] {
    worker_thread const worker(1);
    more = f.resume();
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    EXPECT_EQ(std::current_exception(), nullptr);
  }).join();
  return more;
}

TEST(exceptions, handler_suspended_here_rethrows_there) {
  worker_thread const worker;
  stack_pool pool;
  std::string caught;
  flow f(pool, [&](flow& me) {
    try {
      try {
        throw std::runtime_error("mine");
      } catch (...) {
        me.pause();
        throw;
      }
    } catch (std::runtime_error const& e) {
      caught = e.what();
    }
  });
  EXPECT_TRUE(f.resume());
  EXPECT_EQ(std::current_exception(), nullptr) << "this flow handles nothing";
  // Meanwhile this thread throws and handles another.
  try {
    throw std::logic_error("another");
  } catch (std::logic_error const&) {
    EXPECT_FALSE(resume_elsewhere(f));
    EXPECT_EQ(caught, "mine");
    try {
      throw;
    } catch (std::logic_error const& e) {
      EXPECT_STREQ(e.what(), "another");
    }
  }
}

TEST(exceptions, handlers_of_two_flows_interleave) {
  worker_thread const worker;
  stack_pool pool;
  auto const body = [](std::string const& name, std::string& caught) {
    return [name, &caught](flow& me) {
      try {
        throw std::runtime_error(name);
      } catch (...) {
        me.pause();
        try {
          throw std::logic_error(name + " inner");
        } catch (...) {
          me.pause();
          try {
            throw;
          } catch (std::exception const& e) {
            caught = e.what();
          }
        }
        me.pause();
        try {
          throw;
        } catch (std::exception const& e) {
          caught += ", ";
          caught += e.what();
        }
      }
    };
  };
  std::string caught_a;
  std::string caught_b;
  flow a(pool, body("a", caught_a));
  flow b(pool, body("b", caught_b));
  // The lifetimes of handlers do not nest: a's first handler ends after b's began, and so on.
  for (bool more = true; more;) {
    bool const a_lives = a.resume();
    more = b.resume();
    EXPECT_EQ(a_lives, more);
  }
  EXPECT_EQ(caught_a, "a inner, a");
  EXPECT_EQ(caught_b, "b inner, b");
}

struct pauses_in_destructor {
  flow& me;
  int& seen_before;
  int& seen_after;
  ~pauses_in_destructor() {
    seen_before = std::uncaught_exceptions();
    me.pause();
    seen_after = std::uncaught_exceptions();
  }
};

TEST(exceptions, uncaught_count_travels_with_an_unwinding_flow) {
  worker_thread const worker;
  stack_pool pool;
  int before = -1;
  int after = -1;
  bool caught = false;
  flow f(pool, [&](flow& me) {
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    try {
      pauses_in_destructor const p{me, before, after};
      throw 1;
    } catch (int) {
      caught = true;
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
  EXPECT_TRUE(f.resume());
  EXPECT_EQ(std::uncaught_exceptions(), 0) << "the other flow's exception is not in flight here";
  EXPECT_FALSE(resume_elsewhere(f));
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
  EXPECT_TRUE(caught);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(exceptions, flow_started_while_unwinding_sees_none) {
  worker_thread const worker;
  stack_pool pool;
  int seen = -1;
  struct runs_a_flow {
    stack_pool& pool;
    int& seen;
    ~runs_a_flow() {
      flow f(pool, [this](flow&) { seen = std::uncaught_exceptions(); });
      f.resume();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  try {
    runs_a_flow const r{pool, seen};
    throw 1;
  } catch (int) {}
  EXPECT_EQ(seen, 0);
}

TEST(exceptions, exception_objects_are_destroyed_once) {
  worker_thread const worker;
  stack_pool pool;
  auto const token = std::make_shared<int>(0);
  flow f(pool, [&](flow& me) {
    try {
      throw token;
    } catch (std::shared_ptr<int> const&) {
      me.pause();
    }
    me.pause();
  });
  EXPECT_TRUE(f.resume());
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_TRUE(resume_elsewhere(f));
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_FALSE(f.resume());
}

/// Recurses, throws, catches and pauses as the dice tell it.
void wander(flow& me, dice& roll, int depth) {
  me.pause();
  if (depth == 0) throw depth;
  for (std::uint32_t i = roll.below(3) + 1; i > 0; --i) {
    try {
      wander(me, roll, depth - 1);
    } catch (int const& thrown) {
      int const handled = thrown;
      me.pause();
      if (roll.below(2) == 0) {
        try {
          throw std::string("nested");
        } catch (std::string const& s) {
          me.pause();
          EXPECT_EQ(s, "nested");
        }
      }
      EXPECT_EQ(thrown, handled);
      if (i == 1) throw;
    }
  }
}

TEST(exceptions, random_flows_on_random_threads_keep_their_own) {
  constexpr std::uint64_t seed = 20'240'511;
  SCOPED_TRACE("seed " + std::to_string(seed));
  worker_thread const worker;
  stack_pool pool;
  dice roll(seed);
  std::vector<std::unique_ptr<flow>> flows;
  for (std::uint64_t i = 0; i < 8; ++i) {
    flows.push_back(std::make_unique<flow>(pool, [i](flow& me) {
      dice mine(seed + i);
      EXPECT_THROW(wander(me, mine, 4), int);
      EXPECT_EQ(std::current_exception(), nullptr);
    }));
  }
  while (!flows.empty()) {
    std::size_t const pick = roll.below(static_cast<std::uint32_t>(flows.size()));
    bool const more = roll.below(8) == 0 ? resume_elsewhere(*flows[pick]) : flows[pick]->resume();
    if (!more) flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  EXPECT_EQ(pool.count().live, 0U);
}

}}}}  // namespace skua::v0::runtime
