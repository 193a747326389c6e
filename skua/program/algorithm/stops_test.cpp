// SPDX-License-Identifier: MIT
// What every algorithm promises of a stop (for_each.hpp): what has not begun is dropped, and `cancelled` says so. The stop comes
// at each call of the user's function in turn, on one thread, so that what is called afterwards can be counted.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <stop_token>
#include <vector>

#include "skua/program/algorithm/filter.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/here_test.hpp"
#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/algorithm/merge.hpp"
#include "skua/program/algorithm/reduce.hpp"
#include "skua/program/algorithm/scan.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/stable_sort.hpp"
#include "skua/program/algorithm/transform.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {
namespace {

/// One use of an algorithm: `call` is called once in each call of a user's function.
struct algorithm {
  char const* name;
  std::size_t most_after;  ///< calls that may follow a stop: what has begun ends
  std::function<void(serial&, std::function<void()> const& call)> run;
};

std::vector<int> drawn(std::size_t n) { return numbers(n, 7); }

template <class Sort>
auto sorting(std::size_t n, Sort sort) {
  return [n, sort](serial& h, std::function<void()> const& call) {
    std::vector<int> data = drawn(n);
    auto const less = [&](int a, int b) {
      call();
      return a < b;
    };
    sort(h, data, less);
    EXPECT_TRUE(std::ranges::is_sorted(data));
  };
}

constexpr std::size_t n = 40;

/// With four elements in a leaf, unless it says otherwise.
std::vector<algorithm> const algorithms{
    {"for_each", 3, [](serial& h, auto const& call) { for_each(h, 0, 40, [&](int) { call(); }, grain{4}); }},
    {"for_each over a range", 3,
     [](serial& h, auto const& call) { for_each(h, drawn(n), [&](int) { call(); }, grain{4}); }},
    {"for_each in a loop that nobody forks", 31,
     [](serial& h, auto const& call) { for_each(h, 0, 64, [&](int) { call(); }); }},
    {"transform", 3,
     [](serial& h, auto const& call) {
       std::vector<int> out(n);
       transform(h, drawn(n), out.begin(), [&](int x) { return call(), x; }, grain{4});
     }},
    {"transform of two", 3,
     [](serial& h, auto const& call) {
       std::vector<int> out(n);
       transform(h, drawn(n), drawn(n), out.begin(), [&](int x, int) { return call(), x; }, grain{4});
     }},
    {"filter", 3,
     [](serial& h, auto const& call) {
       std::vector<int> out(n);
       filter(h, drawn(n), out.begin(), [&](int x) { return call(), x % 2 == 0; }, grain{4});
     }},
    {"reduce", 7,
     [](serial& h, auto const& call) {
       auto const add = [&](int a, int b) { return call(), a + b; };
       static_cast<void>(reduce(h, drawn(n), 0, add, grain{4}));
     }},
    {"inclusive_scan", 9,
     [](serial& h, auto const& call) {
       std::vector<int> out(n);
       auto const add = [&](int a, int b) { return call(), a + b; };
       static_cast<void>(inclusive_scan(h, drawn(n), out.begin(), 0, add, grain{4}));
     }},
    {"exclusive_scan", 9,
     [](serial& h, auto const& call) {
       std::vector<int> out(n);
       auto const add = [&](int a, int b) { return call(), a + b; };
       static_cast<void>(exclusive_scan(h, drawn(n), out.begin(), 0, add, grain{4}));
     }},
    {"merge", 20,  // the searches for where to cut, and a leaf
     [](serial& h, auto const& call) {
       std::vector<int> a = drawn(n);
       std::ranges::sort(a);
       std::vector<int> out(2 * n);
       auto const less = [&](int x, int y) { return call(), x < y; };
       merge(h, a, a, out.begin(), less, grain{4});
     }},
    {"sort of two leaves", 140, sorting(n, [](auto& h, auto& data, auto& less) { sort(h, data, less, grain{24}); })},
    {"sort", 310, sorting(300, [](auto& h, auto& data, auto& less) { sort(h, data, less, grain{16}); })},
    {"stable_sort of a leaf", 0, sorting(1, [](auto& h, auto& data, auto& less) { stable_sort(h, data, less); })},
    {"stable_sort", 160, sorting(400, [](auto& h, auto& data, auto& less) { stable_sort(h, data, less, grain{16}); })},
    {"invoke of one", 0, [](serial& h, auto const& call) { invoke(h, call); }},
};

/// Runs it under a token that is stopped in call number `at`, counted from 1; 0: before it begins. How often it called, and whether it
/// threw `cancelled`.
struct run_of {
  std::size_t calls = 0;
  bool was_cancelled = false;
};
run_of run_stopped(algorithm const& a, std::size_t at) {
  run_of seen;
  std::stop_source source;
  serial here;
  try {
    here.with_stop(source.get_token(), [&](serial& h) {
      if (at == 0) source.request_stop();
      a.run(h, [&] {
        if (++seen.calls == at) source.request_stop();
      });
    });
  } catch (cancelled const&) {
    seen.was_cancelled = true;
  }
  return seen;
}

}  // namespace

TEST(a_stop, before_an_algorithm_begins_calls_nothing_and_is_reported) {
  for (algorithm const& a : algorithms) {
    run_of const seen = run_stopped(a, 0);
    EXPECT_TRUE(seen.was_cancelled) << a.name;
    EXPECT_LE(seen.calls, a.name == std::string_view("merge") ? 20U : 0U)
        << a.name << ": where to cut is asked at once";
  }
}

TEST(a_stop, at_any_call_drops_what_has_not_begun_and_is_reported) {
  for (algorithm const& a : algorithms) {
    SCOPED_TRACE(a.name);
    std::size_t const all = run_stopped(a, ~std::size_t{0}).calls;
    for (std::size_t at = 1; at <= all; ++at) {
      run_of const seen = run_stopped(a, at);
      EXPECT_LE(seen.calls - at, a.most_after) << "stopped in call " << at << " of " << all;
      EXPECT_TRUE(seen.was_cancelled || all - at <= a.most_after) << "stopped in call " << at << " of " << all;
      EXPECT_TRUE(seen.was_cancelled || seen.calls == all);
    }
  }
}

}}}}  // namespace skua::v0::runtime::testing
