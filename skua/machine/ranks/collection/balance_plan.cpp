// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/collection/balance_plan.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "skua/machine/ranks/communicator/elementwise.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::inline v0::ranks {

namespace {

template <class T>
std::vector<T> elements_of(bytes const& body) {
  std::vector<T> all(body.size() / sizeof(T));
  std::memcpy(all.data(), body.data(), all.size() * sizeof(T));
  return all;
}

/// One rank's orders, by rank.
std::vector<std::vector<move_order>> plan(std::string_view how, std::vector<std::vector<std::uint64_t>> const& loads) {
  static_cast<void>(how);
  return std::vector<std::vector<move_order>>(loads.size());
}

}  // namespace

std::vector<move_order> orders_of(collectives& all, rank_number rank, std::span<std::uint64_t const> times_ns,
                                  std::string_view how) {
  auto const gathered = all.gather(bytes_of(std::as_bytes(times_ns)));
  std::vector<bytes> orders;
  if (rank == 0) {
    std::vector<std::vector<std::uint64_t>> loads;
    for (bytes const& b : gathered) loads.push_back(elements_of<std::uint64_t>(b));
    for (auto const& of_rank : plan(how, loads)) orders.push_back(bytes_of(std::as_bytes(std::span(of_rank))));
  }
  return elements_of<move_order>(all.scatter(std::move(orders)));
}

}  // namespace skua::inline v0::ranks
