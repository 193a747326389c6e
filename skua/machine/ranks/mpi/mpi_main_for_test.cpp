// SPDX-License-Identifier: MIT
// Every rank runs all tests; rank 0 prints them and keeps their report. If one rank fails, the program fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/mpi.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

communicator* world_of_the_test = nullptr;

/// What a rank other than 0 says. GoogleTest holds its lock when a part has failed, so the name of the test must be known before.
class failures_of_a_rank final : public ::testing::EmptyTestEventListener {
  void OnTestStart(::testing::TestInfo const& t) override { test_ = std::string(t.test_suite_name()) + "." + t.name(); }
  void OnTestPartResult(::testing::TestPartResult const& r) override {
    if (!r.failed()) return;
    std::printf("rank %u, %s, %s:%d: %s\n", world_of_the_test->rank(), test_.c_str(), r.file_name(), r.line_number(),
                r.summary());
  }

  std::string test_;
};

}  // namespace

void on_ranks(std::uint32_t, std::function<void(communicator&)> const& program) { program(*world_of_the_test); }
std::vector<std::uint32_t> numbers_of_ranks() { return {world_of_the_test->size()}; }

}}}  // namespace skua::v0::ranks

int main(int argc, char** argv) {
  skua::mpi::session session(argc, argv);
  skua::ranks::world_of_the_test = &session.world();
  bool const first = session.world().rank() == 0;
  if (first) std::printf("%s, %u ranks\n", skua::mpi::library_version().c_str(), session.world().size());
  char const* const report = std::getenv("SKUA_CASES");
  if (first && report != nullptr) ::testing::GTEST_FLAG(output) = std::string("xml:") + report;
  ::testing::InitGoogleTest(&argc, argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (!first) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new skua::ranks::failures_of_a_rank);
  }
  int const failed = RUN_ALL_TESTS();
  if (!first && failed != 0) std::printf("rank %u failed\n", session.world().rank());
  return session.world().sum(std::uint64_t(failed)) == 0 ? 0 : 1;
}
