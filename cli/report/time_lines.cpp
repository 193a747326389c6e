// SPDX-License-Identifier: MIT
#include "cli/report/time_lines.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "cli/report/packed.hpp"

namespace skua::cli::traced {
namespace {

constexpr std::size_t most_rows = 256;
constexpr std::size_t most_cells = 160'000;
constexpr std::size_t most_columns = 1000;
constexpr std::size_t least_columns = 100;
constexpr std::size_t most_names = 255 - activities;

/// How many neighbours share a line.
std::size_t sharing(std::size_t workers) { return std::max<std::size_t>((workers + most_rows - 1) / most_rows, 1); }

}  // namespace

json times_json(times const& t) {
  json all;
  for (std::size_t a = 0; a < activities; ++a) all[std::string(activity_names[a]) + "_s"] = seconds(t.ns[a]);
  return all;
}

json rows_json(run const& of, std::vector<times> const& by_worker) {
  json all = json::array();
  bool const has_kinds = std::ranges::any_of(of.workers, [](traced_worker const& w) { return w.speed != 1; });
  std::size_t const each = sharing(of.workers.size());
  for (std::size_t w = 0; w < of.workers.size(); w += each) {
    std::size_t const end = std::min(w + each, of.workers.size());
    times spent;
    std::uint64_t steals = 0, tasks = 0, lost = 0;
    for (std::size_t k = w; k < end; ++k) {
      spent += by_worker[k];
      lost += of.workers[k].lost;
      for (event const& e : of.workers[k].events) {
        steals += e.what == kind::stolen ? 1 : 0;
        tasks += e.what == kind::task_began ? 1 : 0;
      }
    }
    traced_worker const& first = of.workers[w];
    all.push_back({{"worker", w},
                   {"workers", end - w},
                   {"rank", first.rank},
                   {"place", first.place},
                   {"node", first.node},
                   {"processor", first.processor}});
    if (has_kinds) all.back()["speed"] = first.speed;
    all.back().update(times_json(spent));
    all.back().update({{"tasks", tasks}, {"steals", steals}, {"lost_events", lost}});
  }
  return all;
}

json time_lines_json(run const& of, history const& h) {
  // Of many workers, every Nth is shown.
  std::size_t const each = sharing(of.workers.size());
  std::vector<std::size_t> lines;
  for (std::size_t w = 0; w < of.workers.size(); w += each) lines.push_back(w);
  std::size_t const columns =
      std::clamp(most_cells / std::max<std::size_t>(lines.size(), 1), least_columns, most_columns);
  std::vector<std::uint8_t> cells, steals(lines.size() * columns), sends(lines.size() * columns);
  std::map<std::uint32_t, std::uint8_t> codes;
  json names = json::array();
  auto const code_of = [&](cell_of_line const& c) {
    if (c.what != activity::work || c.task == no_task) return static_cast<std::uint8_t>(c.what);
    auto const found = codes.find(c.task);
    if (found != codes.end()) return found->second;
    if (codes.size() == most_names) return static_cast<std::uint8_t>(activity::work);
    auto const code = static_cast<std::uint8_t>(activities + codes.size());
    names.push_back(of.names[c.task]);
    codes.emplace(c.task, code);
    return code;
  };
  double const width = std::max(static_cast<double>(of.length_ns), 1.0) / static_cast<double>(columns);
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (cell_of_line const& c : time_line(of, h.of_worker[lines[l]], columns)) cells.push_back(code_of(c));
    for (event const& e : of.workers[lines[l]].events) {
      if (e.what != kind::stolen && e.what != kind::sent) continue;
      auto const column = std::min(static_cast<std::size_t>(static_cast<double>(e.ticks) / width), columns - 1);
      std::uint8_t& n = (e.what == kind::stolen ? steals : sends)[l * columns + column];
      if (n < 255) ++n;
    }
  }
  return {{"columns", columns},     {"column_s", width / 1e9},  {"lines", lines},        {"names", std::move(names)},
          {"cells", packed(cells)}, {"steals", packed(steals)}, {"sends", packed(sends)}};
}

}  // namespace skua::cli::traced
