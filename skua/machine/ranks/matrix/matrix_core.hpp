// SPDX-License-Identifier: MIT
// A distributed matrix on one rank, without the type of its elements: transfers of rectangles, and the meetings of the ranks around
// what they do to the whole matrix. distributed_matrix.md has the states and what is visible when.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skua/machine/ranks/matrix/matrix_layout.hpp"
#include "skua/machine/ranks/matrix/matrix_traffic.hpp"
#include "skua/machine/ranks/matrix/transfers.hpp"
#include "skua/machine/ranks/matrix/window_table.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class communicator_core;

/// "double".
[[nodiscard]] char const* name_of(window_element e) noexcept;

class matrix_core {
 public:
  /// Collective. Throws on every rank.
  matrix_core(communicator_core& core, std::string name, window_element type, std::uint64_t rows, std::uint64_t columns,
              matrix_distribution const& how);
  ~matrix_core();
  matrix_core(matrix_core const&) = delete;
  matrix_core& operator=(matrix_core const&) = delete;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] matrix_layout const& layout() const noexcept { return layout_; }
  [[nodiscard]] rank_number rank() const noexcept { return rank_; }
  [[nodiscard]] window_element type() const noexcept { return type_; }
  /// Of the own blocks. Throws usage_error after the end of the communicator.
  [[nodiscard]] std::byte* own() const;
  [[nodiscard]] rank_number owner_of(std::uint64_t row, std::uint64_t column) const;

  // --- any thread

  /// The caller's part of a transfer: rows of `rectangle` that begin `leading` elements apart.
  struct memory {
    std::byte* first;
    std::uint64_t leading;
    std::shared_ptr<void const> copy = {};  ///< keeps `first` alive, if the caller gave it away
  };
  /// Throws usage_error for a rectangle or memory that cannot be.
  void expect_valid(char const* call, rectangle const& r, void const* first, std::uint64_t leading) const;
  /// Begins it; null: it is over. `is_waited_for`: `wait` will be called.
  [[nodiscard]] std::shared_ptr<transfer> begin(transfer_kind what, rectangle const& r, memory m, bool is_waited_for);
  /// begin and wait.
  void transfer_now(transfer_kind what, rectangle const& r, memory m);
  /// Accumulates a copy, and does not wait unless this rank has many of them under way.
  void accumulate_copy(rectangle const& r, memory m);
  /// The same for sums of several tasks, each of which has noted its part.
  void accumulate_sums(rectangle const& r, memory m);
  /// Adds these elements to the footprint of the task that calls, if its collection measures them.
  void note_use(rectangle const& r);
  [[nodiscard]] std::shared_ptr<transfers> const& traffic_of_rank() const noexcept { return transfers_; }
  [[nodiscard]] matrix_traffic traffic() const noexcept { return counted_.value(); }
  void reset_traffic() noexcept { counted_.reset(); }
  /// Of meetings.
  [[nodiscard]] std::uint64_t version() const noexcept {
    return version_.load(
        std::memory_order_relaxed);  // relaxed: tasks learn of the meetings before them when process() starts them
  }

  // --- collective

  /// Every rank is in this call, and what any rank transferred to a matrix before is visible. `call`: what ranks must agree on.
  void meet(std::string const& call);
  /// The same within the call.
  void meet_again();
  /// Throws `text` as a usage_error on every rank.
  [[noreturn]] void refuse(std::string const& call, std::string const& text);
  /// "scale of the matrix 'F' by 2".
  [[nodiscard]] std::string call(std::string const& action, std::string const& rest = {}) const;
  /// Of all ranks, within the call.
  void sum(double* values, std::size_t count);
  void sum(std::int64_t* values, std::size_t count);
  void write(std::string const& path);
  void read(std::string const& path);

 private:
  [[nodiscard]] window& here() const;
  void expect_server(std::string const& call) const;
  void make_window();
  [[nodiscard]] std::vector<window_run> runs_of(transfer_kind what, rectangle const& r, memory const& m);
  void count(transfer_kind what, bool is_local, std::uint64_t moved) noexcept;
  [[nodiscard]] std::shared_ptr<transfer> start(transfer_kind what, rectangle const& r, memory m, bool is_waited_for);
  void complete_all();

  communicator_core& core_;
  std::string const name_;
  window_element const type_;
  rank_number const rank_;
  std::shared_ptr<window_table> const windows_;
  std::shared_ptr<transfers> const transfers_;
  matrix_layout layout_;
  std::uint32_t number_ = 0;
  window* where_ = nullptr;  ///< valid while the communicator lives, which transfers_ knows
  std::string action_;       ///< the collective call
  std::atomic<std::uint64_t> version_{0};
  traffic_counts counted_;
};

}}}  // namespace skua::v0::ranks
