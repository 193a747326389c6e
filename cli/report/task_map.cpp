// SPDX-License-Identifier: MIT
#include "cli/report/task_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace skua::cli::traced {
namespace {

/// A leaf that ran: who, which item, how many bytes.
struct use {
  std::uint32_t item = 0, worker = 0;
  std::uint64_t bytes = 0;
};

/// An address means something within one process only.
using item_key = std::pair<std::uint32_t, std::uint64_t>;

struct uses_of_run {
  std::vector<item_key> items;       ///< in the order of addresses
  std::vector<std::uint64_t> bytes;  ///< of each item
  std::vector<std::vector<use>> by_iteration;
};

uses_of_run collect(run const& of, std::vector<iteration> const& all) {
  uses_of_run found;
  found.by_iteration.resize(all.size());
  auto const for_each_leaf = [&](auto&& body) {
    for (std::uint32_t w = 0; w < of.workers.size(); ++w) {
      for (event const& e : of.workers[w].events) {
        std::uint64_t const bytes = e.value + e.other;
        if (e.what != kind::leaf || bytes == 0) continue;
        auto const after = std::ranges::upper_bound(all, e.ticks, {}, &iteration::from_ns);
        if (after == all.begin() || e.ticks > std::prev(after)->to_ns) continue;
        body(w, item_key{of.workers[w].rank, e.id}, static_cast<std::size_t>(after - all.begin()) - 1, bytes);
      }
    }
  };
  std::map<item_key, std::uint32_t> index;
  for_each_leaf([&](std::uint32_t, item_key key, std::size_t, std::uint64_t) { index.try_emplace(key, 0); });
  for (auto& [key, i] : index) {
    i = static_cast<std::uint32_t>(found.items.size());
    found.items.push_back(key);
  }
  found.bytes.assign(found.items.size(), 0);
  for_each_leaf([&](std::uint32_t w, item_key key, std::size_t i, std::uint64_t bytes) {
    std::uint32_t const item = index.at(key);
    found.by_iteration[i].push_back({item, w, bytes});
    found.bytes[item] = std::max(found.bytes[item], bytes);
  });
  return found;
}

std::vector<std::optional<double>> overlaps_of(uses_of_run const& uses) {
  std::vector<std::uint32_t> owner(uses.items.size(), nobody);
  std::vector<std::optional<double>> all;
  for (std::vector<use> const& now : uses.by_iteration) {
    double compared = 0, same = 0;
    for (use const& u : now) {
      if (owner[u.item] == nobody) continue;
      compared += static_cast<double>(u.bytes);
      if (owner[u.item] == u.worker) same += static_cast<double>(u.bytes);
    }
    for (use const& u : now) owner[u.item] = u.worker;
    all.push_back(compared > 0 ? std::optional(same / compared) : std::nullopt);
  }
  return all;
}

class painter {
 public:
  painter(uses_of_run const& uses, std::size_t most_rows) : uses_(uses), rows_(std::min(most_rows, uses.items.size())) {
    for (std::uint64_t const b : uses.bytes) begins_.push_back(begins_.back() + static_cast<double>(b));
  }

  [[nodiscard]] owner_picture paint(std::vector<iteration> const& all, std::size_t most_columns) const {
    owner_picture picture;
    std::size_t const columns = std::min(most_columns, all.size());
    picture.owners.assign(rows_ * columns, nobody);
    std::vector<std::uint32_t> owner(uses_.items.size(), nobody);
    std::size_t column = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (use const& u : uses_.by_iteration[i]) owner[u.item] = u.worker;
      if (i != (columns == 1 ? 0 : column * (all.size() - 1) / (columns - 1))) continue;
      picture.numbers.push_back(all[i].number);
      paint_column(owner, column, columns, picture.owners);
      if (++column == columns) break;
    }
    std::size_t item = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      while (item + 1 < uses_.items.size() && row_of(begins_[item + 1]) <= static_cast<double>(r)) ++item;
      picture.addresses.push_back(uses_.items[item].second);
    }
    return picture;
  }

 private:
  [[nodiscard]] double row_of(double byte) const { return byte / begins_.back() * static_cast<double>(rows_); }

  void paint_column(std::vector<std::uint32_t> const& owner, std::size_t column, std::size_t columns,
                    std::vector<std::uint32_t>& owners) const {
    std::vector<std::map<std::uint32_t, double>> bytes(rows_);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] == nobody) continue;
      double const from = row_of(begins_[i]);
      double const to = row_of(begins_[i + 1]);
      for (auto r = static_cast<std::size_t>(from); r < rows_ && static_cast<double>(r) < to; ++r)
        bytes[r][owner[i]] += std::min(to, static_cast<double>(r + 1)) - std::max(from, static_cast<double>(r));
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      if (bytes[r].empty()) continue;
      owners[r * columns + column] =
          std::ranges::max_element(bytes[r], {}, [](auto const& w) { return w.second; })->first;
    }
  }

  uses_of_run const& uses_;
  std::size_t rows_;
  std::vector<double> begins_{0};  ///< of the items, in bytes, when they lie behind each other
};

}  // namespace

std::optional<double> task_map::overlap() const noexcept {
  double sum = 0, n = 0;
  for (std::optional<double> const& o : overlaps) {
    if (!o) continue;
    sum += *o;
    ++n;
  }
  return n > 0 ? std::optional(sum / n) : std::nullopt;
}

task_map map_tasks(run const& of, std::vector<iteration> const& all, std::size_t most_rows, std::size_t most_columns) {
  uses_of_run const uses = collect(of, all);
  task_map map;
  map.items = uses.items.size();
  for (std::uint64_t const b : uses.bytes) map.bytes += b;
  map.overlaps = overlaps_of(uses);
  if (map.items > 0) map.picture = painter(uses, most_rows).paint(all, most_columns);
  return map;
}

}  // namespace skua::cli::traced
