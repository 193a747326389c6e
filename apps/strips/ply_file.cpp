// SPDX-License-Identifier: MIT
#include "apps/strips/ply_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "apps/text_reader.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps::strips {
namespace {

constexpr std::string_view ply_blanks = " \t\r\n\v\f";

enum class number_type : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };
constexpr std::array<std::array<std::string_view, 2>, 8> type_names{{{"char", "int8"},
                                                                     {"uchar", "uint8"},
                                                                     {"short", "int16"},
                                                                     {"ushort", "uint16"},
                                                                     {"int", "int32"},
                                                                     {"uint", "uint32"},
                                                                     {"float", "float32"},
                                                                     {"double", "float64"}}};
constexpr std::array<std::size_t, 8> type_bytes{1, 1, 2, 2, 4, 4, 4, 8};

struct property {
  std::string_view name;
  number_type type;
  bool is_list = false;
  number_type of_length = number_type::u8;
};
struct element {
  std::string_view name;
  std::uint64_t count;
  std::vector<property> properties;
};
enum class coding : std::uint8_t { text, little_endian, big_endian };

class ply_reader {
 public:
  ply_reader(std::string_view bytes, std::string const& name) : left_(bytes), name_(name) {}

  surface read() {
    read_header();
    for (element const& e : elements_) read_element(e);
    if (left_.find_first_not_of(ply_blanks) != std::string_view::npos) refuse("there is more than its header promises");
    for (corners const& c : made_.triangles) {
      for (vertex const v : c) {
        if (v >= made_.positions.size())
          refuse("a polygon has the vertex " + std::to_string(v) + "; there are " +
                 std::to_string(made_.positions.size()));
      }
    }
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    bool const has_line = line_ > 0 && (in_header_ || coding_ == coding::text);
    throw usage_error(runtime::printable(name_) + ":" + (has_line ? std::to_string(line_) + ": " : " ") + why);
  }

  // The header.
  std::string_view next_line() {
    ++line_;
    auto const end = left_.find(end_of_line_);
    if (end == std::string_view::npos) refuse("the header of this PLY file has no line end_header");
    auto line = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    while (!line.empty() && ply_blanks.find(line.back()) != std::string_view::npos) line.remove_suffix(1);
    return line;
  }
  static std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(ply_blanks), line.size()));
    auto const word = line.substr(0, line.find_first_of(ply_blanks));
    line.remove_prefix(word.size());
    return word;
  }
  [[nodiscard]] number_type type_named(std::string_view word) const {
    for (std::size_t i = 0; i < type_names.size(); ++i) {
      if (std::ranges::find(type_names[i], word) != type_names[i].end()) return static_cast<number_type>(i);
    }
    refuse("the type is " + shown(word) +
           "; allowed: char, uchar, short, ushort, int, uint, float, double, or int8 to float64");
  }
  void read_header() {
    // Old Macs ended lines so, and programs still copy that.
    if (left_.starts_with("ply\r") && !left_.starts_with("ply\r\n")) end_of_line_ = '\r';
    if (auto const magic = next_line(); magic != "ply")
      refuse("the file begins with " + shown(magic) + "; allowed: ply");
    bool has_format = false;
    for (auto line = next_line(); line != "end_header"; line = next_line()) {
      auto const kind = take_word(line);
      if (kind == "format") {
        read_format(line);
        has_format = true;
      } else if (kind == "element") {
        read_element_line(line);
      } else if (kind == "property") {
        read_property(line);
      } else if (kind != "comment" && kind != "obj_info" && !kind.empty()) {
        refuse("a line begins with " + shown(kind) +
               "; allowed: format, element, property, comment, obj_info, end_header");
      }
    }
    if (!has_format) refuse("the header has no line format");
    in_header_ = false;
    ++line_;  // of the first element
  }
  void read_format(std::string_view line) {
    auto const word = take_word(line);
    if (word == "ascii")
      coding_ = coding::text;
    else if (word == "binary_little_endian")
      coding_ = coding::little_endian;
    else if (word == "binary_big_endian")
      coding_ = coding::big_endian;
    else
      refuse("the format is " + shown(word) + "; allowed: ascii, binary_little_endian, binary_big_endian");
  }
  void read_element_line(std::string_view line) {
    auto const name = take_word(line);
    auto const text = take_word(line);
    std::uint64_t count = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failed != std::errc{} || end != text.data() + text.size())
      refuse("the number of elements is " + shown(text) + "; allowed: a whole number");
    elements_.push_back({name, count, {}});
  }
  void read_property(std::string_view line) {
    if (elements_.empty()) refuse("a property before the first element");
    auto word = take_word(line);
    property made{.name = {}, .type = number_type::u8, .is_list = word == "list"};
    if (made.is_list) {
      made.of_length = type_named(take_word(line));
      word = take_word(line);
    }
    made.type = type_named(word);
    made.name = take_word(line);
    elements_.back().properties.push_back(made);
  }

  // What the header promises.
  double next(number_type type) { return coding_ == coding::text ? next_word() : next_bytes(type); }
  double next_word() {
    auto const begin = std::min(left_.find_first_not_of(ply_blanks), left_.size());
    line_ += static_cast<std::uint64_t>(std::ranges::count(left_.substr(0, begin), end_of_line_));
    left_.remove_prefix(begin);
    auto const word = left_.substr(0, left_.find_first_of(ply_blanks));
    if (word.empty()) refuse_end();
    left_.remove_prefix(word.size());
    double value = 0;
    auto const digits = word.starts_with('+') ? word.substr(1) : word;
    auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc{} || end != digits.data() + digits.size()) refuse(shown(word) + " is no number");
    return value;
  }
  double next_bytes(number_type type) {
    std::size_t const size = type_bytes[static_cast<std::size_t>(type)];
    if (left_.size() < size) refuse_end();
    std::array<char, 8> raw{};
    std::memcpy(raw.data(), left_.data(), size);
    left_.remove_prefix(size);
    if ((coding_ == coding::big_endian) != (std::endian::native == std::endian::big))
      std::reverse(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
    auto const as = [&]<class T>(T) {
      T value;
      std::memcpy(&value, raw.data(), sizeof value);
      return static_cast<double>(value);
    };
    switch (type) {
      case number_type::i8: return as(std::int8_t{});
      case number_type::u8: return as(std::uint8_t{});
      case number_type::i16: return as(std::int16_t{});
      case number_type::u16: return as(std::uint16_t{});
      case number_type::i32: return as(std::int32_t{});
      case number_type::u32: return as(std::uint32_t{});
      case number_type::f32: return as(float{});
      case number_type::f64: break;
    }
    return as(double{});
  }
  [[noreturn]] void refuse_end() const { refuse("the file ends before all elements that its header promises"); }

  void read_element(element const& e) {
    if (e.properties.empty()) return;
    if (e.count > left_.size()) refuse_end();  // each takes a byte at least
    bool const is_vertex = e.name == "vertex";
    bool const is_strip = e.name == "tristrips";
    for (std::uint64_t i = 0; i < e.count; ++i) {
      std::array<float, 3> position{};
      for (property const& p : e.properties) {
        if (p.is_list) {
          read_list(p, is_strip, is_strip || e.name == "face");
          continue;
        }
        double const value = next(p.type);
        if (p.name.size() == 1 && p.name >= "x" && p.name <= "z")
          position[static_cast<std::size_t>(p.name[0] - 'x')] = static_cast<float>(value);
      }
      if (is_vertex) made_.positions.push_back(position);
    }
  }
  void read_list(property const& p, bool is_strip, bool has_corners) {
    double const length = next(p.of_length);
    if (!(length >= 0) || length != std::floor(length)) refuse("the length of a list is no whole number");
    if (length > static_cast<double>(left_.size())) refuse_end();
    bool const is_wanted = has_corners && (p.name == "vertex_indices" || p.name == "vertex_index");
    list_.clear();
    for (auto left = static_cast<std::uint64_t>(length); left > 0; --left) {
      double const value = next(p.type);
      if (is_wanted) list_.push_back(corner_of(value, is_strip));
    }
    is_strip ? add_strips() : add_fan();
  }
  /// `nobody` between two strips.
  [[nodiscard]] vertex corner_of(double value, bool is_strip) const {
    if (is_strip && value == -1) return nobody;
    if (value >= 0 && value < nobody && value == std::floor(value)) return static_cast<vertex>(value);
    refuse("a corner of a polygon is no vertex");
  }
  void add_fan() {
    for (std::size_t i = 2; i < list_.size(); ++i) made_.triangles.push_back({list_[0], list_[i - 1], list_[i]});
  }
  void add_strips() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (list_[i] == nobody) begin = i + 1;
      if (i < begin + 2 || list_[i] == nobody) continue;
      bool const turned = (i - begin) % 2 == 1;  // all look the same way
      made_.triangles.push_back({list_[i - (turned ? 1 : 2)], list_[i - (turned ? 2 : 1)], list_[i]});
    }
  }

  std::string_view left_;
  std::string const& name_;
  std::uint64_t line_ = 0;
  char end_of_line_ = '\n';
  bool in_header_ = true;
  coding coding_ = coding::text;
  std::vector<element> elements_;
  std::vector<vertex> list_;
  surface made_;
};

}  // namespace

surface read_ply(std::string_view bytes, std::string const& name) { return ply_reader(bytes, name).read(); }

}  // namespace skua::apps::strips
