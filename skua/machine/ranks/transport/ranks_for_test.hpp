// SPDX-License-Identifier: MIT
// Runs a test's program on some ranks: on threads of the test (loopback_ranks_for_test.cpp), or on the ranks that mpirun started
// (mpi/mpi_main_for_test.cpp). One suite for both.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Calls program(communicator) on each of `count` ranks. What ranks share they share by messages: they may be processes.
void on_ranks(std::uint32_t count, std::function<void(communicator&)> const& program);

/// How many ranks a test may ask for: GetParam() of tests that run on each number.
[[nodiscard]] std::vector<std::uint32_t> numbers_of_ranks();

class on_each_number_of_ranks : public ::testing::TestWithParam<std::uint32_t> {};

}}}  // namespace skua::v0::ranks
