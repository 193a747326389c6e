// SPDX-License-Identifier: MIT
// matmul-dag: C = A * B by divide and conquer as a task graph. The eight products of a level are independent: four of them
// write to a temporary matrix, which further tasks add to C. [arms-2021 4.4, Figure 8(d)]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/matmul/leaf.hpp"
#include "apps/matmul/problem.hpp"
#include "apps/placed_array.hpp"
#include "apps/row_parts.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::matmul_dag {

using matmul::rows_view;
using product = matmul::product<rows_view>;

/// How the second four products of a level are added.
enum class form : std::uint8_t {
  temporaries,  ///< they write to a temporary matrix: a shorter critical path, more memory and additions
  in_place,     ///< they follow the first four
};

enum class operation : std::uint16_t { multiply = 1, add };

/// An operation on blocks. `multiply`: c = a * b, or c += a * b; `add`: c += a.
struct task {
  operation what;
  product p;
  std::size_t row, column;  ///< in C, of the block that it contributes to

  [[nodiscard]] double operations() const noexcept {
    return what == operation::multiply ? p.flops() : static_cast<double>(p.c.rows() * p.c.columns());
  }
  [[nodiscard]] task_type type() const noexcept { return {.number = static_cast<std::uint16_t>(what)}; }
};

class problem {
 public:
  problem() = default;
  /// Throws resource_error if there is no memory.
  problem(matmul::input const& given, form f);

  [[nodiscard]] std::size_t blocks() const noexcept { return (n_ + side_ - 1) / side_; }  ///< in a row of C
  /// Of all temporary matrices.
  [[nodiscard]] static double temporary_bytes(std::size_t n, std::size_t side);

  void run(task const& t) const noexcept { run_rows(t, 0, t.p.c.rows()); }
  /// The rows [begin, end) of a task; the parts may run at the same time.
  void run_rows(task const& t, std::size_t begin, std::size_t end) const noexcept;

  /// Calls visit(task) for all tasks, in an order in which they can be executed. Tasks of one block of C and of one of a
  /// temporary matrix follow each other; the others are independent.
  template <class Visit>
  void for_each_task(Visit&& visit) {
    float* free = temporaries_.data();
    product whole = all_.whole();
    whole.replace = true;
    divide(whole, {0, 0}, free, visit);
  }

  void reset() noexcept { all_.reset(); }
  [[nodiscard]] std::string wrong() const;

 private:
  using position = std::array<std::size_t, 2>;
  [[nodiscard]] static std::size_t stride_of(std::size_t columns) noexcept {
    return (columns + matmul::column_group - 1) / matmul::column_group * matmul::column_group;
  }
  template <class Visit>
  void divide(product const& p, position at, float*& free, Visit& visit) const;
  template <class Visit>
  void add(rows_view<float> const& c, rows_view<float> const& more, position at, Visit& visit) const;
  [[nodiscard]] static std::array<position, 4> corners(rows_view<float> const& c, position at) noexcept {
    auto const first = c.quadrants()[0];
    std::size_t const down = at[0] + first.rows();
    std::size_t const right = at[1] + first.columns();
    return {{{at[0], at[1]}, {at[0], right}, {down, at[1]}, {down, right}}};
  }

  form form_ = form::temporaries;
  std::size_t n_ = 0;
  std::size_t side_ = 1;
  matmul::leaf_function* leaf_ = nullptr;
  matmul::problem all_;
  placed_array<float> temporaries_;
};

template <class Visit>
void problem::divide(product const& p, position at, float*& free, Visit& visit) const {
  if (p.empty()) return;
  if (p.is_leaf()) return visit(task{operation::multiply, p, at[0] / side_, at[1] / side_});
  auto const groups = p.groups();
  auto const where = corners(p.c, at);
  for (std::size_t i = 0; i < 4; ++i) divide(groups[0][i], where[i], free, visit);
  bool const has_second = groups[1][0].a.columns() > 0;
  if (!has_second) return;
  if (form_ == form::in_place) {
    for (std::size_t i = 0; i < 4; ++i) divide(groups[1][i], where[i], free, visit);
    return;
  }
  rows_view<float> const more(free, p.c.rows(), p.c.columns(), stride_of(p.c.columns()), side_);
  free += more.rows() * more.stride();
  auto const parts = more.quadrants();
  for (std::size_t i = 0; i < 4; ++i) {
    product second = groups[1][i];
    second.c = parts[i];
    second.replace = true;
    divide(second, where[i], free, visit);
  }
  add(p.c, more, at, visit);
}

template <class Visit>
void problem::add(rows_view<float> const& c, rows_view<float> const& more, position at, Visit& visit) const {
  if (c.empty()) return;
  if (c.is_block()) return visit(task{operation::add, {c, more, {}}, at[0] / side_, at[1] / side_});
  auto const to = c.quadrants();
  auto const from = more.quadrants();
  auto const where = corners(c, at);
  for (std::size_t i = 0; i < 4; ++i) add(to[i], from[i], where[i], visit);
}

template <class Here>
void program(Here& here, problem& p) {
  flow graph(here);
  std::size_t const n = p.blocks();
  p.for_each_task([&](task const& t) {
    flops const operations{t.operations()};
    auto const hints = work{operations.count} | address::of(t.row * n + t.column, n * n) | t.type();
    // b is read by every member, the rows of the others are shared.
    auto const add = [&](auto const& to, auto const& by_rows, auto const&... b) {
      graph.add_team(hints, by_rows, b..., to, [=, &p](auto& mine) {
        auto const rows = mine.share(to.rows);
        if (rows.begin == rows.end) return;
        mine.here().leaf(apps::rows_of(by_rows, rows.begin, rows.end), b..., apps::rows_of(to, rows.begin, rows.end),
                         flops{part_of(operations.count, rows.begin, rows.end, to.rows)},
                         [&] { p.run_rows(t, rows.begin, rows.end); });
      });
    };
    auto const to = matmul::footprint_of<writes>(t.p.c);
    auto const a = matmul::footprint_of<reads>(t.p.a);
    if (t.what == operation::multiply) {
      add(to, a, matmul::footprint_of<reads>(t.p.b));
    } else {
      add(to, a);
    }
  });
  graph.run(here);
}

/// One task after the other.
void run_alone(problem& p);
void with_openmp(unsigned workers, problem& p);

}  // namespace skua::apps::matmul_dag
