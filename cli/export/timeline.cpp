// SPDX-License-Identifier: MIT
#include "cli/export/timeline.hpp"

#include <array>

namespace skua::cli {
namespace {

template <std::size_t N, class Enum>
std::string_view in(std::array<std::string_view, N> const& names, Enum e) noexcept {
  return names[static_cast<std::size_t>(e)];
}

}  // namespace

std::uint32_t text_pool::number(std::string_view text) {
  auto const [at, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&at->first);
  return at->second;
}

std::string_view name_of(slice::kind k) noexcept {
  return in(std::array<std::string_view, 6>{"task", "leaf", "team", "activity", "iteration", "node"}, k);
}
std::string_view name_of(slice::ending e) noexcept {
  return in(std::array<std::string_view, 4>{"ended", "parked", "moved", "cut"}, e);
}
std::string_view name_of(arrow::kind k) noexcept {
  return in(std::array<std::string_view, 5>{"went on", "stolen", "sent", "message", "edge"}, k);
}
std::string_view name_of(sample::kind k) noexcept {
  return in(std::array<std::string_view, 2>{"working workers", "waiting tasks"}, k);
}
std::string name_of(row const& r) {
  if (r.what == row::kind::pool) return "pool";
  if (r.is_outside) return "outside";
  return "worker " + std::to_string(r.worker) + (r.what == row::kind::activity ? ": activity" : "");
}

arrow_place place_of(timeline const& t, arrow_end const& e) noexcept {
  if (e.is_slice) return {t.slices[e.index].row, t.slices[e.index].begin_ns};
  return {t.points[e.index].row, t.points[e.index].at_ns};
}

arrow_numbers arrows_by_end(timeline const& t) {
  arrow_numbers all;
  all.from_slice.resize(t.slices.size());
  all.to_slice.resize(t.slices.size());
  all.from_point.resize(t.points.size());
  all.to_point.resize(t.points.size());
  for (std::size_t i = 0; i < t.arrows.size(); ++i) {
    arrow const& a = t.arrows[i];
    (a.from.is_slice ? all.from_slice : all.from_point)[a.from.index].push_back(i);
    (a.to.is_slice ? all.to_slice : all.to_point)[a.to.index].push_back(i);
  }
  return all;
}

std::vector<std::vector<std::size_t>> slices_by_row(timeline const& t) {
  std::vector<std::vector<std::size_t>> all(t.rows.size());
  for (std::size_t i = 0; i < t.slices.size(); ++i) all[t.slices[i].row].push_back(i);
  return all;
}

}  // namespace skua::cli
