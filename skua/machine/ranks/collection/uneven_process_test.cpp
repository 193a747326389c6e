// SPDX-License-Identifier: MIT
// process() on some ranks, and another call on others, ends on all of them, and their communicator with it
// (communicator/call_order.md). Not over MPI, where all tests share one communicator.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using uneven_collection = task_collection<int>;

/// The text of the usage_error that f throws; empty: none.
std::string text_of_refusal(std::function<void()> const& f) {
  try {
    f();
  } catch (usage_error const& e) {
    return e.what();
  }
  return {};
}

/// The first rank, and then the last one, calls `odd`, and the others `usual`.
void expect_final(std::vector<std::string> const& parts,
                  std::function<void(communicator&, uneven_collection&, uneven_collection&)> const& odd,
                  std::function<void(communicator&, uneven_collection&, uneven_collection&)> const& usual) {
  for (std::uint32_t const ranks : {2, 3, 4, 7}) {
    for (std::uint32_t const who : {0U, ranks - 1}) {
      on_ranks(ranks, [&](communicator& world) {
        uneven_collection a(world, {.name = "a", .steals = false}, [](int) {});
        uneven_collection b(world, {.name = "b", .steals = false}, [](int) {});
        a.add(1);
        std::string const said = text_of_refusal([&] { (world.rank() == who ? odd : usual)(world, a, b); });
        for (auto const& part : parts) EXPECT_TRUE(said.find(part) != std::string::npos) << part << ": " << said;
        EXPECT_EQ(text_of_refusal([&] { world.barrier(); }), said) << "from now on";
      });
    }
  }
}

TEST(uneven_process, process_on_some_ranks_only_ends_on_all) {
  auto const process_a = [](communicator&, uneven_collection& a, uneven_collection&) { a.process(); };
  auto const process_b = [](communicator&, uneven_collection&, uneven_collection& b) { b.process(); };
  auto const barrier = [](communicator& world, uneven_collection&, uneven_collection&) { world.barrier(); };
  auto const report = [](communicator&, uneven_collection& a, uneven_collection&) { static_cast<void>(a.report()); };
  expect_final({"process of 'a'", "barrier"}, process_a, barrier);
  expect_final({"process of 'a'", "barrier"}, barrier, process_a);
  expect_final({"process of 'a'", "process of 'b'"}, process_a, process_b);
  expect_final({"process of 'a'", "report of 'a'"}, report, process_a);
}

}}}}  // namespace skua::v0::ranks
