// SPDX-License-Identifier: MIT
// Loops of senders on a pool: which elements run, the values, exceptions, stops, and where the loop runs.
#include "skua/execution/bulk.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "skua/skua.hpp"
#include "tests/execution/small_senders.hpp"

namespace skua { inline namespace v0 { namespace {

using runtime::senders::bulk_form;
using runtime::senders::bulk_sender;
using testing::ending;
using testing::outcome;
using testing::reporter;
using testing::small_library;
using testing::wait_until;

constexpr auto chunked = bulk_form::chunked;
constexpr auto unchunked = bulk_form::unchunked;

template <bulk_form Form, class Before, class Shape, class F>
auto bulk(pool& where, Before before, Shape n, F f) {
  return bulk_sender<small_library, Form, Before, Shape, F>(std::move(before), where, n, std::move(f));
}
template <bulk_form Form, class Shape, class F>
auto bulk(pool& where, Shape n, F f) {
  return bulk<Form>(where, runtime::senders::scheduler<small_library>(where).schedule(), n, std::move(f));
}

/// Completes with these values inside of `start`.
template <class... Values>
struct just {
  using sender_concept = small_library::sender_tag;
  template <class, class...>
  static consteval auto get_completion_signatures() {
    return small_library::signatures<small_library::set_value_t(Values...)>{};
  }
  template <class Receiver>
  struct operation {
    std::tuple<Values...> values;
    Receiver receiver;
    void start() & noexcept {
      std::apply([&](Values&... v) { small_library::set_value(std::move(receiver), std::move(v)...); }, values);
    }
  };
  template <class Receiver>
  auto connect(Receiver r) && {
    return operation<Receiver>{std::move(values), std::move(r)};
  }
  std::tuple<Values...> values;
};

template <class Sender>
ending run(Sender sender, outcome& to) {
  auto op = small_library::connect(std::move(sender), reporter{&to});
  op.start();
  return to.wait();
}

TEST(bulk, calls_each_element_once) {
  for (std::uint32_t const workers : {1U, 2U, 4U}) {
    pool some({.workers = workers});
    for (int const n : {0, 1, 2, 17, 1000}) {
      SCOPED_TRACE(::testing::Message() << workers << " workers, n = " << n);
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
      outcome first;
      outcome second;
      EXPECT_EQ(run(bulk<unchunked>(some, n, [&](int i) { ++calls[static_cast<std::size_t>(i)]; }), first),
                ending::value);
      EXPECT_EQ(run(bulk<chunked>(some, n,
                                  [&](int i, int end) {
                                    EXPECT_LT(i, end);
                                    for (; i < end; ++i) ++calls[static_cast<std::size_t>(i)];
                                  }),
                    second),
                ending::value);
      for (auto const& c : calls) EXPECT_EQ(c, 2);
    }
    some.drain();
  }
}

TEST(bulk, a_negative_shape_is_empty) {
  pool one({.workers = 1});
  outcome to;
  EXPECT_EQ(run(bulk<unchunked>(one, -5, [](int) { ADD_FAILURE(); }), to), ending::value);
  one.drain();
}

TEST(bulk, passes_the_values_by_reference_and_completes_with_them) {
  pool two({.workers = 2});
  struct keeper {
    outcome* to;
    std::string* text;
    void set_value(std::string&& s, int n) noexcept {
      *text = std::move(s) + std::to_string(n);
      to->complete(ending::value);
    }
    void set_error(std::exception_ptr) noexcept { to->complete(ending::error); }
    void set_stopped() noexcept { to->complete(ending::stopped); }
    [[nodiscard]] testing::with_token const& get_env() const noexcept { return to->env; }
  };
  outcome to;
  std::string text;
  auto sender =
      bulk<unchunked>(two, just<std::string, int>{{"ab", 7}}, 2U, [](unsigned i, std::string& s, int&) { s[i] = 'x'; });
  auto op = small_library::connect(std::move(sender), keeper{&to, &text});
  op.start();
  EXPECT_EQ(to.wait(), ending::value);
  EXPECT_EQ(text, "xx7");
  EXPECT_EQ(to.thread, testing::this_thread_number()) << "the thread that completes stays the same";
  two.drain();
}

TEST(bulk, runs_on_its_pool_wherever_the_sender_before_it_completes) {
  pool two({.workers = 2});
  pool other({.workers = 1});
  auto const here_only = [&](int) { EXPECT_EQ(&current_pool(), &two); };
  outcome outside;
  EXPECT_EQ(run(bulk<unchunked>(two, just<>{}, 100, here_only), outside), ending::value);
  outcome inside;
  other.run([&] { EXPECT_EQ(run(bulk<unchunked>(two, just<>{}, 100, here_only), inside), ending::value); });
  outcome beside;
  two.run([&] { EXPECT_EQ(run(bulk<unchunked>(two, just<>{}, 100, here_only), beside), ending::value); });
  two.drain();
}

/// The caller's own element ends first, so the worker that ends the other one could go on with the caller's frame.
TEST(bulk, it_returns_on_the_thread_of_the_sender_before_it) {
  pool two({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    two.enqueue([&] {
      std::atomic<bool> other_began{false};
      auto const caller = testing::this_thread_number();
      outcome to;
      auto sender = bulk<unchunked>(two, just<>{}, 2, [&](int) {
        if (testing::this_thread_number() == caller) {
          wait_until("the other element begins", [&] { return other_began.load(); });
        } else {
          other_began = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
      auto op = small_library::connect(std::move(sender), reporter{&to});
      op.start();
      EXPECT_EQ(to.how, ending::value);
      EXPECT_EQ(to.thread, caller);
    });
    two.drain();
  }
}

TEST(bulk, the_first_exception_is_its_error) {
  pool one({.workers = 1});
  outcome to;
  int ran = 0;
  EXPECT_EQ(run(bulk<unchunked>(one, 1000,
                                [&](int i) {
                                  ++ran;
                                  if (i == 3) throw std::runtime_error("three");
                                }),
                to),
            ending::error);
  EXPECT_THROW(std::rethrow_exception(to.error), std::runtime_error);
  EXPECT_EQ(ran, 4);
  one.drain();
}

TEST(bulk, an_exception_after_a_stop_is_an_error) {
  pool one({.workers = 1});
  outcome to;
  std::stop_source stop;
  to.env.token = stop.get_token();
  EXPECT_EQ(run(bulk<unchunked>(one, 10,
                                [&](int) {
                                  stop.request_stop();
                                  throw std::runtime_error("after");
                                }),
                to),
            ending::error);
  one.drain();
}

/// The exception `cancelled` of a call inside of f says nothing about this loop.
TEST(bulk, a_cancelled_call_inside_is_an_error) {
  pool one({.workers = 1});
  outcome to;
  EXPECT_EQ(run(bulk<unchunked>(one, 10, [&](int) { throw cancelled{}; }), to), ending::error);
  one.drain();
}

TEST(bulk, a_stop_ends_it_early) {
  for (std::uint32_t const workers : {1U, 2U}) {
    pool some({.workers = workers});
    outcome to;
    std::stop_source stop;
    to.env.token = stop.get_token();
    std::atomic<int> ran{0};
    EXPECT_EQ(run(bulk<unchunked>(some, 100'000,
                                  [&](int) {
                                    if (++ran == 10) stop.request_stop();
                                  }),
                  to),
              ending::stopped);
    EXPECT_LE(ran, 10 + static_cast<int>(workers)) << "one on each other worker had begun";
    some.drain();
  }
}

TEST(bulk, a_stop_after_the_last_element_is_none) {
  pool one({.workers = 1});
  outcome to;
  std::stop_source stop;
  to.env.token = stop.get_token();
  EXPECT_EQ(run(bulk<unchunked>(one, 10,
                                [&](int i) {
                                  if (i == 9) stop.request_stop();
                                }),
                to),
            ending::value);
  one.drain();
}

TEST(bulk, a_cancelled_group_around_it_does_not_end_it) {
  pool two({.workers = 2});
  std::atomic<int> ran{0};
  two.run([&] {
    task_group group;
    group.run([&] {
      group.cancel();
      outcome to;
      EXPECT_EQ(run(bulk<unchunked>(two, just<>{}, 100, [&](int) { ++ran; }), to), ending::value);
    });
    group.wait();
  });
  EXPECT_EQ(ran, 100);
}

TEST(bulk, loops_nest_and_follow_each_other) {
  pool two({.workers = 2});
  std::atomic<long> sum{0};
  outcome to;
  auto first = bulk<unchunked>(two, 20, [&](int i) {
    outcome inner;
    EXPECT_EQ(run(bulk<chunked>(two, just<>{}, i, [&](int begin, int end) { sum += end - begin; }), inner),
              ending::value);
  });
  EXPECT_EQ(run(bulk<unchunked>(two, std::move(first), 5, [&](int) { ++sum; }), to), ending::value);
  EXPECT_EQ(sum, 190 + 5);
  two.drain();
}

TEST(bulk, its_signatures_have_an_error_and_a_stop_once) {
  using lib = small_library;
  pool one({.workers = 1});
  auto of_values = bulk<unchunked>(one, just<int>{{1}}, 1, [](int, int) {});
  auto of_schedule = bulk<unchunked>(one, 1, [](int) {});
  using error = lib::set_error_t(std::exception_ptr);
  using stopped = lib::set_stopped_t();
  EXPECT_TRUE((
      std::is_same_v<lib::signatures_of<decltype(of_values)>, lib::signatures<lib::set_value_t(int), error, stopped>>));
  EXPECT_TRUE(
      (std::is_same_v<lib::signatures_of<decltype(of_schedule)>, lib::signatures<lib::set_value_t(), stopped, error>>));
}

TEST(bulk, random_loops_with_exceptions_and_stops) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 dice(seed);
    pool some({.workers = 1 + static_cast<std::uint32_t>(dice() % 3)});
    std::size_t const n = dice() % 300;
    std::size_t const throws_at = dice() % 600;
    std::size_t const stops_at = dice() % 600;
    std::vector<std::atomic<int>> calls(n);
    outcome to;
    std::stop_source stop;
    to.env.token = stop.get_token();
    auto const body = [&](std::size_t i) {
      ++calls[i];
      if (i == stops_at) stop.request_stop();
      if (i == throws_at) throw std::runtime_error("drawn");
    };
    auto const over_a_piece = [&](std::size_t i, std::size_t end) {
      for (; i != end; ++i) body(i);
    };
    ending const how =
        seed % 2 == 0 ? run(bulk<unchunked>(some, n, body), to) : run(bulk<chunked>(some, n, over_a_piece), to);
    if (throws_at >= n && stops_at >= n) {
      EXPECT_EQ(how, ending::value);
    }
    std::size_t ran = 0;
    for (auto const& c : calls) {
      EXPECT_LE(c, 1);
      ran += static_cast<std::size_t>(c.load());
    }
    if (how == ending::value) {
      EXPECT_EQ(ran, n);
    }
    if (how == ending::error) {
      EXPECT_TRUE(throws_at < n && calls[throws_at] == 1);
    }
    if (how == ending::stopped) {
      EXPECT_TRUE(stops_at < n && calls[stops_at] == 1);
    }
    some.drain();
  }
}

}}}  // namespace skua::v0
