// SPDX-License-Identifier: MIT
// Small programs that make the runtime do one thing again and again.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "skua/skua.hpp"

namespace line_counts {

struct scenario {
  std::string_view name;
  std::string_view policy;
  std::string_view unit;                        ///< what `run` returns the number of
  std::uint64_t (*run)(skua::pool&, unsigned);  ///< as often as the second argument says
  unsigned rounds;
};

[[nodiscard]] std::span<scenario const> scenarios() noexcept;

}  // namespace line_counts
