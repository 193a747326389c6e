// SPDX-License-Identifier: MIT
// Fewer messages for tasks of one rank that use the same blocks: a cache of blocks that they get, and sums of blocks that they accumulate.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/machine/ranks/matrix/matrix_layout.hpp"

namespace skua { inline namespace v0 {

template <class T>
class distributed_matrix;

namespace ranks {

struct in_order {
  [[nodiscard]] bool operator()(rectangle const& a, rectangle const& b) const noexcept {
    return std::tie(a.row, a.column, a.rows, a.columns) < std::tie(b.row, b.column, b.rows, b.columns);
  }
};

}  // namespace ranks

/// Blocks of a matrix that this rank has got, for all its workers. A block is got once between two `sync`, or other collective functions of the
/// matrix, unless several workers ask for it at the same time, or the cache is full: then it forgets all. Equal rectangles are found again, not parts of them.
template <class T>
class matrix_cache {
 public:
  using block = std::shared_ptr<std::vector<T> const>;

  /// `of` outlives it.
  explicit matrix_cache(distributed_matrix<T>& of, std::uint64_t most_bytes = std::uint64_t{256} << 20)
      : of_(of), most_bytes_(most_bytes) {}

  /// The elements in rows, without gaps. Any worker. Throws as `get` of the matrix. The block stays as it is while the program holds it.
  [[nodiscard]] block get(rectangle const& r) {
    std::uint64_t const now = of_.version();
    {
      std::scoped_lock const held(lock_);
      if (version_ == now) {
        if (auto const at = blocks_.find(r); at != blocks_.end()) {
          ++hits_;
          of_.note_use(r);
          return at->second;
        }
      }
    }
    auto got = std::make_shared<std::vector<T> const>(of_.get(r));
    std::uint64_t const bytes = got->size() * sizeof(T);
    std::scoped_lock const held(lock_);
    ++misses_;
    if (version_ != now || bytes_ + bytes > most_bytes_) forget();
    version_ = now;
    if (bytes <= most_bytes_ && blocks_.emplace(r, got).second) bytes_ += bytes;
    return got;
  }
  /// Forgets all blocks. Any worker.
  void clear() {
    std::scoped_lock const held(lock_);
    forget();
  }
  /// How often `get` found the block, and did not. Outside tasks.
  [[nodiscard]] std::uint64_t num_hits() const noexcept { return hits_; }
  [[nodiscard]] std::uint64_t num_misses() const noexcept { return misses_; }

 private:
  void forget() noexcept {
    blocks_.clear();
    bytes_ = 0;
  }

  distributed_matrix<T>& of_;
  std::uint64_t const most_bytes_;
  std::mutex lock_;
  std::map<rectangle, block, ranks::in_order> blocks_;  ///< guarded by lock_, as the rest
  std::uint64_t bytes_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

/// Sums of what this rank's workers accumulate to equal rectangles. They travel once: when `flush` is called, or when they take more than
/// `most_bytes`. Floating-point numbers are then added in another order.
template <class T>
class matrix_accumulator {
 public:
  /// `to` outlives it.
  explicit matrix_accumulator(distributed_matrix<T>& to, std::uint64_t most_bytes = std::uint64_t{256} << 20)
      : to_(to), most_bytes_(most_bytes) {}
  matrix_accumulator(matrix_accumulator const&) = delete;
  matrix_accumulator& operator=(matrix_accumulator const&) = delete;

  /// As `accumulate` of the matrix. Any worker. The caller's memory may be reused at once.
  void accumulate(rectangle const& r, T const* from, std::uint64_t leading, T alpha = T{1}) {
    to_.expect_valid("accumulate", r, from, leading);
    if (r.is_empty()) return;
    to_.note_use(r);
    sums full;
    {
      std::scoped_lock const held(lock_);
      auto const [at, is_new] = sums_.try_emplace(r);
      if (is_new) {
        bytes_ += r.size() * sizeof(T);
        at->second.resize(r.size());
      }
      T* into = at->second.data();
      for (std::uint64_t i = 0; i < r.rows; ++i) {
        for (std::uint64_t j = 0; j < r.columns; ++j, ++into)
          *into = to_.sum_of(*into, to_.product(alpha, from[i * leading + j]));
      }
      if (bytes_ > most_bytes_) full = taken();
    }
    send(full);
  }
  /// Accumulates the sums to the matrix. After process() and before `sync`, in the communicator's thread, or in a task. What was not flushed when the object ends is
  /// lost.
  void flush() {
    sums all;
    {
      std::scoped_lock const held(lock_);
      all = taken();
    }
    send(all);
  }

 private:
  using sums = std::map<rectangle, std::vector<T>, ranks::in_order>;

  [[nodiscard]] sums taken() noexcept {
    bytes_ = 0;
    return std::exchange(sums_, {});
  }
  void send(sums const& all) {
    for (auto const& [r, values] : all) to_.accumulate_sums(r, values.data());
  }

  distributed_matrix<T>& to_;
  std::uint64_t const most_bytes_;
  std::mutex lock_;
  sums sums_;  ///< guarded by lock_, as bytes_
  std::uint64_t bytes_ = 0;
};

}}  // namespace skua::v0
