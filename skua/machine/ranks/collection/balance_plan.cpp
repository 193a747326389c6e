// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/balance_plan.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/centralised.hpp"
#include "skua/policy/balance/hierarchical.hpp"

namespace skua::inline v0::ranks {

namespace {

template <class T>
std::vector<T> elements_of(bytes const& body) {
  std::vector<T> all(body.size() / sizeof(T));
  std::memcpy(all.data(), body.data(), all.size() * sizeof(T));
  return all;
}

using balancer = policies::balance::balance_plan (*)(policies::balance::machine_loads const&);

/// Throws usage_error.
balancer balancer_named(std::string_view how) {
  namespace balance = policies::balance;
  if (how == "centralised") return [](balance::machine_loads const& loads) { return balance::centralised(loads, {}); };
  if (how == "hierarchical")
    return [](balance::machine_loads const& loads) { return balance::hierarchical(loads, {}); };
  throw usage_error("balancer is '" + std::string(how) + "'; allowed: centralised, hierarchical");
}

/// One rank's orders, by rank.
std::vector<std::vector<move_order>> plan(balancer how, policies::balance::machine_loads const& loads) {
  std::vector<std::vector<move_order>> orders(loads.size());
  for (auto const& m : how(loads).migrations) orders[m.from].push_back({m.task, m.to});
  return orders;
}

}  // namespace

void check_balancer(std::string_view how) { static_cast<void>(balancer_named(how)); }

std::vector<move_order> orders_of(collectives& all, rank_number rank, std::span<std::uint64_t const> times_ns,
                                  std::string_view how) {
  balancer const chosen = balancer_named(how);  // throws on every rank alike, before any message
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
