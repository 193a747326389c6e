// SPDX-License-Identifier: MIT
#include "apps/sph/tree.hpp"

namespace skua::apps::sph {
namespace {

template <std::size_t D>
std::size_t orthant(vec<D> const& at, vec<D> const& centre) noexcept {
  std::size_t which = 0;
  for (std::size_t d = 0; d < D; ++d) which |= static_cast<std::size_t>(at[d] >= centre[d]) << d;
  return which;
}

}  // namespace

template <std::size_t D>
void tree<D>::build(std::vector<body<D>>& bodies, double radius) {
  nodes_.clear();
  leaves_.clear();
  near_.clear();
  spare_.resize(bodies.size());
  box<D> whole;
  for (body<D> const& b : bodies) whole.include(b.at);
  vec<D> centre{};
  double half = 0;
  for (std::size_t d = 0; d < D; ++d) {
    centre[d] = (whole.low[d] + whole.high[d]) / 2;
    half = std::max(half, (whole.high[d] - whole.low[d]) / 2);
  }
  nodes_.push_back({.around = {}, .own = {0, static_cast<std::uint32_t>(bodies.size())}, .children = {}, .near = {}});
  divide(0, centre, half, 0, {.from = bodies.data(), .to = spare_.data(), .from_is_home = true});
  for (std::uint32_t const which : leaves_) {
    node<D>& leaf = nodes_[which];
    leaf.near.first = static_cast<std::uint32_t>(near_.size());
    search(root(), leaf.around.widened(radius), leaf.near.first);
    leaf.near.end = static_cast<std::uint32_t>(near_.size());
  }
}

template <std::size_t D>
void tree<D>::divide(std::uint32_t which, vec<D> const& centre, double half, unsigned depth, sides const& s) {
  range const own = nodes_[which].own;
  if (own.size() <= most_per_leaf_ || depth == deepest) return close_leaf(which, s);

  constexpr std::size_t parts = std::size_t{1} << D;
  std::array<std::uint32_t, parts> end{};
  for (std::uint32_t i = own.first; i < own.end; ++i) ++end[orthant(s.from[i].at, centre)];
  std::array<std::uint32_t, parts> next{};
  auto const first_child = static_cast<std::uint32_t>(nodes_.size());
  std::array<std::size_t, parts> part_of{};
  std::uint32_t begin = own.first;
  for (std::size_t part = 0; part < parts; ++part) {
    next[part] = begin;
    end[part] += begin;
    begin = end[part];
    if (next[part] == end[part]) continue;
    part_of[nodes_.size() - first_child] = part;
    nodes_.push_back({.around = {}, .own = {next[part], end[part]}, .children = {}, .near = {}});
  }
  auto const end_child = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t i = own.first; i < own.end; ++i) s.to[next[orthant(s.from[i].at, centre)]++] = s.from[i];

  box<D> around;
  for (std::uint32_t child = first_child; child < end_child; ++child) {
    vec<D> middle = centre;
    for (std::size_t d = 0; d < D; ++d)
      middle[d] += (part_of[child - first_child] >> d & 1U) != 0 ? half / 2 : -half / 2;
    divide(child, middle, half / 2, depth + 1, {.from = s.to, .to = s.from, .from_is_home = !s.from_is_home});
    around.include(nodes_[child].around);
  }
  nodes_[which].children = {first_child, end_child};
  nodes_[which].around = around;
}

template <std::size_t D>
void tree<D>::close_leaf(std::uint32_t which, sides const& s) {
  node<D>& leaf = nodes_[which];
  for (std::uint32_t i = leaf.own.first; i < leaf.own.end; ++i) {
    leaf.around.include(s.from[i].at);
    if (!s.from_is_home) s.to[i] = s.from[i];
  }
  leaves_.push_back(which);
}

template <std::size_t D>
void tree<D>::search(node<D> const& from, box<D> const& wide, std::size_t first) {
  if (!wide.meets(from.around)) return;
  if (!from.is_leaf()) {
    for (node<D> const& child : children(from)) search(child, wide, first);
    return;
  }
  if (near_.size() > first && near_.back().end == from.own.first) {
    near_.back().end = from.own.end;
  } else {
    near_.push_back(from.own);
  }
}

template class tree<2>;
template class tree<3>;

}  // namespace skua::apps::sph
