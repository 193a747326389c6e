// SPDX-License-Identifier: MIT
#include "skua/program/hint.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "skua/skua.hpp"

namespace my {

/// A word of the user's own, found by argument-dependent lookup.
struct bytes {
  double count;
};
constexpr skua::hint as_hint(bytes b) { return as_hint(skua::work{b.count / 8}); }

struct no_word {};

}  // namespace my

namespace {

using skua::at, skua::hint, skua::place_id, skua::work;

constexpr place_id p{3};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Every word of ours and of a user, alone and in all orders of three with w between them.
template <class... Words>
std::vector<hint> all_orders(hint w, Words... words) {
  return {(as_hint(words) | w)..., (w | words)..., (words | w | words)...};
}

}  // namespace

static_assert(skua::runtime::hint_word<hint> && skua::runtime::hint_word<work> && skua::runtime::hint_word<at const&> &&
              skua::runtime::hint_word<my::bytes>);
static_assert(!skua::runtime::hint_word<my::no_word> && !skua::runtime::hint_word<double> &&
              !skua::runtime::hint_word<void (*)()>);
static_assert(sizeof(hint) == 24);
static_assert((work{2} | at{p}) == (at{p} | work{2}));

TEST(hint, a_combination_keeps_every_field_of_both) {
  hint const full = work{2} | at{p};
  EXPECT_EQ(*full.work, 2.0);
  EXPECT_EQ(*full.place, p);
  EXPECT_EQ((work{2} | hint{} | at{p}), full);
  EXPECT_EQ((hint{} | full), full);
  EXPECT_EQ((full | hint{}), full);
  for (hint const& h : all_orders(full, hint{}, full)) EXPECT_EQ(h, full);
  for (hint const& h : all_orders(hint{}, work{2}, my::bytes{16})) EXPECT_EQ(h, as_hint(work{2}));
}

TEST(hint, the_right_word_wins) {
  EXPECT_EQ(*(work{2} | work{5}).work, 5.0);
  hint const both = (work{2} | at{p}) | (work{7} | at{skua::anywhere});
  EXPECT_EQ(*both.work, 7.0);
  EXPECT_EQ(*both.place, skua::anywhere);
}

TEST(hint, what_makes_no_sense_is_set_all_the_same) {
  hint const h = as_hint(work{nan});
  EXPECT_TRUE(h.work.has_value());
  EXPECT_EQ(work_of(h), 1);
  EXPECT_TRUE(as_hint(at{skua::anywhere}).place.has_value());
  EXPECT_FALSE(hint{}.work.has_value());
  EXPECT_FALSE(hint{}.place.has_value());
  std::optional<place_id> const none = hint{}.place;
  EXPECT_EQ(none, std::nullopt);
  EXPECT_EQ(hint{.place = std::optional(p)}, as_hint(at{p}));
}

TEST(hint, words_of_a_program_reach_its_children) {
  auto const sum = skua::pool({.workers = 2, .policy = "adws"}).run([](auto& here) {
    auto [a, b] =
        here.join(my::bytes{8}, [](auto&) { return 1; }, my::bytes{24} | at{place_id{0}}, [](auto&) { return 2; });
    return a + b;
  });
  EXPECT_EQ(sum, 3);
}
