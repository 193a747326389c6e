// SPDX-License-Identifier: MIT
#include "apps/random_dag/problem.hpp"

#include <algorithm>

#include "apps/checks.hpp"

namespace skua::apps::random_dag {

problem::problem(shape const& s)
    : shape_(s), before_(std::size_t{s.layers} * s.width), after_(before_.size()), values_(before_.size()),
      chain_(before_.size()), late_(before_.size()) {
  runtime::dice roll{s.seed};
  for (std::uint32_t i = s.width; i < nodes(); ++i) {
    std::uint32_t const layer_before = (i / s.width - 1) * s.width;
    auto& mine = before_[i];
    for (std::uint32_t edges = 1 + roll.below(s.edges); edges > 0; --edges)
      mine.push_back(layer_before + roll.below(s.width));
    std::ranges::sort(mine);
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    for (std::uint32_t const b : mine) after_[b].push_back(i);
  }
  reset();
  right_ = expected();
}

std::uint32_t problem::added_by(std::uint32_t i) const noexcept {
  if (!shape_.growing || after_[i].empty()) return 0;
  return static_cast<std::uint32_t>(runtime::dice{shape_.seed ^ ~hash{i}}.next() % 4);
}

hash problem::mixed(hash begin, hash more) const noexcept {
  hash value = begin;
  for (std::uint32_t round = 0; round < shape_.rounds; ++round) value = runtime::dice{value ^ more}.next();
  return value;
}

void problem::visit(std::uint32_t i) noexcept {
  // relaxed: whoever added to it has finished before this node
  hash sum = late_[i].load(std::memory_order_relaxed);
  for (std::uint32_t const b : before_[i]) sum = runtime::dice{sum ^ values_[b]}.next();
  values_[i] = mixed(values_[i] + i + 1, sum);  // from 0: a second visit has another result
  chain_[i] = values_[i];
}

void problem::visit_added(std::uint32_t i, std::uint32_t k) noexcept {
  chain_[i] = mixed(chain_[i] + k, i);
  if (k + 1 == added_by(i)) {
    late_[after_[i].front()].fetch_add(chain_[i], std::memory_order_relaxed);  // the edge orders it
  }
}

void problem::reset() {
  std::ranges::fill(values_, 0);
  std::ranges::fill(chain_, 0);
  for (auto& l : late_) l.store(0, std::memory_order_relaxed);  // no node runs
}

std::vector<hash> problem::expected() const {
  std::vector<hash> values(nodes(), 0);
  std::vector<hash> late(nodes(), 0);
  for (std::uint32_t i = 0; i < nodes(); ++i) {
    hash sum = late[i];
    for (std::uint32_t const b : before_[i]) sum = runtime::dice{sum ^ values[b]}.next();
    values[i] = mixed(i + 1, sum);
    hash chain = values[i];
    std::uint32_t const count = added_by(i);
    for (std::uint32_t k = 0; k < count; ++k) chain = mixed(chain + k, i);
    if (count > 0) late[after_[i].front()] += chain;
  }
  return values;
}

std::string problem::wrong() const {
  auto const [mine, its] = std::ranges::mismatch(values_, right_);
  if (mine == values_.end()) return {};
  return "random-dag: node " + std::to_string(mine - values_.begin()) + " is " + std::to_string(*mine) + "; right is " +
         std::to_string(*its);
}

void run_alone(problem& p) {
  for (std::uint32_t i = 0; i < p.nodes(); ++i) {
    p.visit(i);
    std::uint32_t const count = p.added_by(i);
    for (std::uint32_t k = 0; k < count; ++k) p.visit_added(i, k);
  }
}

}  // namespace skua::apps::random_dag
