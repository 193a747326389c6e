// SPDX-License-Identifier: MIT
#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace skua::cli {

std::string table::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (column const& c : columns_) widths.push_back(c.head.size());
  for (auto const& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string all;
  auto const add_line = [&](auto const& cell_of) {
    std::string line{indent};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      line += columns_[i].is_number ? fmt::format("{:>{}}", cell_of(i), widths[i])
                                    : fmt::format("{:<{}}", cell_of(i), widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  };
  if (std::ranges::any_of(columns_, [](column const& c) { return !c.head.empty(); })) {
    add_line([this](std::size_t i) { return columns_[i].head; });
  }
  for (auto const& row : rows_) add_line([&row](std::size_t i) { return row[i]; });
  return all;
}

std::string in_seconds(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s ", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

std::string in_bytes(unsigned long long bytes) {
  constexpr std::array<char const*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", amount, units[unit]);
}

}  // namespace skua::cli
