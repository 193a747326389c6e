// SPDX-License-Identifier: MIT
// The figures of a machine model: the one list that the reader, the instances and the tests share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "skua/machine/sim/model/machine_numbers.hpp"

namespace skua { inline namespace v0 { namespace sim {

enum class need : std::uint8_t {
  always,
  optional,  ///< default: 0, which means "no such limit"; for a price: free
  apart,     ///< a list, one figure per distance between NUMA nodes; only if there are several nodes
  share,     ///< from 0 to 1; default: that of machine_numbers
  linked,    ///< as `apart`, but only for the distances at which nodes have a link
  together,  ///< all figures of the table, or no such table; default: 0
  by_kind,  ///< a list, one figure per kind of core below the fastest, or no such list; default: machine_numbers::of_kind
};

struct figure_rule {
  std::string_view table;
  std::string_view name;
  sim::need need = sim::need::always;
  double machine_numbers::* one = nullptr;
  std::vector<double> machine_numbers::* many = nullptr;
};

/// In the recommended order of a file.
[[nodiscard]] std::span<figure_rule const> figure_rules() noexcept;

/// Whether the figure is a list, whose length depends on the topology.
[[nodiscard]] constexpr bool is_list(need n) noexcept {
  return n == need::apart || n == need::linked || n == need::by_kind;
}

/// A smaller or larger figure is a typing error: times would leave the range of virtual time.
inline constexpr double least_of_any_figure = 1e-9;
inline constexpr double most_of_any_figure = 1e12;

/// Whether a figure may have this value.
[[nodiscard]] constexpr bool allows(need n, double value) noexcept {
  return n == need::share ? value >= 0 && value <= 1 : value >= least_of_any_figure && value <= most_of_any_figure;
}

}}}  // namespace skua::v0::sim
