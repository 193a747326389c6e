// SPDX-License-Identifier: MIT
// A run that fails for a reason that the test has put there shrinks to the smallest run with that reason; and programs are read as they
// were written.
#include "tests/mixed/shrinking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using skua::testing::construct;
using skua::testing::mixed_run;
using skua::testing::mixed_step;

bool has(mixed_step const& s, std::function<bool(mixed_step const&)> const& what) {
  return what(s) || std::ranges::any_of(s.child, [&](mixed_step const& c) { return has(c, what); });
}
bool is(mixed_step const& s, construct what) { return !s.is_leaf() && s.what == what; }

/// A step of the one kind with one of the other somewhere inside.
auto nested(construct outer, construct inner) {
  return [=](mixed_step const& s) {
    return is(s, outer) && has(s, [=](mixed_step const& inside) { return is(inside, inner); });
  };
}

/// Of a run of random programs that fails if one of them has such a step: the smallest, as its command says.
std::string smallest_with(std::function<bool(mixed_step const&)> const& what, std::uint32_t workers = 1) {
  auto const fails = [&](mixed_run const& r) {
    return r.workers >= workers && std::ranges::any_of(programs_of(r), [&](auto const& p) { return has(p, what); });
  };
  mixed_run const r{.policy = "checked:adws", .workers = 16, .seed = 3, .programs = 400, .callers = 3, .depth = 5};
  EXPECT_TRUE(fails(r)) << "the test needs another seed";
  return command_of(shrunk(r, fails, [] { return true; }));
}

std::string const plainest = "mixed_programs --policy random --workers 1 --callers 1 --seed 3 --times 1 ";

}  // namespace

TEST(shrinking, leaves_the_construct_that_fails) {
  EXPECT_EQ(smallest_with([](mixed_step const& s) { return is(s, construct::team); }), plainest + "'team(. .)'");
  EXPECT_EQ(smallest_with([](mixed_step const& s) { return is(s, construct::awaited); }), plainest + "'awaited(.)'");
}

TEST(shrinking, leaves_what_must_be_around_it) {
  EXPECT_EQ(smallest_with(nested(construct::enqueued, construct::isolated)), plainest + "'enqueued(isolated(.))'");
}

TEST(shrinking, leaves_as_many_workers_as_it_takes) {
  EXPECT_EQ(smallest_with([](mixed_step const& s) { return is(s, construct::finish); }, 3),
            "mixed_programs --policy random --workers 4 --callers 1 --seed 3 --times 1 'finish(. .)'");
}

TEST(shrinking, leaves_the_children_and_the_chance_that_it_takes) {
  std::string const left = smallest_with(
      [](mixed_step const& s) { return is(s, construct::loop) && s.number() == 3 && s.chance % 60 == 17; });
  EXPECT_EQ(left, plainest + "'loop:17(. . .)'");
}

TEST(shrinking, ends_when_it_is_told_to) {
  int asked = 0;
  auto const fails = [&](mixed_run const&) { return ++asked > 0; };
  mixed_run const r{.policy = "random"};
  EXPECT_EQ(shrunk(r, fails, [&] { return asked < 2; }).these.size(), 10U);  // a half, and a half of that
}

TEST(mixed_step, is_read_as_it_was_written) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::string const text = text_of(mixed_step::drawn(seed, 4));
    EXPECT_EQ(text_of(skua::testing::step_from(text)), text);
  }
}

TEST(mixed_step, that_is_not_one_is_refused) {
  for (char const* text : {"", "join", "join(. ", "join(.)", "answer(. .)", "nonsense(. .)", ". .", "join:(. .)"})
    EXPECT_THROW(static_cast<void>(skua::testing::step_from(text)), std::invalid_argument) << text;
}
