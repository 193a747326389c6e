// SPDX-License-Identifier: MIT
// Waits of tasks and threads for senders.
#include "skua/execution/sync_wait.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>

#include "skua/execution/schedule.hpp"
#include "skua/skua.hpp"
#include "tests/execution/small_senders.hpp"
#include "tests/programs/this_thread.hpp"

namespace skua { inline namespace v0 { namespace {

using testing::small_library;

/// Calls complete(receiver) when it starts.
template <class Complete>
struct completing {
  template <class Receiver>
  struct operation {
    Complete complete;
    Receiver receiver;
    void start() & noexcept { complete(std::move(receiver)); }
  };
  template <class Receiver>
  auto connect(Receiver r) && {
    return operation<Receiver>{std::move(complete), std::move(r)};
  }
  Complete complete;
};

template <class Values, class Complete>
auto awaited(Complete complete) {
  return runtime::senders::wait_for<small_library, Values>(completing<Complete>{std::move(complete)});
}

TEST(sender_wait, returns_the_values) {
  using values = std::tuple<int, std::unique_ptr<int>>;
  auto const got = awaited<values>([](auto r) { r.set_value(7, std::make_unique<int>(8)); });
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(std::get<0>(*got), 7);
  EXPECT_EQ(*std::get<1>(*got), 8);
}

TEST(sender_wait, returns_nothing_after_a_stop) {
  EXPECT_FALSE(awaited<std::tuple<int>>([](auto r) { r.set_stopped(); }).has_value());
}

TEST(sender_wait, throws_errors_of_every_kind) {
  using none = std::tuple<>;
  EXPECT_THROW(awaited<none>([](auto r) { r.set_error(std::make_exception_ptr(std::runtime_error("a"))); }),
               std::runtime_error);
  EXPECT_THROW(awaited<none>([](auto r) { r.set_error(std::make_error_code(std::errc::timed_out)); }),
               std::system_error);
  EXPECT_THROW(awaited<none>([](auto r) { r.set_error(std::string("b")); }), std::string);
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(throws_when_copied const&) { throw std::runtime_error("copied"); }
};

TEST(sender_wait, throws_what_its_values_throw) {
  throws_when_copied const one;
  EXPECT_THROW(awaited<std::tuple<throws_when_copied>>([&](auto r) { r.set_value(one); }), std::runtime_error);
}

TEST(sender_wait, a_worker_that_waits_runs_what_it_waits_for) {
  pool one({.workers = 1});
  auto const schedule = runtime::senders::scheduler<small_library>(one).schedule();
  auto const wait = [&] { return runtime::senders::wait_for<small_library, std::tuple<>>(schedule).has_value(); };
  one.enqueue([&] {
    auto const before = testing::this_thread_number();
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(wait());
    EXPECT_EQ(testing::this_thread_number(), before);
  });
  one.drain();
  EXPECT_TRUE(wait()) << "a thread that is no worker";
  pool other({.workers = 2});
  other.run([&](auto& h) { for_each(h, 0, 100, [&](int) { EXPECT_TRUE(wait()); }, grain{1}); });
  one.drain();
}

}}}  // namespace skua::v0
