// SPDX-License-Identifier: MIT
#include "apps/cg/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace skua::apps::cg {
namespace {

enum class field_kind : std::uint8_t { real, integer, pattern };

/// The first line.
struct banner {
  bool is_array = false;
  field_kind field = field_kind::real;
  bool is_symmetric = false;
};

struct entry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0;
};

std::string lower(std::string_view word) {
  std::string text(word.substr(0, 100));
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string at(std::uint64_t row, std::uint64_t column) {
  return "(" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")";
}

/// The next word of the first line as its position among these.
std::size_t one_of(text_reader& in, std::string_view what, std::span<std::string_view const> words) {
  auto const word = in.word();
  auto const found = std::ranges::find(words, lower(word));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string allowed;
  for (std::string_view const w : words) allowed += (allowed.empty() ? "" : ", ") + std::string(w);
  in.refuse(std::string(what) + " is " + shown(word) + "; allowed: " + allowed);
}

/// Of a matrix (no array) or of a vector (no symmetry, no pattern).
banner read_banner(text_reader& in, bool of_vector) {
  if (!in.next_line()) in.refuse("it is empty; allowed: a Matrix Market file");
  if (auto const word = in.word(); lower(word) != "%%matrixmarket")
    in.refuse("it begins with " + shown(word) + "; allowed: %%MatrixMarket");
  static constexpr std::array<std::string_view, 1> objects{"matrix"};
  static constexpr std::array<std::string_view, 2> forms{"coordinate", "array"};
  static constexpr std::array<std::string_view, 3> fields{"real", "integer", "pattern"};
  static constexpr std::array<std::string_view, 2> symmetries{"general", "symmetric"};
  static_cast<void>(one_of(in, "the object", objects));
  banner found;
  found.is_array = one_of(in, "the form", std::span(forms).first(of_vector ? 2 : 1)) == 1;
  found.field = static_cast<field_kind>(one_of(in, "the field", std::span(fields).first(of_vector ? 2 : 3)));
  found.is_symmetric = one_of(in, "the symmetry", std::span(symmetries).first(of_vector ? 1 : 2)) == 1;
  in.end_of_line();
  return found;
}

/// The next line that is neither blank nor a comment.
bool next_data_line(text_reader& in) {
  while (in.next_line()) {
    if (!in.rest().starts_with('%') && !in.is_at_end_of_line()) return true;
  }
  return false;
}

void require_sizes(text_reader& in) {
  if (!next_data_line(in)) in.refuse("the file ends before the line of sizes");
}

void require_no_more(text_reader& in, std::uint64_t promised) {
  if (next_data_line(in)) in.refuse("more elements than the " + std::to_string(promised) + " of the line of sizes");
}

double read_value(text_reader& in, field_kind field) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (field == field_kind::pattern) return 1;
  if (field == field_kind::real) return in.real("an element");
  auto const text = in.word();
  auto const digits = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  std::int64_t value = 0;
  auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc{} || end != digits.data() + digits.size() || value < -exact || value > exact)
    in.refuse("an element is " + shown(text) + "; allowed: a whole number from -2^53 to 2^53");
  return static_cast<double>(value);
}

std::uint32_t read_position(text_reader& in, std::string_view what, std::uint64_t most) {
  return static_cast<std::uint32_t>(in.whole(what, 1, most) - 1);
}

/// Nothing is reserved for what a file promises: its own bytes bound the memory.
std::vector<entry> read_entries(text_reader& in, field_kind field, std::uint64_t rows, std::uint64_t columns,
                                std::uint64_t promised) {
  std::vector<entry> all;
  while (all.size() < promised) {
    if (!next_data_line(in)) {
      in.refuse("the file ends after " + std::to_string(all.size()) + " elements; its line of sizes says " +
                std::to_string(promised));
    }
    entry e;
    e.row = read_position(in, "a row", rows);
    e.column = read_position(in, "a column", columns);
    e.value = read_value(in, field);
    in.end_of_line();
    all.push_back(e);
  }
  require_no_more(in, promised);
  return all;
}

/// Rows of a matrix, before they are checked.
struct rows_of_entries {
  std::vector<std::size_t> starts;
  std::vector<std::pair<std::uint32_t, double>> elements;  ///< column, value

  [[nodiscard]] std::size_t rows() const noexcept { return starts.size() - 1; }
  [[nodiscard]] std::span<std::pair<std::uint32_t, double> const> row(std::size_t r) const noexcept {
    return std::span(elements).subspan(starts[r], starts[r + 1] - starts[r]);
  }
  /// 0 if it is not there.
  [[nodiscard]] double value(std::size_t r, std::uint32_t column) const noexcept {
    auto const its = row(r);
    auto const found = std::ranges::lower_bound(its, column, {}, &std::pair<std::uint32_t, double>::first);
    return found == its.end() || found->first != column ? 0 : found->second;
  }
};

/// Ascending columns. `mirrored`: an element off the diagonal stands for two.
rows_of_entries by_rows(text_reader const& in, std::uint32_t rows, std::vector<entry> const& entries, bool mirrored) {
  auto const is_two = [mirrored](entry const& e) { return mirrored && e.row != e.column; };
  rows_of_entries made;
  made.starts.assign(std::size_t{rows} + 1, 0);
  for (entry const& e : entries) {
    ++made.starts[e.row];
    if (is_two(e)) ++made.starts[e.column];
  }
  // Counts, summed up, are the ends of the rows; filled from behind, they become the begins.
  for (std::size_t i = 1; i <= rows; ++i) made.starts[i] += made.starts[i - 1];
  made.elements.resize(made.starts[rows]);
  for (entry const& e : entries) {
    made.elements[--made.starts[e.row]] = {e.column, e.value};
    if (is_two(e)) made.elements[--made.starts[e.column]] = {e.row, e.value};
  }
  for (std::size_t r = 0; r < rows; ++r) {
    auto const its = std::span(made.elements).subspan(made.starts[r], made.starts[r + 1] - made.starts[r]);
    std::ranges::sort(its, {}, &std::pair<std::uint32_t, double>::first);
    auto const twice = std::ranges::adjacent_find(its, {}, &std::pair<std::uint32_t, double>::first);
    if (twice != its.end()) {
      in.refuse_all("the element " + at(r, twice->first) + " is there twice" +
                    (mirrored ? "; of a symmetric matrix it also stands for " + at(twice->first, r) : ""));
    }
  }
  return made;
}

/// What each positive definite matrix has, as far as it shows at once: a positive diagonal, and no element above the geometric mean of
/// its two diagonal elements. Symmetry within what rounding leaves when somebody adds up an element twice, in another order.
void require_symmetric_and_positive(text_reader const& in, rows_of_entries const& of) {
  constexpr double rounding = 1e-12;
  std::vector<double> root(of.rows());
  for (std::uint32_t r = 0; r < of.rows(); ++r) {
    double const diagonal = of.value(r, r);
    if (!(diagonal > 0)) {
      std::array<char, 40> text{};
      std::to_chars(text.data(), text.data() + text.size() - 1, diagonal);
      in.refuse_all("it is not positive definite: the diagonal element " + at(r, r) + " is " + text.data() +
                    "; allowed: above 0");
    }
    root[r] = std::sqrt(diagonal);
  }
  for (std::uint32_t r = 0; r < of.rows(); ++r) {
    for (auto const& [column, value] : of.row(r)) {
      double const mean = root[r] * root[column];
      if (!(std::abs(value - of.value(column, r)) <= rounding * mean))
        in.refuse_all("it is not symmetric: the elements " + at(r, column) + " and " + at(column, r) + " differ");
      if (std::abs(value) > (1 + rounding) * mean) {
        in.refuse_all("it is not positive definite: the element " + at(r, column) +
                      " is larger than the geometric mean of the diagonal elements of its row and its column");
      }
    }
  }
}

/// The Laplacian of the graph whose edges the pattern names, plus the identity.
rows_of_entries laplacian(text_reader const& in, rows_of_entries const& pattern) {
  rows_of_entries made;
  made.starts.push_back(0);
  for (std::uint32_t r = 0; r < pattern.rows(); ++r) {
    double degree = 0;
    for (auto const& [column, value] : pattern.row(r)) {
      if (column == r) continue;
      if (pattern.value(column, r) == 0)
        in.refuse_all("it is not symmetric: the element " + at(r, column) + " is there, " + at(column, r) + " is not");
      ++degree;
    }
    if (pattern.row(r).empty()) in.refuse_all("row " + std::to_string(std::uint64_t{r} + 1) + " has no element");
    for (auto const& [column, value] : pattern.row(r)) {
      if (column != r) made.elements.emplace_back(column, -1);
    }
    auto const its = made.elements.begin() + static_cast<std::ptrdiff_t>(made.starts[r]);
    made.elements.emplace(std::lower_bound(its, made.elements.end(), std::pair(r, -2.0)), r, degree + 1);
    made.starts.push_back(made.elements.size());
  }
  return made;
}

matrix compressed(rows_of_entries const& of) {
  matrix made{.values = placed_array<double>(of.elements.size()),
              .columns = placed_array<std::uint32_t>(of.elements.size()),
              .starts = placed_array<std::size_t>(of.starts)};
  for (std::size_t k = 0; k < of.elements.size(); ++k) {
    made.columns.elements()[k] = of.elements[k].first;
    made.values.elements()[k] = of.elements[k].second;
  }
  return made;
}

std::string form_of(banner const& said) {
  static constexpr std::array<std::string_view, 3> fields{"real", "integer", "pattern"};
  return std::string(fields[static_cast<std::size_t>(said.field)]) + (said.is_symmetric ? " symmetric" : " general");
}

void append(std::string& text, double x) {
  std::array<char, 40> digits{};
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr);
  text += '\n';
}

}  // namespace

symmetric_matrix read_matrix(text_reader& in) {
  banner const said = read_banner(in, false);
  require_sizes(in);
  std::uint64_t const rows = in.whole("the number of rows", 1, most_system_rows);
  std::uint64_t const columns = in.whole("the number of columns", 1, most_system_rows);
  std::uint64_t const promised = in.whole("the number of elements", 0, most_system_entries);
  in.end_of_line();
  if (rows != columns) {
    in.refuse("there are " + std::to_string(rows) + " rows and " + std::to_string(columns) +
              " columns; allowed: as many columns as rows, because the matrix is symmetric");
  }
  // So that a vector is no longer than the file: an element of a pattern is in two rows, any other row has its diagonal element.
  if (rows > promised * (said.field == field_kind::pattern ? 2 : 1)) {
    in.refuse(std::to_string(promised) + " elements are too few for " + std::to_string(rows) +
              " rows: a row would have none on its diagonal, so the matrix is not positive definite");
  }
  auto read = by_rows(in, static_cast<std::uint32_t>(rows), read_entries(in, said.field, rows, columns, promised),
                      said.is_symmetric);
  if (said.field == field_kind::pattern)
    read = laplacian(in, read);
  else
    require_symmetric_and_positive(in, read);
  return {.a = compressed(read), .form = form_of(said)};
}

std::vector<double> read_vector(text_reader& in, std::size_t rows) {
  banner const said = read_banner(in, true);
  require_sizes(in);
  static_cast<void>(in.whole("the number of rows", rows, rows));
  static_cast<void>(in.whole("the number of columns", 1, 1));
  std::uint64_t const promised = said.is_array ? rows : in.whole("the number of elements", 0, rows);
  in.end_of_line();
  std::vector<double> found(rows);
  if (said.is_array) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (!next_data_line(in))
        in.refuse("the file ends after " + std::to_string(i) + " of " + std::to_string(rows) + " elements");
      found[i] = read_value(in, said.field);
      in.end_of_line();
    }
    require_no_more(in, promised);
    return found;
  }
  std::vector<bool> is_there(rows);
  for (entry const& e : read_entries(in, said.field, rows, 1, promised)) {
    if (is_there[e.row]) in.refuse_all("the element " + at(e.row, 0) + " is there twice");
    is_there[e.row] = true;
    found[e.row] = e.value;
  }
  return found;
}

std::vector<double> sums_of_rows(matrix const& a) {
  std::vector<double> sums(a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t k = a.starts[r]; k < a.starts[r + 1]; ++k) sums[r] += a.values[k];
  }
  return sums;
}

std::string text_of_vector(std::span<double const> v) {
  std::string text = "%%MatrixMarket matrix array real general\n" + std::to_string(v.size()) + " 1\n";
  for (double const x : v) append(text, x);
  return text;
}

std::string text_of_residuals(std::span<double const> residuals) {
  std::string text;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    text += std::to_string(i) + ' ';
    append(text, residuals[i]);
  }
  return text;
}

}  // namespace skua::apps::cg
