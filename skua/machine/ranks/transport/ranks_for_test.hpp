// SPDX-License-Identifier: MIT
// Ranks as threads of the test.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"

namespace skua::inline v0::ranks {

/// Calls program(communicator) on a thread per rank, over a network that delays and reorders.
template <class Program>
void on_ranks(std::uint32_t count, Program program, disorder how = {.seed = 1, .delays_one_in = 4}) {
  auto const network = std::make_shared<loopback_network>(count, 0, how);
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < count; ++r) {
    threads.emplace_back([&, r] {
      communicator world(loopback_network::owned_end(network, r));
      program(world);
    });
  }
}

}  // namespace skua::inline v0::ranks
