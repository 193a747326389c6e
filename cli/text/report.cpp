// SPDX-License-Identifier: MIT
#include "cli/text/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace skua::cli {
namespace {

std::string csv_text(json const& value) {
  if (value.is_discarded() || value.is_null()) return "";
  return quoted_for_csv(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

std::string quoted_for_csv(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string safe = "\"";
  for (char const c : text) safe += c == '"' ? std::string{"\"\""} : std::string{c};
  return safe + "\"";
}

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
  if (seconds >= 1e-6 || seconds == 0) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.2f} ns", seconds * 1e9);
}

std::string seconds_in_text(double seconds) {
  std::string text = in_seconds(seconds);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string listed(std::span<std::string const> words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return all;
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

std::string in_percent(double of_one, int decimals) { return fmt::format("{:.{}f}%", 100 * of_one, decimals); }

std::string in_words(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

cell cell::of(json value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return {std::move(value), std::move(text)};
}

cell cell::ratio(std::optional<double> r) {
  if (!r) return {nullptr, "-"};
  return {*r, *r < 0.1 ? fmt::format("{:.2g}", *r) : fmt::format("{:.2f}", *r)};
}

void report::add_named(std::vector<named_cell> cells) {
  bool const is_first = rows_.empty();
  std::vector<cell>& row = rows_.emplace_back();
  for (named_cell& c : cells) {
    if (is_first) columns_.push_back({std::move(c.key), std::move(c.head), c.is_number});
    row.push_back(std::move(c.what));
  }
}

json report::rows() const {
  json all = json::array();
  for (auto const& cells : rows_) {
    json one = json::object();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].key.empty() && !cells[i].value.is_discarded()) one[columns_[i].key] = cells[i].value;
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::string report::text(std::string_view indent) const {
  std::vector<table::column> shown;
  for (column const& c : columns_) {
    if (!c.head.empty()) shown.push_back({c.head, c.is_number});
  }
  table t(std::move(shown));
  auto const add = [&](std::vector<cell> const& cells) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].head.empty()) texts.push_back(cells[i].text);
    }
    t.add(std::move(texts));
  };
  for (auto const& cells : rows_) add(cells);
  if (!summary_.empty()) add(summary_);
  return t.text(indent);
}

std::string report::csv() const {
  std::string all;
  auto const add_line = [&](auto const& text_of) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].key.empty()) texts.push_back(text_of(i));
    }
    all += fmt::format("{}\n", fmt::join(texts, ","));
  };
  add_line([this](std::size_t i) { return quoted_for_csv(columns_[i].key); });
  for (auto const& cells : rows_) add_line([&cells](std::size_t i) { return csv_text(cells[i].value); });
  return all;
}

steal_columns::steal_columns(std::span<std::vector<std::uint64_t> const> all) {
  std::size_t widest = 0;
  for (auto const& steals : all) widest = std::max(widest, steals.size());
  for (std::size_t d = 0; d < widest; ++d) {
    auto const any = [d](auto const& steals) { return d < steals.size() && steals[d] > 0; };
    if (std::ranges::any_of(all, any)) distances_.push_back(d);
  }
}

void steal_columns::add_heads(report& to) const {
  for (std::size_t const d : distances_) to.add_column({"", fmt::format("steals@{}", d)});
}

void steal_columns::add_cells(std::vector<std::uint64_t> const& steals, std::vector<cell>& to) const {
  for (std::size_t const d : distances_) to.push_back(cell::of(d < steals.size() ? steals[d] : 0));
}

std::string steal_columns::line(std::size_t distance, std::string const& name, std::string_view indent) {
  return fmt::format("{}steals@{}: {}\n", indent, distance, name);
}

}  // namespace skua::cli
