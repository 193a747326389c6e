// SPDX-License-Identifier: MIT
// The task map: which worker had what, iteration by iteration; how much of it came home to the worker that had it in the
// iteration before; and what its picture needs. [adws-sc19 1, Figure 1]
//
// What is owned are *items*: whatever keeps its identity from iteration to iteration, be it a part of a plate or a particle
// that moves. Of the iterations the first, the second and the last are kept for the picture; of all others only the sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skua::apps {

/// No worker is known to have had the item.
inline constexpr std::uint32_t nobody = 0xffff'ffff;

/// A leaf where it stands in the picture; y points down. Any unit.
struct map_box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  std::uint32_t worker = nobody;
};

struct map_iteration {
  std::size_t number = 0;             ///< from 1
  std::vector<std::uint32_t> owners;  ///< per item, the worker or `nobody`
  std::vector<map_box> boxes;         ///< one per leaf that is shown
};

class task_map {
 public:
  /// The picture shows [0, width) x [0, height). `weights`: of every item, its work or its bytes.
  task_map(double width, double height, std::uint32_t workers, std::vector<double> weights);

  /// The next iteration. Throws std::invalid_argument unless `owners` holds one per item. Work O(items).
  void add(std::vector<std::uint32_t> owners, std::vector<map_box> boxes);
  /// So many leaves ran and could not be noted: their items have no owner.
  void lose(std::uint64_t leaves) noexcept { lost_ += leaves; }

  [[nodiscard]] double width() const noexcept { return width_; }
  [[nodiscard]] double height() const noexcept { return height_; }
  [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }
  [[nodiscard]] std::size_t iterations() const noexcept { return last_ ? last_->number : 0; }

  /// The share of items, by weight, that the same worker had as in the iteration before; the mean over all iterations but
  /// the first. Unset if there are fewer than two. An item without an owner is not the same.
  [[nodiscard]] std::optional<double> overlap() const noexcept;
  /// Between two iterations.
  [[nodiscard]] double overlap(std::vector<std::uint32_t> const& before,
                               std::vector<std::uint32_t> const& after) const noexcept;
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

  /// The first iteration, the second and the last, as far as there are so many.
  [[nodiscard]] std::vector<map_iteration const*> panels() const;

 private:
  double width_;
  double height_;
  std::uint32_t workers_;
  std::vector<double> weights_;
  double total_weight_ = 0;
  double sum_of_overlaps_ = 0;
  std::uint64_t lost_ = 0;
  std::optional<map_iteration> first_;
  std::optional<map_iteration> second_;
  std::optional<map_iteration> last_;
};

}  // namespace skua::apps
