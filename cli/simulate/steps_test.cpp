// SPDX-License-Identifier: MIT
#include "cli/simulate/steps.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "apps/program_app.hpp"
#include "cli/simulate/program.hpp"
#include "skua/program/recorder.hpp"

namespace skua::cli { namespace {

using namespace std::chrono_literals;

void work_for(std::chrono::microseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

/// Two forks around 300 us of serial code, and 200 us in one of the tasks.
template <class Here>
void forks_around_serial_code(Here& here) {
  auto const leaf = [](auto& h) { h.leaf([] { work_for(100us); }); };
  here.join(leaf, leaf);
  work_for(300us);
  here.join(leaf, [&](auto& h) {
    work_for(200us);
    leaf(h);
  });
}

task_tree recorded(timing t) {
  recorder here(t);
  forks_around_serial_code(here);
  return here.take();
}

std::vector<tree_node_kind> kinds_of(task_tree const& of) {
  std::vector<tree_node_kind> all;
  for (tree_node_id i = 0; i < of.size(); ++i) all.push_back(of[i].kind);
  return all;
}

TEST(measured_steps, return_to_where_the_recorder_found_them) {
  task_tree const timed = recorded(timing::on);
  task_tree const made = with_steps(recorded(timing::off), steps_of(timed));
  std::vector<std::uint64_t> long_steps;
  for (tree_node_id i = 0; i < made.size(); ++i) {
    if (made[i].kind == tree_node_kind::step && made[i].ns >= 100'000) long_steps.push_back(made[i].ns);
  }
  ASSERT_EQ(long_steps.size(), 2U);
  EXPECT_GE(long_steps[0], 300'000U);
  EXPECT_GE(long_steps[1], 200'000U);
  EXPECT_EQ(kinds_of(with_steps(recorded(timing::off), {})), kinds_of(recorded(timing::off)));
}

TEST(measured_steps, stand_between_marks_and_what_these_stand_in_front_of) {
  task_tree plain;
  plain.add(0, tree_node_kind::leaf);
  plain.add_mark({plain.size(), "second", 2});
  plain.add(0, tree_node_kind::leaf);
  plain.add_mark({plain.size(), "nothing comes", 3});
  task_tree const made = with_steps(plain, {{1, 0, least_step_ns}, {2, 0, least_step_ns}});
  ASSERT_EQ(made.marks().size(), 1u);
  EXPECT_EQ(made.marks()[0].before, 4u) << "behind the root, a step, a leaf and a step";
  EXPECT_EQ(made.marks()[0].number, 2u);
}

TEST(measured_steps, take_the_shorter_time_of_two_recordings) {
  std::vector<measured_step> const a{{1, 0, 5000}, {4, 2, 900}, {4, 0, 7000}};
  std::vector<measured_step> const b{{1, 0, 6000}, {4, 0, 2000}, {5, 0, 8000}};
  auto const both = shorter_steps(a, b);
  ASSERT_EQ(both.size(), 2U) << "what one recording lacks took no time there";
  EXPECT_EQ(both[0].ns, 5000U);
  EXPECT_EQ(both[1].before, 4U);
  EXPECT_EQ(both[1].parent, 0U);
  EXPECT_EQ(both[1].ns, 2000U);
}

TEST(measured_steps, that_are_short_are_the_clocks_own_and_left_out) {
  task_tree const plain = recorded(timing::off);
  EXPECT_EQ(with_steps(plain, {{1, 0, least_step_ns - 1}}).size(), plain.size());
  EXPECT_EQ(with_steps(plain, {{1, 0, least_step_ns}}).size(), plain.size() + 1);
}

class with_serial_code final : public apps::program_app<with_serial_code> {
 public:
  with_serial_code() : program_app("with serial code", "code between leaves") {}
  template <class Here>
  void program(Here& here, std::uint32_t) {
    forks_around_serial_code(here);
  }

 private:
  void build() override {}
  void restore() override {}
  [[nodiscard]] std::string check() override { return {}; }
};

TEST(measured_steps, are_in_the_tree_of_a_program_only_if_leaves_are_measured) {
  with_serial_code app;
  sim_program const measured(app, sim_way::recorded, {.given_ns = {}, .measure_leaves = true}, false);
  sim_program const plain(app, sim_way::recorded, {}, false);
  EXPECT_GE(measured.tree().weigh(unit::ns).work, 900'000) << "four leaves and both stretches between";
  EXPECT_GE(measured.tree().weigh(unit::ns).span, 700'000) << "leaf, 300 us, 200 us, leaf";
  EXPECT_GE(measured.content().between_leaves_s, 500e-6);
  EXPECT_EQ(plain.content().between_leaves_s, 0);
  EXPECT_EQ(kinds_of(plain.tree()), kinds_of(recorded(timing::off)));
}

}}  // namespace skua::cli
