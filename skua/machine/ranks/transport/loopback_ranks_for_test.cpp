// SPDX-License-Identifier: MIT
#include <memory>
#include <thread>
#include <vector>

#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// A thread per rank, over a network that delays and reorders.
void on_ranks(std::uint32_t count, std::function<void(communicator&)> const& program) {
  auto const network = std::make_shared<loopback_network>(count, 0, disorder{.seed = 1, .delays_one_in = 4});
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < count; ++r) {
    threads.emplace_back([&, r] {
      communicator world(loopback_network::owned_end(network, r));
      program(world);
    });
  }
}

std::vector<std::uint32_t> numbers_of_ranks() { return {1, 2, 3, 4, 5, 7, 8}; }

}}}  // namespace skua::v0::ranks
