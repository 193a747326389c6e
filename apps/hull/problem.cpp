// SPDX-License-Identifier: MIT
#include "apps/hull/problem.hpp"

#include <algorithm>

namespace skua::apps::hull {

problem::problem(std::vector<point> points, std::size_t leaf)
    : leaf_(leaf), input_(points), extremes_((points.size() + leaf - 1) / leaf), points_(points.size()),
      scratch_(points.size()) {
  std::ranges::sort(points);
  right_ = monotone_chain(points);
  flaw_ = flaw(right_, points);
  reset();
}

std::vector<owned_array> problem::owned(place_range const& places) {
  auto const shares = [this, places] {
    return shares_of(places, blocks(), [this](std::size_t b) { return std::min(b * leaf_, input_.size()); });
  };
  return {{.memory = &input_, .shares = shares},
          {.memory = &points_, .shares = shares},
          {.memory = &scratch_, .shares = shares}};
}

std::span<point const> problem::block(std::size_t b) const noexcept {
  std::span<point const> const rest = input_.elements().subspan(b * leaf_);
  return rest.first(std::min(leaf_, rest.size()));
}

void problem::reset() {
  vertices_ = 0;
  around_.clear();
  run_at_.clear();
  // Poison, so that a read before the first write shows: this point is outside of all others.
  for (auto* const v : {&points_, &scratch_}) std::ranges::fill(v->elements(), point{2 * radius, 2 * radius});
}

void problem::look_at_block(std::size_t b) noexcept {
  // Not std::minmax: it first compares neighbours, which is a coin toss; these two comparisons nearly always fail.
  std::span<point const> const points = block(b);
  point least = points.front();
  point greatest = least;
  for (point const& p : points) {
    if (p < least) least = p;
    if (greatest < p) greatest = p;
  }
  extremes_[b] = {least, greatest};
}

std::optional<division> problem::start() {
  auto [least, greatest] = extremes_.front();
  for (auto const& [low, high] : extremes_) {
    least = std::min(least, low);
    greatest = std::max(greatest, high);
  }
  points_[0] = least;
  if (least != greatest) {
    return division(input_.elements(), points_.elements().subspan(1), scratch_.elements(), {least, greatest},
                    {greatest, least}, leaf_);
  }
  collect({});
  write_run(0);
  return std::nullopt;
}

void problem::collect(chain&& around) {
  around_ = std::move(around);
  around_.insert(around_.begin(), points_.elements().first(1));
  run_at_.clear();
  vertices_ = 0;
  for (std::span<point const> const run : around_) {
    run_at_.push_back(vertices_);
    vertices_ += run.size();
  }
}

void problem::write_run(std::size_t i) noexcept {
  auto const [from, to] = run(i);
  std::ranges::copy(from, to.begin());
}

std::string problem::wrong() const {
  if (vertices_ == 0) return "hull: no run yet";
  if (!flaw_.empty()) return "hull: the check itself is wrong: " + flaw_;
  if (std::ranges::equal(answer(), right_)) return {};
  if (vertices_ != right_.size()) {
    return "hull: " + std::to_string(vertices_) + " vertices; right are " + std::to_string(right_.size());
  }
  auto const at = std::ranges::mismatch(answer(), right_).in2 - right_.begin();
  return "hull: vertex " + std::to_string(at) + " of " + std::to_string(vertices_) + " is not the right one";
}

}  // namespace skua::apps::hull
