// SPDX-License-Identifier: MIT
#include "apps/cg/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace skua::apps::cg {
namespace {

struct element {
  std::uint32_t at;
  double value;
};
using sparse_vector = std::vector<element>;

constexpr double condition = 0.1;  // the reciprocal of the matrix's condition number, roughly

element* find(sparse_vector& v, std::uint32_t at) {
  auto const found = std::ranges::find(v, at, &element::at);
  return found == v.end() ? nullptr : &*found;
}

/// Draws one x_i. The benchmark draws a value, then a position below the next power of two, and drops the pair if there
/// is no such row or the position is taken.
sparse_vector draw(nas_random& random, nas_class const& of, std::uint32_t i) {
  double const power = static_cast<double>(std::bit_ceil(of.rows));
  sparse_vector drawn;
  drawn.reserve(of.entries + 1);
  while (drawn.size() < of.entries) {
    double const value = random.next();
    auto const at = static_cast<std::uint32_t>(power * random.next());
    if (at < of.rows && find(drawn, at) == nullptr) drawn.push_back({at, value});
  }
  if (element* const own = find(drawn, i)) {
    own->value = 0.5;
  } else {
    drawn.push_back({i, 0.5});
  }
  return drawn;
}

std::vector<sparse_vector> draw_all(nas_class const& of) {
  nas_random random;
  random.next();  // the benchmark's first number is not used
  std::vector<sparse_vector> all;
  all.reserve(of.rows);
  for (std::uint32_t i = 0; i < of.rows; ++i) all.push_back(draw(random, of, i));
  return all;
}

/// The transpose of the vectors as rows: which vectors have an element at a position, and its value.
std::vector<sparse_vector> by_position(std::vector<sparse_vector> const& vectors) {
  std::vector<sparse_vector> all(vectors.size());
  for (std::uint32_t i = 0; i < vectors.size(); ++i) {
    for (element const& e : vectors[i]) all[e.at].push_back({i, e.value});
  }
  return all;
}

/// A matrix that grows row by row.
struct growing_matrix {
  std::vector<double> values;
  std::vector<std::uint32_t> columns;
  std::vector<std::size_t> starts;
};

/// Adds numbers to elements of one row after the other; remembers which elements a row has.
class row_sums {
 public:
  explicit row_sums(std::size_t columns) : sums_(columns), is_there_(columns) {}

  void add(std::uint32_t column, double value) {
    if (!is_there_[column]) {
      is_there_[column] = true;
      there_.push_back(column);
    }
    sums_[column] += value;
  }

  /// Appends the row to the matrix; the next row starts empty.
  void move_to(growing_matrix& m) {
    std::ranges::sort(there_);
    for (std::uint32_t const column : there_) {
      m.columns.push_back(column);
      m.values.push_back(sums_[column]);
      sums_[column] = 0;
      is_there_[column] = false;
    }
    m.starts.push_back(m.values.size());
    there_.clear();
  }

 private:
  std::vector<double> sums_;
  std::vector<bool> is_there_;
  std::vector<std::uint32_t> there_;
};

}  // namespace

matrix make_matrix(nas_class const& of) {
  auto const vectors = draw_all(of);
  auto const positions = by_position(vectors);
  double const ratio = std::pow(condition, 1.0 / static_cast<double>(of.rows));
  std::vector<double> weight(of.rows, 1.0);
  for (std::size_t i = 1; i < of.rows; ++i) weight[i] = weight[i - 1] * ratio;

  growing_matrix made;
  made.starts.reserve(of.rows + 1);
  made.starts.push_back(0);
  row_sums row(of.rows);
  for (std::uint32_t r = 0; r < of.rows; ++r) {
    for (element const& of_vector : positions[r]) {
      double const scale = weight[of_vector.at] * of_vector.value;
      for (element const& e : vectors[of_vector.at]) row.add(e.at, e.value * scale);
    }
    row.add(r, condition - of.shift);
    row.move_to(made);
  }
  return {.values = placed_array<double>(made.values),
          .columns = placed_array<std::uint32_t>(made.columns),
          .starts = placed_array<std::size_t>(made.starts)};
}

}  // namespace skua::apps::cg
