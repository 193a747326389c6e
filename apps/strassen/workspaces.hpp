// SPDX-License-Identifier: MIT
// Memory for the temporaries of Strassen's product: one piece per step, lent for the duration of the step.
//
// All seven products of a step may run at once, so a step needs memory of its own, but successive steps of the same
// level can share it. Each level has as many pieces as the workers may use at once, allocated before the run and kept
// for the next one. A worker takes the piece with its own number if that is free, so it gets its own pages again, and
// nobody waits for an allocator. If more steps of a level are under way than planned (a worker can leave a waiting step
// and begin another), the rest allocate.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::apps::strassen {

class workspaces {
 public:
  static constexpr std::size_t most_pieces = 64;  ///< of a level

  workspaces() = default;
  /// floats[level]: the size of a piece.
  explicit workspaces(std::vector<std::size_t> const& floats) {
    for (std::size_t const size : floats) levels_.emplace_back(size);
  }

  /// Allocates pieces for this many workers; not while a piece is lent. Pages stay untouched until their first use.
  /// Throws resource_error if there is not enough memory.
  void reserve(unsigned workers) {
    std::size_t steps = 1;  // there are 7^level steps of a level
    for (level& l : levels_) {
      std::size_t const wanted = std::min({steps, std::size_t{2} * workers, most_pieces});
      while (l.pieces.size() < wanted) {
        l.unused.fetch_or(std::uint64_t{1} << l.pieces.size(),
                          std::memory_order_relaxed);  // relaxed: no other thread is here
        l.pieces.push_back(allocate(l.floats));
      }
      steps = std::min(steps * 7, most_pieces);
    }
  }

  class loan;
  /// Lends a piece of this level, the one with the number `near` if that is unused.
  [[nodiscard]] loan take(std::size_t at_level, unsigned near);

  /// How often no piece was left, so that one had to be allocated.
  [[nodiscard]] std::uint64_t spilled() const noexcept {
    return spilled_.load(std::memory_order_relaxed);
  }  // relaxed: a count
  /// Bytes allocated in advance.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (level const& l : levels_) sum += l.pieces.size() * l.floats * sizeof(float);
    return sum;
  }

 private:
  struct release {
    void operator()(float* p) const noexcept { ::operator delete(p, alignment); }
  };
  using memory = std::unique_ptr<float[], release>;
  struct level {
    explicit level(std::size_t size) noexcept : floats(size) {}
    std::size_t const floats;
    std::vector<memory> pieces;
    std::atomic<std::uint64_t> unused{0};  ///< bit i: piece i is not lent
  };

  static constexpr std::align_val_t alignment{4096};  ///< whole pages, which belong to one worker
  static memory allocate(std::size_t floats) {
    try {
      return memory(static_cast<float*>(::operator new(floats * sizeof(float), alignment)));
    } catch (std::bad_alloc const&) {
      throw resource_error("no memory for " + std::to_string((floats * sizeof(float)) >> 20) +
                           " MiB of temporaries: choose smaller matrices or fewer workers");
    }
  }

  std::deque<level> levels_;
  std::atomic<std::uint64_t> spilled_{0};
};

/// Holds a piece until the loan ends.
class workspaces::loan {
 public:
  ~loan() {
    // release: what this step read is read before the next borrower, whose take acquires, overwrites it.
    if (!own_) level_.unused.fetch_or(std::uint64_t{1} << piece_, std::memory_order_release);
  }
  loan(loan const&) = delete;
  loan& operator=(loan const&) = delete;
  [[nodiscard]] float* data() const noexcept { return own_ ? own_.get() : level_.pieces[piece_].get(); }

 private:
  friend workspaces;
  loan(workspaces& from, level& of, unsigned near) : level_(of) {
    int const first = static_cast<int>(near % most_pieces);
    std::uint64_t unused = level_.unused.load(std::memory_order_relaxed);  // relaxed: a guess, the exchange decides
    while (unused != 0) {
      piece_ = static_cast<unsigned>(std::countr_zero(std::rotr(unused, first)) + first) % most_pieces;
      std::uint64_t const rest = unused & ~(std::uint64_t{1} << piece_);
      // acquire: the last borrower's reads come before our writes. Pairs with the release at the end of its loan.
      if (level_.unused.compare_exchange_weak(unused, rest, std::memory_order_acquire, std::memory_order_relaxed))
        return;
    }
    own_ = allocate(level_.floats);
    from.spilled_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
  }

  level& level_;
  unsigned piece_ = 0;
  memory own_;
};

inline workspaces::loan workspaces::take(std::size_t at_level, unsigned near) {
  return {*this, levels_[at_level], near};
}

}  // namespace skua::apps::strassen
