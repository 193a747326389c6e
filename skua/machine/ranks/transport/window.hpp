// SPDX-License-Identifier: MIT
// Memory of every rank that all ranks read, write and add to while the owner does something else (a "window" of MPI-3). matrix/distributed_matrix.md
// says who calls what, and what is visible when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/machine/ranks/transport/message.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The types that an MPI adds up atomically.
enum class window_element : std::uint8_t { f64, f32, i32, i64, c128 };

[[nodiscard]] constexpr std::size_t size_of(window_element e) noexcept {
  switch (e) {
    case window_element::f32:
    case window_element::i32: return 4;
    case window_element::c128: return 16;
    case window_element::f64:
    case window_element::i64: break;
  }
  return 8;
}

enum class transfer_kind : std::uint8_t { get, put, accumulate };

/// Consecutive elements of one rank's memory, and as many of the caller's.
struct window_run {
  rank_number rank = 0;
  std::uint64_t at = 0;        ///< the first element
  std::uint64_t count = 0;     ///< at most longest_run
  std::byte* local = nullptr;  ///< only read by a put and an accumulate
};
/// MPI counts with int.
inline constexpr std::uint64_t longest_run = std::uint64_t{1} << 28;

/// One rank's end. The thread that calls the transport calls it, and no other one unless any_thread(). Its end is collective.
class window {
 public:
  virtual ~window() = default;

  /// This rank's elements; zero at first. Aligned for each element type.
  [[nodiscard]] virtual std::byte* own() const noexcept = 0;
  /// True if any thread may call every function, and `start` completes at once.
  [[nodiscard]] virtual bool any_thread() const noexcept { return false; }
  /// True if loads and stores of the own elements are as good as `get` and `put` to this rank itself.
  [[nodiscard]] virtual bool is_unified() const noexcept { return true; }

  /// Starts the transfer of all runs. The caller keeps their memory until `test` has returned true. Accumulates of one element are
  /// atomic to each other. Throws std::bad_alloc and resource_error.
  [[nodiscard]] virtual std::uint64_t start(transfer_kind what, std::span<window_run const> runs) = 0;
  /// True, once, if the caller's memory is filled by the get, or free after the put or accumulate.
  [[nodiscard]] virtual bool test(std::uint64_t started) = 0;
  /// Returns when every transfer of this rank is complete at its target. Each was tested to its end before.
  virtual void flush() = 0;
  /// True if `flush` has nothing to do.
  [[nodiscard]] virtual bool is_flushed() const noexcept = 0;
  /// What this rank stored itself is visible to other ranks, and what they transferred to this rank, once the ranks have met in between.
  virtual void publish() = 0;
};

}}}  // namespace skua::v0::ranks
