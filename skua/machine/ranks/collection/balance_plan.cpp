// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/balance_plan.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/policy/balance/balancers.hpp"

namespace skua::inline v0::ranks {

namespace {

constexpr std::uint64_t seed = 1;

template <class T>
std::vector<T> elements_of(bytes const& body) {
  std::vector<T> all(body.size() / sizeof(T));
  std::memcpy(all.data(), body.data(), all.size() * sizeof(T));
  return all;
}

/// One rank's orders, by rank.
std::vector<std::vector<move_order>> plan(policies::balance::balancer const& how,
                                          policies::balance::machine_loads const& loads) {
  std::vector<std::vector<move_order>> orders(loads.size());
  for (auto const& m : policies::balance::rebalance(loads, how, seed).migrations)
    orders[m.from].push_back({m.task, m.to});
  return orders;
}

}  // namespace

std::vector<move_order> orders_of(collectives& all, rank_number rank, std::span<std::uint64_t const> times_ns,
                                  std::string_view how) {
  auto const chosen = policies::balance::make_balancer(how);  // throws on every rank alike, before any message
  auto const gathered = all.gather(bytes_of(std::as_bytes(times_ns)));
  std::vector<bytes> orders;
  if (rank == 0) {
    policies::balance::machine_loads loads;
    for (bytes const& b : gathered) loads.push_back(elements_of<std::uint64_t>(b));
    for (auto const& of_rank : plan(chosen, loads)) orders.push_back(bytes_of(std::as_bytes(std::span(of_rank))));
  }
  return elements_of<move_order>(all.scatter(std::move(orders)));
}

}  // namespace skua::inline v0::ranks
