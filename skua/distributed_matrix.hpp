// SPDX-License-Identifier: MIT
// Matrices that lie on all ranks, beside skua/ranks.hpp or skua/mpi.hpp: tasks on any rank get, put and accumulate rectangles of them, as in
// Global Arrays. docs/ranks.md is the tour, machine/ranks/matrix/distributed_matrix.md says what is visible when. [retentive-hpdc12 7.1]
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/matrix/matrix_cache.hpp"
#include "skua/machine/ranks/matrix/matrix_core.hpp"
#include "skua/machine/ranks/matrix/matrix_product.hpp"
#include "skua/parts/base/built_with.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 {

struct matrix_options {
  std::string name = "matrix";  ///< in messages
};

/// A part of a matrix that lies in this rank's memory, row by row.
template <class T>
struct matrix_view {
  rectangle where;  ///< in the matrix
  T* data = nullptr;
  std::uint64_t leading = 0;  ///< elements between the beginnings of two rows

  /// Counted within the part, from 0.
  [[nodiscard]] T& operator()(std::uint64_t row, std::uint64_t column) const noexcept {
    return data[row * leading + column];
  }
};

/// A get, put or accumulate that was begun. It waits at its end of life, if the program has not. Move-only.
class matrix_transfer {
 public:
  matrix_transfer() = default;
  matrix_transfer(matrix_transfer&&) noexcept = default;
  matrix_transfer& operator=(matrix_transfer&& other) noexcept {
    if (this != &other) {
      finish();
      rank_ = std::move(other.rank_);
      begun_ = std::move(other.begun_);
    }
    return *this;
  }
  ~matrix_transfer() { finish(); }

  /// True if `wait` returns at once.
  [[nodiscard]] bool is_done() const noexcept { return begun_ == nullptr || rank_->is_over(*begun_); }
  /// Returns when a get has filled the caller's memory, or when the memory of a put or an accumulate may change. In a task its worker runs
  /// other tasks of the pool meanwhile. Throws what the transfer threw: resource_error, rank_lost, or usage_error.
  void wait() {
    if (auto const mine = std::exchange(begun_, nullptr)) rank_->wait(*mine);
  }

 private:
  template <class T>
  friend class distributed_matrix;
  matrix_transfer(std::shared_ptr<ranks::transfers> rank, std::shared_ptr<ranks::transfer> begun) noexcept
      : rank_(std::move(rank)), begun_(std::move(begun)) {}
  void finish() noexcept {
    try {
      wait();
    } catch (...) {}  // whoever wants to know waits
  }

  std::shared_ptr<ranks::transfers> rank_;
  std::shared_ptr<ranks::transfer> begun_;  ///< null: over
};

/// A matrix of `rows` x `columns` elements, zero at first, of which each rank owns a part. A vector is a matrix of one column.
///
///   skua::distributed_matrix<double> fock(world, n, n, skua::matrix_distribution::grid(), {.name = "F"});
///   fock.accumulate({i, j, t, t}, block.data(), t);  // in a task, on any rank
///   fock.sync();                                     // on every rank
///
/// Elements lie in rows: `leading` is the number of elements between the beginnings of two rows in the caller's memory. Tasks of a collection, on every worker of a rank_pool,
/// and the thread of the communicator call get, put and accumulate; the other functions are for that thread, outside tasks. A matrix
/// may end on each rank when it likes; the ranks free its memory when they make the next one, or when the communicator ends.
template <class T>
class distributed_matrix {
  static constexpr bool is_allowed = std::is_same_v<T, double> || std::is_same_v<T, float> ||
                                     std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> ||
                                     std::is_same_v<T, std::complex<double>>;
  static_assert(is_allowed,
                "distributed_matrix<T>: T is double, float, std::int32_t, std::int64_t or std::complex<double>");

 public:
  using value_type = T;
  /// Of sums: doubles for real elements, 64-bit integers for integers.
  using sum_type = std::conditional_t<std::is_integral_v<T>, std::int64_t,
                                      std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>>;

  /// Collective. Throws usage_error on every rank if the ranks differ in a name, shape, type or distribution, resource_error on every rank
  /// if one of them has no memory for its part, and rank_lost if a rank has died.
  distributed_matrix(communicator& world, std::uint64_t rows, std::uint64_t columns,
                     matrix_distribution const& how = matrix_distribution::by_rows(), matrix_options options = {})
      : core_(world.make_matrix(std::move(options.name), type, rows, columns, how)) {}

  // --- local

  [[nodiscard]] std::uint64_t rows() const noexcept { return core_->layout().rows(); }
  [[nodiscard]] std::uint64_t columns() const noexcept { return core_->layout().columns(); }
  [[nodiscard]] std::string const& name() const noexcept { return core_->name(); }
  /// The rank that has this element. Throws usage_error outside the matrix. O(log blocks).
  [[nodiscard]] std::uint32_t owner_of(std::uint64_t row, std::uint64_t column) const {
    return core_->owner_of(row, column);
  }
  /// The blocks of this rank, none of which is empty. Between two `sync` either this rank stores to them, or other ranks transfer to them.
  [[nodiscard]] std::vector<matrix_view<T>> local_parts() {
    std::vector<matrix_view<T>> parts;
    T* const own = reinterpret_cast<T*>(core_->own());
    for (auto const& b : core_->layout().blocks_of(core_->rank()))
      parts.push_back({b.where, own + b.at, b.where.columns});
    return parts;
  }
  /// What this rank has transferred, also for the functions below.
  [[nodiscard]] matrix_traffic traffic() const noexcept { return core_->traffic(); }
  void reset_traffic() noexcept { core_->reset_traffic(); }
  /// Changes with each collective function: what this rank got under another number may be out of date.
  [[nodiscard]] std::uint64_t version() const noexcept { return core_->version(); }

  // --- transfers, by any worker. All throw usage_error for a rectangle outside the matrix, in a thread that may not call, and after the end of
  // the communicator; rank_lost if a rank has died; resource_error. Cost: one transfer of MPI for each row in each block, or for each block of
  // whole rows; a copy for what this rank owns.

  /// Copies a rectangle to the caller's memory.
  void get(rectangle const& r, T* to, std::uint64_t leading) {
    transfer_now(ranks::transfer_kind::get, r, to, leading);
  }
  [[nodiscard]] std::vector<T> get(rectangle const& r) {
    core_->expect_valid("get", r, core_.get(), r.columns);
    std::vector<T> to(r.size());
    get(r, to.data(), r.columns);
    return to;
  }
  /// Copies the caller's memory to a rectangle. Others see it after `sync`.
  void put(rectangle const& r, T const* from, std::uint64_t leading) {
    transfer_now(ranks::transfer_kind::put, r, from, leading);
  }
  /// Adds alpha times the caller's memory to a rectangle. Ranks and workers may accumulate to the same elements at once: each addition counts. Copies `from`, and
  /// waits only if this rank has more than 64 MiB of copies under way. Others see it after `sync`, which also throws what went wrong.
  void accumulate(rectangle const& r, T const* from, std::uint64_t leading, T alpha = T{1}) {
    core_->expect_valid("accumulate", r, from, leading);
    if (!r.is_empty()) core_->accumulate_copy(r, scaled_copy(r, from, leading, alpha));
  }

  /// Local: the calling task uses this rectangle without a call above, such as an own part by its address, or a copy that its rank has kept. Adds it to the
  /// task's footprint if its collection measures them (collection_options::footprints); else does nothing. Throws usage_error outside the matrix.
  void note_use(rectangle const& r) {
    if (!core_->layout().contains(r)) core_->expect_valid("note_use", r, core_.get(), r.columns);
    core_->note_use(r);
  }

  /// get, put and accumulate that return at once. The memory is the transfer's until that is done.
  [[nodiscard]] matrix_transfer start_get(rectangle const& r, T* to, std::uint64_t leading) {
    return started(ranks::transfer_kind::get, r, to, leading);
  }
  [[nodiscard]] matrix_transfer start_put(rectangle const& r, T const* from, std::uint64_t leading) {
    return started(ranks::transfer_kind::put, r, from, leading);
  }
  /// Without a copy.
  [[nodiscard]] matrix_transfer start_accumulate(rectangle const& r, T const* from, std::uint64_t leading) {
    return started(ranks::transfer_kind::accumulate, r, from, leading);
  }

  // --- collective: every rank calls them, outside tasks, in the same order; else every rank throws a usage_error that names two calls. Each begins and ends as `sync` does.

  /// Every transfer that any rank began before, to any matrix, is complete, and visible to all ranks; so is what ranks stored to their parts.
  void sync() { core_->meet(core_->call("sync")); }
  void fill(T value) {
    whole("fill", " with " + text_of(value), [&] { each_own([&](T& x) { x = value; }); });
  }
  void scale(T alpha) {
    whole("scale", " by " + text_of(alpha), [&] { each_own([&](T& x) { x = product(alpha, x); }); });
  }
  /// Copies a matrix of the same shape; its distribution may be another one.
  void copy(distributed_matrix& from) {
    expect_same_shape("copy", from, from.rows(), from.columns());
    whole("copy", " from " + from.label(), [&] {
      if (&from == this) return;
      each_own_block([&](matrix_view<T> const& v) { from.get_part(v.where, v.data, v.leading); });
    });
  }
  /// alpha * a + beta * b, of matrices of the same shape. Any of the three may be the same one. Takes memory for one more block.
  void add(T alpha, distributed_matrix& a, T beta, distributed_matrix& b) {
    expect_same_shape("add", a, a.rows(), a.columns());
    expect_same_shape("add", b, b.rows(), b.columns());
    std::string const rest =
        ": " + text_of(alpha) + " times " + a.label() + " and " + text_of(beta) + " times " + b.label();
    whole("add", rest, [&] {
      std::vector<std::vector<T>> const second = parts_of(b, false);
      std::vector<std::vector<T>> const first = parts_of(a, false);
      core_->meet_again();  // everybody has read, so everybody may write
      store([&](std::size_t block, std::uint64_t n) {
        return sum_of(product(alpha, first[block][n]), product(beta, second[block][n]));
      });
    });
  }
  /// The transpose of another matrix, or of this one if it is square. Takes memory for another own part.
  void transpose(distributed_matrix& from) {
    expect_same_shape("transpose", from, from.columns(), from.rows());
    whole("transpose", " of " + from.label(), [&] {
      std::vector<std::vector<T>> const parts = parts_of(from, true);
      core_->meet_again();
      store([&](std::size_t block, std::uint64_t n) { return parts[block][n]; });
    });
  }
  /// (A + transpose of A) / 2 for a square matrix; integers are rounded towards zero. Takes memory for another own part.
  void symmetrise() {
    expect_same_shape("symmetrise", *this, columns(), rows());
    whole("symmetrise", "", [&] {
      std::vector<std::vector<T>> const other = parts_of(*this, true);
      core_->meet_again();
      std::size_t block = 0;
      each_own_block([&](matrix_view<T> const& v) {
        std::vector<T> const& mirrored = other[block++];
        for (std::uint64_t n = 0; n < v.where.size(); ++n) v.data[n] = half(sum_of(v.data[n], mirrored[n]));
      });
    });
  }
  /// alpha * a * b + beta * this matrix; any of the three may be the same one. Each rank computes its own blocks, with 2 * rows * columns * inner / ranks
  /// floating-point operations if all have equal parts, and gets the rows of `a` and columns of `b` that they need, in panels of 32 MiB or less. Takes memory for another
  /// own part if alpha is not 1, or if this matrix is a factor.
  void multiply(T alpha, distributed_matrix& a, distributed_matrix& b, T beta = T{},
                product_options<T> const& options = {}) {
    expect_product(a, b, options);
    std::string const rest = ": " + text_of(alpha) + " times " + a.label() + " times " + b.label() + " and " +
                             text_of(beta) + " times itself" + (options.is_symmetric ? ", symmetric" : "");
    whole("multiply", rest, [&] {
      ranks::product_part<distributed_matrix> part(a, b, options, core_->rank(), core_->layout().ranks());
      std::vector<std::vector<T>> sums;
      bool const is_direct = alpha == T{1} && this != &a && this != &b;
      auto const scaled = [beta](T own) { return beta == T{} ? T{} : product(beta, own); };  // also of a NaN
      each_own_block([&](matrix_view<T> const& v) {
        if (!is_direct) return part.add(v.where, sums.emplace_back(v.where.size()).data(), v.where.columns);
        for (std::uint64_t n = 0; n < v.where.size(); ++n) v.data[n] = scaled(v.data[n]);
        part.add(v.where, v.data, v.leading);
      });
      core_->meet_again();
      if (!is_direct) {
        auto sum = sums.begin();
        each_own_block([&](matrix_view<T> const& v) {
          for (std::uint64_t n = 0; n < v.where.size(); ++n)
            v.data[n] = sum_of(product(alpha, (*sum)[n]), scaled(v.data[n]));
          ++sum;
        });
        if (options.is_symmetric) core_->meet_again();
      }
      each_own_block([&](matrix_view<T> const& v) {
        part.each_copied(v.where, [&](rectangle const& r) { copy_mirrored(r, v); });
      });
    });
  }
  /// Of a square matrix. The same bits on every rank, as all sums here.
  [[nodiscard]] sum_type trace() {
    expect_same_shape("trace", *this, columns(), rows());
    sum_type sum{};
    whole("trace", "", [&] {
      each_own_block([&](matrix_view<T> const& v) {
        for (std::uint64_t i = 0; i < v.where.rows; ++i) {
          std::uint64_t const diagonal = v.where.row + i;
          if (diagonal < v.where.column || diagonal >= v.where.column + v.where.columns) continue;
          sum = sum_of(sum, sum_type(v(i, diagonal - v.where.column)));
        }
      });
      add_up(sum);
    });
    return sum;
  }
  /// Of all elements.
  [[nodiscard]] sum_type sum() {
    sum_type all{};
    whole("sum", "", [&] {
      each_own([&](T& x) { all = sum_of(all, sum_type(x)); });
      add_up(all);
    });
    return all;
  }
  /// The sum of the products of the elements of two matrices of the same shape; complex ones are not conjugated.
  [[nodiscard]] sum_type dot(distributed_matrix& other) {
    expect_same_shape("dot", other, other.rows(), other.columns());
    sum_type all{};
    whole("dot", " with " + other.label(), [&] {
      each_own_block([&](matrix_view<T> const& v) {
        std::vector<T> theirs(v.where.size());
        other.get_part(v.where, theirs.data(), v.where.columns);
        for (std::uint64_t n = 0; n < theirs.size(); ++n)
          all = sum_of(all, product(sum_type(v.data[n]), sum_type(theirs[n])));
      });
      add_up(all);
    });
    return all;
  }
  /// The whole matrix in rows on one rank, nothing on the others. Throws usage_error on every rank if there is no such rank.
  [[nodiscard]] std::vector<T> gather(std::uint32_t to_rank = 0) {
    std::vector<T> all;
    if (to_rank >= core_->layout().ranks()) {
      std::string const text = core_->call("gather", " to rank " + std::to_string(to_rank));
      core_->refuse(text, text + "; allowed: less than " + std::to_string(core_->layout().ranks()));
    }
    whole("gather", " to rank " + std::to_string(to_rank), [&] {
      if (core_->rank() == to_rank) all = get({0, 0, rows(), columns()});
    });
    return all;
  }
  /// Writes the matrix to one file, all or nothing; rank 0 holds all of it in memory meanwhile. Throws resource_error on every rank, and
  /// usage_error for a path that is no regular file.
  void write(std::string const& path) { core_->write(path); }
  /// Reads what `write` wrote, on any number of ranks and in any distribution. Throws on every rank, and changes nothing then: usage_error if the file is
  /// damaged or holds a matrix of another shape or type, resource_error if it cannot be read.
  void read(std::string const& path) { core_->read(path); }

 private:
  friend class matrix_accumulator<T>;
  static constexpr ranks::window_element type = std::is_same_v<T, double>         ? ranks::window_element::f64
                                                : std::is_same_v<T, float>        ? ranks::window_element::f32
                                                : std::is_same_v<T, std::int32_t> ? ranks::window_element::i32
                                                : std::is_same_v<T, std::int64_t> ? ranks::window_element::i64
                                                                                  : ranks::window_element::c128;

  template <class U>
  [[nodiscard]] static U sum_of(U a, U b) noexcept {
    return ranks::sum_of(a, b);
  }
  template <class U>
  [[nodiscard]] static U product(U a, U b) noexcept {
    return ranks::product_of(a, b);
  }
  void expect_valid(char const* call, rectangle const& r, T const* memory, std::uint64_t leading) const {
    core_->expect_valid(call, r, memory, leading);
  }
  [[nodiscard]] static T half(T a) noexcept { return a / T{2}; }

  [[nodiscard]] static std::string text_of(T value) {
    if constexpr (std::is_integral_v<T>) {
      return std::to_string(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
      return text;
    } else {
      char text[80];
      std::snprintf(text, sizeof text, "(%.17g, %.17g)", value.real(), value.imag());
      return text;
    }
  }
  [[nodiscard]] std::string label() const { return core_->call("", "").substr(4); }

  [[nodiscard]] static ranks::matrix_core::memory memory_at(T const* first, std::uint64_t leading) noexcept {
    return {reinterpret_cast<std::byte*>(const_cast<T*>(first)), leading};
  }
  [[nodiscard]] static ranks::matrix_core::memory scaled_copy(rectangle const& r, T const* from, std::uint64_t leading,
                                                              T alpha) {
    std::shared_ptr<T[]> copy = std::make_shared_for_overwrite<T[]>(r.size());
    T* to = copy.get();
    for (std::uint64_t i = 0; i < r.rows; ++i) {
      for (std::uint64_t j = 0; j < r.columns; ++j) *to++ = product(alpha, from[i * leading + j]);
    }
    ranks::matrix_core::memory m = memory_at(copy.get(), r.columns);
    m.copy = std::move(copy);
    return m;
  }
  void transfer_now(ranks::transfer_kind what, rectangle const& r, T const* memory, std::uint64_t leading) {
    core_->expect_valid(ranks::name_of(what), r, memory, leading);
    core_->transfer_now(what, r, memory_at(memory, leading));
  }
  [[nodiscard]] matrix_transfer started(ranks::transfer_kind what, rectangle const& r, T const* memory,
                                        std::uint64_t leading) {
    core_->expect_valid(ranks::name_of(what), r, memory, leading);
    return {core_->traffic_of_rank(), core_->begin(what, r, memory_at(memory, leading), true)};
  }
  void accumulate_sums(rectangle const& r, T const* from) {
    core_->accumulate_sums(r, scaled_copy(r, from, r.columns, T{1}));
  }
  void get_part(rectangle const& r, T* to, std::uint64_t leading) {
    core_->transfer_now(ranks::transfer_kind::get, r, memory_at(to, leading));
  }

  void expect_same_shape(char const* action, distributed_matrix const& other, std::uint64_t its_rows,
                         std::uint64_t its_columns) {
    if (rows() == its_rows && columns() == its_columns) return;
    std::string const theirs = &other == this ? "" : " with " + other.label();
    std::string const text = core_->call(action, theirs);
    core_->refuse(text, text + ": " + std::to_string(rows()) + " x " + std::to_string(columns()) + " and " +
                            std::to_string(its_rows) + " x " + std::to_string(its_columns) + "; allowed: equal shapes");
  }
  void expect_product(distributed_matrix const& a, distributed_matrix const& b, product_options<T> const& options) {
    bool const fits = a.columns() == b.rows() && rows() == a.rows() && columns() == b.columns();
    if (fits && (rows() == columns() || !options.is_symmetric)) return;
    auto const shape = [](distributed_matrix const& m) {
      return std::to_string(m.rows()) + " x " + std::to_string(m.columns());
    };
    std::string const text = core_->call("multiply", ": " + a.label() + " times " + b.label());
    core_->refuse(text,
                  text + ": " + shape(a) + " times " + shape(b) + " is to be " + shape(*this) +
                      (fits ? " and symmetric; allowed: a square matrix" : "; allowed: r x c is r x n times n x c"));
  }
  /// Within an own part: what stands in the transpose of this matrix.
  void copy_mirrored(rectangle const& r, matrix_view<T> const& part) {
    std::vector<T> mirrored(r.size());
    get_part({r.column, r.row, r.columns, r.rows}, mirrored.data(), r.rows);
    for (std::uint64_t i = 0; i < r.rows; ++i) {
      for (std::uint64_t j = 0; j < r.columns; ++j)
        part(r.row - part.where.row + i, r.column - part.where.column + j) = mirrored[j * r.rows + i];
    }
  }
  template <class F>
  void whole(char const* action, std::string const& rest, F f) {
    core_->meet(core_->call(action, rest));
    f();
    core_->meet_again();
  }
  template <class F>
  void each_own_block(F f) {
    for (matrix_view<T> const& v : local_parts()) f(v);
  }
  template <class F>
  void each_own(F f) {
    each_own_block([&](matrix_view<T> const& v) {
      for (std::uint64_t n = 0; n < v.where.size(); ++n) f(v.data[n]);
    });
  }
  template <class F>
  void store(F f) {
    std::size_t block = 0;
    each_own_block([&](matrix_view<T> const& v) {
      for (std::uint64_t n = 0; n < v.where.size(); ++n) v.data[n] = f(block, n);
      ++block;
    });
  }
  /// What stands in another matrix, or in its transpose, where the own blocks are.
  [[nodiscard]] std::vector<std::vector<T>> parts_of(distributed_matrix& other, bool transposed) {
    std::vector<std::vector<T>> parts;
    each_own_block([&](matrix_view<T> const& v) {
      rectangle const& w = v.where;
      std::vector<T> part(w.size());
      if (!transposed) {
        other.get_part(w, part.data(), w.columns);
      } else {
        std::vector<T> mirrored(w.size());
        other.get_part({w.column, w.row, w.columns, w.rows}, mirrored.data(), w.rows);
        for (std::uint64_t i = 0; i < w.rows; ++i) {
          for (std::uint64_t j = 0; j < w.columns; ++j) part[i * w.columns + j] = mirrored[j * w.rows + i];
        }
      }
      parts.push_back(std::move(part));
    });
    return parts;
  }
  void add_up(sum_type& sum) {
    if constexpr (std::is_same_v<sum_type, std::complex<double>>) {
      double both[2] = {sum.real(), sum.imag()};
      core_->sum(both, 2);
      sum = {both[0], both[1]};
    } else {
      core_->sum(&sum, 1);
    }
  }

  std::unique_ptr<ranks::matrix_core> core_;
};

}}  // namespace skua::v0
