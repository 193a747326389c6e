// SPDX-License-Identifier: MIT
#include "apps/heat/map.hpp"

namespace skua::apps::heat {
namespace {

void add_leaves(rectangle const& r, cutoff const& end, std::vector<rectangle>& to) {
  if (!end.reached(r)) {
    for (rectangle const& part : quarters(r, end)) add_leaves(part, end, to);
  } else if (r.rows != 0 && r.columns != 0) {
    to.push_back(r);
  }
}

std::vector<double> cells_of(std::vector<rectangle> const& leaves) {
  std::vector<double> all;
  all.reserve(leaves.size());
  for (rectangle const& r : leaves) all.push_back(static_cast<double>(r.rows) * static_cast<double>(r.columns));
  return all;
}

}  // namespace

std::vector<rectangle> leaves_of(rectangle const& whole, cutoff const& end) {
  std::vector<rectangle> all;
  add_leaves(whole, end, all);
  return all;
}

surveyor::surveyor(problem& p, cutoff const& end, std::uint32_t workers)
    : problem_(p), map_(static_cast<double>(p.columns()), static_cast<double>(p.rows()), workers,
                        cells_of(leaves_of(p.whole(0), end))) {
  rectangle const whole = p.whole(0);
  for (rectangle const& r : leaves_of(whole, end)) {
    auto const distance = r.to - whole.to;
    auto const left = static_cast<double>(distance % static_cast<std::ptrdiff_t>(r.stride));
    auto const top = static_cast<double>(distance / static_cast<std::ptrdiff_t>(r.stride));
    leaf_at_.emplace(distance, static_cast<std::uint32_t>(boxes_.size()));
    boxes_.push_back({.left = left,
                      .top = top,
                      .right = left + static_cast<double>(r.columns),
                      .bottom = top + static_cast<double>(r.rows),
                      .worker = nobody});
  }
}

void surveyor::note(std::size_t which, std::span<leaf_rows const> of_workers) {
  float const* const origin = problem_.whole(which).to;
  std::vector<std::uint32_t> owners(boxes_.size(), nobody);
  for (std::uint32_t worker = 0; worker < of_workers.size(); ++worker) {
    map_.lose(of_workers[worker].lost);
    for (footprint const& leaf : of_workers[worker].ran) {
      auto const found = leaf_at_.find(static_cast<float const*>(leaf.written) - origin);
      if (found != leaf_at_.end()) owners[found->second] = worker;
    }
  }
  std::vector<map_box> boxes = boxes_;
  for (std::size_t i = 0; i < boxes.size(); ++i) boxes[i].worker = owners[i];
  map_.add(std::move(owners), std::move(boxes));
}

}  // namespace skua::apps::heat
