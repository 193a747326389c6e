// SPDX-License-Identifier: MIT
#include "apps/map/task_map.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace skua::apps {

task_map::task_map(double width, double height, std::uint32_t workers, std::vector<double> weights)
    : width_(width), height_(height), workers_(workers), weights_(std::move(weights)),
      total_weight_(std::accumulate(weights_.begin(), weights_.end(), 0.0)), owned_(workers, 0.0) {}

void task_map::add(std::vector<std::uint32_t> owners, std::vector<map_box> boxes) {
  if (owners.size() != weights_.size()) throw std::invalid_argument("task_map::add: one owner per item");
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] < workers_) owned_[owners[i]] += weights_[i];
  }
  if (last_) sum_of_overlaps_ += overlap(last_->owners, owners);
  last_ = {.number = iterations() + 1, .owners = std::move(owners), .boxes = std::move(boxes)};
  if (last_->number == 1) first_ = last_;
  if (last_->number == 2) second_ = last_;
}

std::optional<double> task_map::overlap() const noexcept {
  if (iterations() < 2) return std::nullopt;
  return sum_of_overlaps_ / static_cast<double>(iterations() - 1);
}

double task_map::overlap(std::vector<std::uint32_t> const& before,
                         std::vector<std::uint32_t> const& after) const noexcept {
  double same = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (before[i] == after[i] && after[i] != nobody) same += weights_[i];
  }
  return total_weight_ > 0 ? same / total_weight_ : 1;
}

std::vector<double> task_map::shares() const {
  double const all = total_weight_ * static_cast<double>(iterations());
  std::vector<double> of_workers = owned_;
  for (double& share : of_workers) share = all > 0 ? share / all : 0;
  return of_workers;
}

std::vector<map_iteration const*> task_map::panels() const {
  std::vector<map_iteration const*> shown;
  if (first_) shown.push_back(&*first_);
  if (second_) shown.push_back(&*second_);
  if (iterations() > 2) shown.push_back(&*last_);
  return shown;
}

}  // namespace skua::apps
