// SPDX-License-Identifier: MIT
#include "apps/hull/points_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <system_error>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps::hull {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

bool begins_as_npy(std::filesystem::path const& file) {
  std::error_code none;
  std::array<char, npy_magic.size()> begin{};
  if (!std::filesystem::is_regular_file(file, none)) return false;
  std::ifstream in(file, std::ios::binary);
  return in.read(begin.data(), begin.size()) && std::string_view(begin.data(), begin.size()) == npy_magic;
}

/// What a header says, and where the numbers begin.
struct npy_header {
  std::string type;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t end = 0;

  [[nodiscard]] std::size_t number_bytes() const noexcept { return type.back() == '4' ? 4 : 8; }
  [[nodiscard]] bool is_swapped() const noexcept {
    return (type.front() == '<') != (std::endian::native == std::endian::little);
  }
};

/// Parses {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }: the three keys in any order, each once.
class npy_dictionary {
 public:
  npy_dictionary(std::string_view text, std::string const& name) : left_(text), name_(name) {}

  npy_header parsed() {
    std::optional<std::string> type;
    std::optional<bool> order;
    std::optional<std::vector<std::uint64_t>> shape;
    expect('{');
    while (!eat('}')) {
      std::string const key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        type = quoted();
      } else if (key == "fortran_order" && !order) {
        order = truth();
      } else if (key == "shape" && !shape) {
        shape = numbers();
      } else {
        refuse("its header has the key " + shown(key) + "; allowed: descr, fortran_order and shape, each once");
      }
      if (!eat(',')) {
        expect('}');
        break;
      }
    }
    if (skip(); !left_.empty()) refuse("its header goes on after its dictionary: " + shown(left_));
    if (!type || !order || !shape) refuse("its header lacks one of descr, fortran_order and shape");
    return {.type = *type, .fortran_order = *order, .shape = *shape};
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const { throw usage_error(runtime::printable(name_) + ": " + why); }
  void skip() { left_.remove_prefix(std::min(left_.find_first_not_of(" \t\r\n"), left_.size())); }
  bool eat(char c) {
    skip();
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!eat(c)) refuse("its header has " + shown(left_.substr(0, 20)) + " where " + c + " belongs");
  }
  std::string quoted() {
    skip();
    char const quote = left_.starts_with('"') ? '"' : '\'';
    expect(quote);
    auto const end = left_.find(quote);
    if (end == std::string_view::npos) refuse("its header ends in a text");
    std::string found(left_.substr(0, end));
    left_.remove_prefix(end + 1);
    return found;
  }
  bool truth() {
    skip();
    for (bool const value : {false, true}) {
      std::string_view const word = value ? "True" : "False";
      if (!left_.starts_with(word)) continue;
      left_.remove_prefix(word.size());
      return value;
    }
    refuse("fortran_order is " + shown(left_.substr(0, 20)) + "; allowed: False, True");
  }
  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> found;
    expect('(');
    while (!eat(')')) {
      std::uint64_t n = 0;
      skip();
      auto const [end, failed] = std::from_chars(left_.data(), left_.data() + left_.size(), n);
      if (failed != std::errc{})
        refuse("its shape has " + shown(left_.substr(0, 20)) + "; allowed: numbers below 2^64");
      left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
      found.push_back(n);
      if (!eat(',')) {
        expect(')');
        break;
      }
    }
    return found;
  }

  std::string_view left_;
  std::string const& name_;
};

class npy_reader {
 public:
  npy_reader(std::istream& in, std::uint64_t bytes, std::string const& name) : in_(in), bytes_(bytes), name_(name) {}

  std::vector<place> read() {
    npy_header const said = header();
    auto const n = said.shape.size() == 2 && said.shape[1] == 2 ? said.shape[0] : 0;
    if (n < 1 || n > std::uint64_t{most_points}) {
      std::string shape;
      for (std::uint64_t const s : said.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(s);
      refuse("its shape is (" + shape.substr(0, 100) + "); allowed: (n, 2) with n from 1 to " +
             std::to_string(most_points));
    }
    if (std::uint64_t const promised = 2 * n * said.number_bytes(); bytes_ - said.end != promised) {
      refuse("it has " + std::to_string(bytes_ - said.end) + " bytes after its header, which promises " +
             std::to_string(promised));
    }
    std::vector<place> points(n);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      double const x = said.number_bytes() == 4 ? next<float, std::uint32_t>(said) : next<double, std::uint64_t>(said);
      std::size_t const at = said.fortran_order ? i % n : i / 2;
      if (!std::isfinite(x)) refuse("point " + std::to_string(at) + " is not finite");
      points[at][said.fortran_order ? i / n : i % 2] = x;
    }
    return points;
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const { throw usage_error(runtime::printable(name_) + ": " + why); }

  npy_header header() {
    constexpr std::uint32_t most_header_bytes = 1 << 20;
    std::array<unsigned char, 8> begin{};
    take(begin.data(), begin.size());
    unsigned const version = begin[6];
    if (version < 1 || version > 3) {
      refuse("it is of version " + std::to_string(version) + "." + std::to_string(begin[7]) +
             " of .npy; allowed: 1 to 3");
    }
    std::array<unsigned char, 4> length{};
    take(length.data(), version == 1 ? 2 : 4);
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < length.size(); ++i) size |= std::uint32_t{length[i]} << 8 * i;
    std::uint64_t const before = version == 1 ? 10 : 12;
    if (size > most_header_bytes || before + size > bytes_)
      refuse("its header promises " + std::to_string(size) + " bytes; allowed: as many as are there, at most 1 MiB");
    std::string text(size, ' ');
    take(text.data(), size);
    npy_header found = npy_dictionary(text, name_).parsed();
    if (found.type != "<f4" && found.type != ">f4" && found.type != "<f8" && found.type != ">f8")
      refuse("its type is " + shown(found.type) + "; allowed: <f4, >f4, <f8, >f8");
    found.end = before + size;
    return found;
  }
  template <class Number, class Bits>
  double next(npy_header const& said) {
    Bits bits{};
    take(&bits, sizeof bits);
    if (said.is_swapped()) {
      auto bytes = std::bit_cast<std::array<unsigned char, sizeof(Bits)>>(bits);
      std::ranges::reverse(bytes);
      bits = std::bit_cast<Bits>(bytes);
    }
    return std::bit_cast<Number>(bits);
  }
  void take(void* into, std::size_t bytes) {
    if (!in_.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes))) refuse("it ends too early");
  }

  std::istream& in_;
  std::uint64_t bytes_;
  std::string const& name_;
};

void append_number(std::string& text, auto x) {
  std::array<char, 40> digits{};
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr);
}

}  // namespace

std::vector<place> read_points_text(text_reader& in) {
  std::vector<place> points;
  in.separate_also_by(",");
  while (in.next_line()) {
    if (points.empty() && in.rest().starts_with(npy_magic))
      in.refuse_all("it is a compressed .npy; allowed: a decompressed one, or text");
    if (in.is_at_end_of_line() || in.rest().substr(in.rest().find_first_not_of(" \t")).starts_with('#')) continue;
    double const x = in.real("x");
    double const y = in.real("y");
    if (auto const more = in.word(); !more.empty() && !more.starts_with('#'))
      in.refuse(shown(more) + " is too much in its line; allowed: X Y");
    if (points.size() == std::size_t{most_points}) in.refuse("more than " + std::to_string(most_points) + " points");
    points.push_back({x, y});
  }
  if (points.empty()) in.refuse("there is no point in it; allowed: lines X Y, or a .npy of shape (n, 2)");
  return points;
}

std::vector<place> read_npy(std::istream& in, std::uint64_t bytes, std::string const& name) {
  return npy_reader(in, bytes, name).read();
}

points_file read_points_file(std::filesystem::path const& file) {
  if (!begins_as_npy(file)) {
    text_reader in(file);
    return {.points = read_points_text(in), .format = "text"};
  }
  std::ifstream in(file, std::ios::binary);
  std::error_code none;
  return {.points = read_npy(in, std::filesystem::file_size(file, none), file.string()), .format = "npy"};
}

points_on_grid on_grid(std::span<place const> points) {
  double largest = 0;
  for (auto const& [x, y] : points) largest = std::max({largest, std::abs(x), std::abs(y)});
  int above = 0;  // 2^above is not below the largest
  static_cast<void>(std::frexp(largest, &above));
  int const scale = 52 - above;
  points_on_grid made;
  made.unit = std::ldexp(1.0, -scale);
  made.points.reserve(points.size());
  auto const rounded = [&](double x) {
    double const scaled = std::ldexp(x, scale);
    auto const to = std::llround(scaled);
    made.exact = made.exact && static_cast<double>(to) == scaled && (x == 0) == (to == 0);
    return std::int64_t{to};
  };
  for (auto const& [x, y] : points) {
    std::int64_t const on_x = rounded(x);
    made.points.push_back({on_x, rounded(y)});
  }
  return made;
}

std::string text_of_hull(std::span<point const> hull, std::span<point const> on_grid, std::span<place const> points) {
  std::vector<std::size_t> order(hull.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const at = [&](std::size_t v) { return hull[v]; };
  std::ranges::sort(order, {}, at);
  std::vector<std::size_t> first(hull.size(), on_grid.size());
  for (std::size_t i = 0; i < on_grid.size(); ++i) {
    auto const found = std::ranges::lower_bound(order, on_grid[i], {}, at);
    if (found != order.end() && hull[*found] == on_grid[i]) first[*found] = std::min(first[*found], i);
  }
  std::string text;
  for (std::size_t const i : first) {
    append_number(text, i);
    for (double const x : points[i]) {
      text += ' ';
      append_number(text, x);
    }
    text += '\n';
  }
  return text;
}

}  // namespace skua::apps::hull
