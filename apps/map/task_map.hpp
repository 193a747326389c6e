// SPDX-License-Identifier: MIT
// The task map: which worker owned which item, iteration by iteration, and the share of items that kept their worker
// from one iteration to the next. [adws-sc19 1, Figure 1]
//
// An *item* is whatever keeps its identity from iteration to iteration: a part of a plate, or a particle that moves.
// The map keeps the first, the second and the last iteration for its picture, and only the sum of overlaps for all
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skua::apps {

/// No worker is known to have owned the item.
inline constexpr std::uint32_t nobody = 0xffff'ffff;

/// A leaf in the picture, in any unit; y points down.
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
  /// The picture shows [0, width) x [0, height). `weights` holds the work or the bytes of every item.
  task_map(double width, double height, std::uint32_t workers, std::vector<double> weights);

  /// Adds the next iteration. Throws std::invalid_argument unless `owners` holds one per item. Work O(items).
  void add(std::vector<std::uint32_t> owners, std::vector<map_box> boxes);
  /// Counts leaves that ran and could not be recorded: their items have no owner.
  void lose(std::uint64_t leaves) noexcept { lost_ += leaves; }

  [[nodiscard]] double width() const noexcept { return width_; }
  [[nodiscard]] double height() const noexcept { return height_; }
  [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }
  [[nodiscard]] std::size_t iterations() const noexcept { return last_ ? last_->number : 0; }

  /// The share of items, by weight, that had the same worker as in the iteration before: the mean over all iterations
  /// but the first, unset if there are fewer than two. An item without an owner counts as moved.
  [[nodiscard]] std::optional<double> overlap() const noexcept;
  /// Between two iterations.
  [[nodiscard]] double overlap(std::vector<std::uint32_t> const& before,
                               std::vector<std::uint32_t> const& after) const noexcept;
  /// Per worker, the share of all items of all iterations, by weight, that it owned; together less than 1 if some had no
  /// owner. An overlap of 1 means nothing if one worker owned everything.
  [[nodiscard]] std::vector<double> shares() const;
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

  /// The first, the second and the last iteration, if there are so many.
  [[nodiscard]] std::vector<map_iteration const*> panels() const;

 private:
  double width_;
  double height_;
  std::uint32_t workers_;
  std::vector<double> weights_;
  double total_weight_ = 0;
  double sum_of_overlaps_ = 0;
  std::vector<double> owned_;  ///< by worker, the weight of its items, all iterations together
  std::uint64_t lost_ = 0;
  std::optional<map_iteration> first_;
  std::optional<map_iteration> second_;
  std::optional<map_iteration> last_;
};

}  // namespace skua::apps
