// SPDX-License-Identifier: MIT
// Which workers may run one task together: partitions [leader, width], from the topology or from a file.
// [arms-2021 3.2, Table 2, Table 3]
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms {

/// The workers leader, leader + 1, .., leader + width - 1.
struct partition {
  worker_id leader{};
  std::uint16_t width = 1;
  [[nodiscard]] constexpr bool has(worker_id w) const noexcept { return index(w) - index(leader) < width; }
  friend constexpr bool operator==(partition const&, partition const&) = default;
};

/// The number of a partition among all of a region.
enum class partition_id : std::uint32_t {};
constexpr std::uint32_t index(partition_id p) noexcept { return static_cast<std::uint32_t>(p); }

struct partition_limits {
  std::uint16_t width = 0xffff;  ///< no partition is wider
  bool across_packages = false;  ///< the widest is all workers, instead of those of a package
};

class partitions {
 public:
  /// The workers that share a core, an L2, an L3 or place, a NUMA node or a package; and between two of these levels
  /// blocks of as many workers as divide evenly, but no two sizes closer than 4/3: of 24 workers 2, 3, 4, 6, 8, 12. So a
  /// worker is in at most log(workers) / log(4/3) + 2 partitions.
  explicit partitions(layout const& where, partition_limits const& limits = {});

  /// From the text of a layout file. Line 1: for each worker the number of its processor, with commas in between. Line w + 2:
  /// the widths of the partitions that worker w leads, 1 among them. Blank lines may follow. `name` is what errors call the
  /// text. Throws usage_error, which names the line.
  [[nodiscard]] static partitions read(std::string_view name, std::string_view text);
  /// The text that `read` accepts.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(affinity_.size()); }
  /// The processor of each worker as the OS counts them; its own number where the layout knows none.
  [[nodiscard]] std::span<std::uint32_t const> affinity() const noexcept { return affinity_; }

  /// By width, then by leader; a partition's number is its position. So the partitions of width 1 come first, each with the
  /// number of its worker.
  [[nodiscard]] std::span<partition const> all() const noexcept { return all_; }
  [[nodiscard]] partition const& operator[](partition_id p) const noexcept { return all_[index(p)]; }
  /// The partitions that contain this worker, in the same order. [arms-2021 Table 3]
  [[nodiscard]] std::span<partition_id const> inclusive(worker_id w) const noexcept {
    return std::span(inclusive_).subspan(begins_[index(w)], begins_[index(w) + 1] - begins_[index(w)]);
  }
  /// Every width that occurs, ascending.
  [[nodiscard]] std::span<std::uint16_t const> widths() const noexcept { return widths_; }
  /// The position of a partition's width in `widths`.
  [[nodiscard]] std::uint32_t width_class(partition_id p) const noexcept { return classes_[index(p)]; }

  /// A range of workers.
  struct range {
    worker_id first{};
    std::uint32_t count = 0;
    friend constexpr bool operator==(range const&, range const&) = default;
  };
  /// The workers with whom this one shares a partition, and itself.
  [[nodiscard]] range neighbours(worker_id w) const noexcept;

  friend bool operator==(partitions const& a, partitions const& b) {
    return a.affinity_ == b.affinity_ && a.all_ == b.all_;
  }

 private:
  partitions(std::vector<std::uint32_t> affinity, std::vector<partition> all);

  // Invariant (sorted): all_ ascends by width, then leader; nothing is in it twice, and [w, 1] for every worker is.
  std::vector<std::uint32_t> affinity_;
  std::vector<partition> all_;
  std::vector<std::uint16_t> widths_;
  std::vector<std::uint16_t> classes_;   ///< of each partition: the position of its width
  std::vector<partition_id> inclusive_;  ///< of worker w: [begins_[w], begins_[w + 1])
  std::vector<std::size_t> begins_;
};

}}}}  // namespace skua::v0::policies::arms
