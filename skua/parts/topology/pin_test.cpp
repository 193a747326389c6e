// SPDX-License-Identifier: MIT
// Pinning happens where it helps, and its answer is true.
#include "skua/parts/topology/pin.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "skua/parts/topology/affinity.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// The answer, and the mask that the thread really has afterwards.
struct seen {
  pin_result answer;
  cpu_mask mask;
};

seen pin_in_a_thread(layout const& where, std::uint32_t w, bool asked) {
  seen result;
  std::thread{[&] {
    result.answer = pin_this_thread(where, worker_id{w}, asked);
    result.mask = affinity_of_this_thread();
  }}.join();
  return result;
}

TEST(pin, every_worker_of_this_machine_gets_its_pu) {
  layout const where{topology::machine()};
  ASSERT_TRUE(where.is_this_system());
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    seen const s = pin_in_a_thread(where, w, true);
    EXPECT_EQ(s.answer.outcome, pinning::pinned) << s.answer.why;
    EXPECT_EQ(s.mask.members(), std::vector<std::uint32_t>{where.pu_of(worker_id{w})});
  }
}

TEST(pin, nothing_changes_where_it_is_not_wanted_or_means_nothing) {
  cpu_mask const before = affinity_of_this_thread();
  topology const machine = topology::machine();
  auto const expect_untouched = [&before](layout const& where, bool asked, pinning what) {
    seen const s = pin_in_a_thread(where, 0, asked);
    EXPECT_EQ(s.answer.outcome, what) << s.answer.why;
    EXPECT_FALSE(s.answer.why.empty());
    EXPECT_EQ(s.mask, before);
  };
  expect_untouched(layout{machine}, false, pinning::not_asked);
  expect_untouched(layout{machine, {.workers = static_cast<std::uint32_t>(machine.pus().size()) + 1}}, true,
                   pinning::pointless);
  expect_untouched(layout{topology::synthetic("core:2")}, true, pinning::pointless);
  expect_untouched(layout::flat(2), true, pinning::pointless);
}

TEST(pin, a_kernel_that_refuses_is_reported) {
  cpu_mask elsewhere;
  elsewhere.insert(60'000);
  layout const where{topology::machine(elsewhere)};
  seen const s = pin_in_a_thread(where, 0, true);
  EXPECT_EQ(s.answer.outcome, pinning::refused);
  EXPECT_NE(s.answer.why.find("60000"), std::string::npos) << s.answer.why;
}

}}}}  // namespace skua::v0::runtime
