// SPDX-License-Identifier: MIT
// What a task takes on a partition, learnt while the program runs: one model per type and key of tasks. Two kinds of
// models; another one needs the functions of the concept. [arms-2021 3.3]
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skua/parts/base/relaxed_array.hpp"
#include "skua/policy/arms/partitions.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {

/// Tasks that have one model: those of one type whose addresses have one key.
struct task_kind {
  std::uint32_t type = 0;
  std::uint32_t key = 0;
  friend constexpr bool operator==(task_kind const&, task_kind const&) = default;
};

inline constexpr std::uint32_t most_types = 64;  ///< types from most_types - 1 on share a model

/// How the tables are laid out: a row per kind, a cell per partition.
class table_shape {
 public:
  static constexpr std::uint64_t most_cells = std::uint64_t{1}
                                              << 23;  // 96 MiB of addresses; untouched pages take no memory

  /// Neighbouring keys share a row if there were too many cells otherwise.
  table_shape(std::uint32_t key_bits, partitions const& all) : partitions_(all.all().size()) {
    while (coarser_ < key_bits && (most_types * partitions_ << (key_bits - coarser_)) > most_cells) ++coarser_;
    keys_ = std::size_t{1} << (key_bits - coarser_);
  }

  [[nodiscard]] std::size_t rows() const noexcept { return most_types * keys_; }
  [[nodiscard]] std::size_t cells() const noexcept { return rows() * partitions_; }
  [[nodiscard]] std::size_t row_of(task_kind kind) const noexcept {
    return std::min(kind.type, most_types - 1) * keys_ + (kind.key >> coarser_);
  }
  /// The first of the kinds that share a row.
  [[nodiscard]] task_kind kind_of(std::size_t row) const noexcept {
    return {.type = static_cast<std::uint32_t>(row / keys_),
            .key = static_cast<std::uint32_t>(row % keys_) << coarser_};
  }
  [[nodiscard]] std::size_t cell_of(std::size_t row, partition_id p) const noexcept {
    return row * partitions_ + index(p);
  }

 private:
  std::size_t partitions_;
  std::size_t keys_ = 1;
  std::uint32_t coarser_ = 0;
};

/// Laws: `time_ns` is 0 while the model cannot predict; the partition must then be tried. The leader of
/// the partition calls `update`, or the member of a team that ends last; of two calls at the same time one may be lost. `restarts` says that the cell's history is too old to count.
template <class M>
concept time_model = requires(M& m, M const& known, std::size_t row, partition_id p, std::uint64_t ns, bool restarts) {
  { known.time_ns(row, p) } noexcept -> std::same_as<std::uint64_t>;
  { known.measured_ns(row, p) } noexcept -> std::same_as<std::uint64_t>;  ///< 0 where it only predicts
  { m.update(row, p, ns, restarts) } noexcept;
  { M::knows_leaders } -> std::convertible_to<bool>;  ///< partitions of one width have times of their own
};

inline constexpr std::uint64_t longest_ns = std::uint64_t{1} << 60;

/// The first time counts in full, each later one a fifth: the model soon follows a change and forgets an outlier.
class history_model {
 public:
  static constexpr bool knows_leaders = true;

  history_model(table_shape const& shape, partitions const&) : shape_(shape), times_(shape.cells()) {}

  [[nodiscard]] std::uint64_t time_ns(std::size_t row, partition_id p) const noexcept {
    return times_.get(shape_.cell_of(row, p));
  }
  [[nodiscard]] std::uint64_t measured_ns(std::size_t row, partition_id p) const noexcept { return time_ns(row, p); }
  void update(std::size_t row, partition_id p, std::uint64_t ns, bool restarts) noexcept {
    std::size_t const cell = shape_.cell_of(row, p);
    std::uint64_t const now = std::clamp<std::uint64_t>(ns, 1, longest_ns);
    std::uint64_t const old = times_.get(cell);
    times_.set(cell, old == 0 || restarts ? now : (4 * old + now) / 5);
  }

 private:
  table_shape shape_;
  runtime::relaxed_array<std::uint64_t> times_;
};

/// T(w) = a / w^b, by least squares over the logarithms of the times of each width, which fade as in history_model. Two
/// widths are enough to predict all others. It does not distinguish leaders.
class power_law_model {
 public:
  static constexpr bool knows_leaders = false;

  power_law_model(table_shape const& shape, partitions const& all)
      : classes_(all.widths().size()), logs_(shape.rows() * classes_), laws_(shape.rows()) {
    for (std::uint16_t const w : all.widths()) log_widths_.push_back(std::log2(static_cast<float>(w)));
    for (std::uint32_t p = 0; p < all.all().size(); ++p)
      class_of_.push_back(static_cast<std::uint8_t>(all.width_class(partition_id{p})));
  }

  [[nodiscard]] std::uint64_t time_ns(std::size_t row, partition_id p) const noexcept {
    std::uint32_t const width = class_of_[index(p)];
    std::uint64_t const law = laws_.get(row);
    if (law == 0) {
      float const only = logs_.get(row * classes_ + width);
      return only == 0 ? 0 : in_ns(only - 1);
    }
    return in_ns(std::bit_cast<float>(static_cast<std::uint32_t>(law >> 32)) -
                 std::bit_cast<float>(static_cast<std::uint32_t>(law)) * log_widths_[width]);
  }

  /// A width's time is reported for its first partition.
  [[nodiscard]] std::uint64_t measured_ns(std::size_t row, partition_id p) const noexcept {
    std::uint32_t const width = class_of_[index(p)];
    if (index(p) > 0 && class_of_[index(p) - 1] == width) return 0;
    float const log = logs_.get(row * classes_ + width);
    return log == 0 ? 0 : in_ns(log - 1);
  }

  void update(std::size_t row, partition_id p, std::uint64_t ns, bool restarts) noexcept {
    std::size_t const cell = row * classes_ + class_of_[index(p)];
    auto const now = std::log2(static_cast<float>(std::clamp<std::uint64_t>(ns, 1, longest_ns))) + 1;
    float const old = logs_.get(cell);
    logs_.set(cell, old == 0 || restarts ? now : (4 * old + now) / 5);
    fit(row);
  }

 private:
  static std::uint64_t in_ns(float log) noexcept {
    return static_cast<std::uint64_t>(std::exp2(std::clamp(log, 0.0F, 60.0F)) + 0.5F);
  }

  void fit(std::size_t row) noexcept {
    float n = 0;
    float x = 0;
    float y = 0;
    float xx = 0;
    float xy = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      float const log = logs_.get(row * classes_ + c);
      if (log == 0) continue;
      n += 1;
      x += log_widths_[c];
      y += log - 1;
      xx += log_widths_[c] * log_widths_[c];
      xy += log_widths_[c] * (log - 1);
    }
    if (n < 2) return;
    float const b = (n * xy - x * y) / (x * x - n * xx);
    float const log_a = (y + b * x) / n;
    laws_.set(row, std::uint64_t{std::bit_cast<std::uint32_t>(log_a)} << 32 | std::bit_cast<std::uint32_t>(b));
  }

  std::size_t classes_;
  std::vector<std::uint8_t> class_of_;
  std::vector<float> log_widths_;
  runtime::relaxed_array<float> logs_;          ///< per row and width: log2 of the time, plus 1; 0: not measured
  runtime::relaxed_array<std::uint64_t> laws_;  ///< per row: log2 a, and b; 0: fewer than two widths are measured
};

}}}}  // namespace skua::v0::policies::arms
