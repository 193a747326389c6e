// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/balance_plan.hpp"

#include <cstring>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

template <class T>
std::vector<T> elements_of(bytes const& body) {
  std::vector<T> all(body.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), body.data(), all.size() * sizeof(T));
  return all;
}

/// Each rank's orders, by rank. Balancers know the live ranks only, by position.
std::vector<std::vector<move_order>> plan(policies::balance::balancer const& how, std::vector<bytes> const& times,
                                          live_ranks const& live) {
  policies::balance::machine_loads loads;
  live.each([&](rank_number r) { loads.push_back(elements_of<std::uint64_t>(times[r])); });
  std::vector<std::vector<move_order>> orders(live.ranks());
  for (auto const& m : policies::balance::rebalance(loads, how, seed_of_balancers).migrations)
    orders[live.at(m.donor)].push_back({m.task, live.at(m.receiver)});
  return orders;
}

}  // namespace

central_orders orders_of(collectives& all, rank_number rank, std::span<std::uint64_t const> times_ns,
                         policies::balance::balancer const& chosen) {
  central_orders own;
  rank_number const first = all.first();
  auto const gathered = all.gather(bytes_of(std::as_bytes(times_ns)));
  std::vector<bytes> orders;
  if (rank == first) {
    for (bytes const& of_rank : gathered) own.times_heard += of_rank.size() / sizeof(std::uint64_t);
    own.times_heard -= times_ns.size();
    for (auto const& of_rank : plan(chosen, gathered, all.live()))
      orders.push_back(bytes_of(std::as_bytes(std::span(of_rank))));
  }
  own.gives = elements_of<move_order>(all.scatter(std::move(orders), first));
  return own;
}

}}}  // namespace skua::v0::ranks
