// SPDX-License-Identifier: MIT
#include "skua/program/collection/archive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace foreign {

struct name {
  std::string text;
};
template <class Archive>
void serialize(Archive& a, name& n) {
  a(n.text);
}

/// As small as its bytes, and yet those are not what it is: it counts from one.
struct counted {
  std::uint32_t from_one = 1;
  friend bool operator==(counted, counted) = default;
};
template <class Archive>
void serialize(Archive& a, counted& c) {
  std::uint8_t from_zero = static_cast<std::uint8_t>(c.from_one - 1);
  a(from_zero);
  c.from_one = from_zero + 1U;
}

}  // namespace foreign

namespace skua { inline namespace v0 { namespace {

struct matrix {
  std::uint32_t rows = 0;
  std::vector<double> elements;
  std::vector<std::vector<int>> ragged;
  std::pair<std::string, std::array<int, 3>> label;
  foreign::name name;

  template <class Archive>
  void serialize(Archive& a) {
    a(rows, elements)(ragged, label, name);
  }
  friend bool operator==(matrix const& a, matrix const& b) {
    return a.rows == b.rows && a.elements == b.elements && a.ragged == b.ragged && a.label == b.label &&
           a.name.text == b.name.text;
  }
};

static_assert(serializable<matrix> && serializable<foreign::name> && !serializable<int>);

matrix const one{.rows = 2,
                 .elements = {1, 2.5, -3},
                 .ragged = {{}, {1, 2}, {3}},
                 .label = {"a label that is longer than a string without memory of its own", {7, 8, 9}},
                 .name = {"foreign"}};

std::vector<std::byte> written(matrix const& m) {
  std::vector<std::byte> bytes;
  output_archive out(bytes);
  out(m);
  return bytes;
}

TEST(an_archive, gives_back_what_was_written) {
  auto const bytes = written(one);
  input_archive in(bytes);
  matrix read;
  in(read);
  EXPECT_EQ(read, one);
  EXPECT_TRUE(in.is_at_end());
}

TEST(an_archive, that_ends_anywhere_is_refused) {
  auto const bytes = written(one);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::span<std::byte const> const beginning(bytes.data(), n);
    input_archive in(beginning);
    matrix read;
    EXPECT_THROW(in(read), usage_error) << n;
  }
}

TEST(an_archive, with_a_length_beyond_its_end_allocates_nothing) {
  std::vector<std::byte> bytes;
  output_archive out(bytes);
  out(~std::uint64_t{0});
  input_archive in(bytes);
  std::vector<double> read;
  EXPECT_THROW(in(read), usage_error);
  EXPECT_TRUE(read.empty());
}

template <class T>
std::vector<std::byte> bytes_of(T const& value) {
  std::vector<std::byte> bytes;
  output_archive out(bytes);
  out(value);
  return bytes;
}

/// Written, read into a value that had something else, and refused wherever it ends too early.
template <class T>
void goes_and_comes(T const& value, T read = {}) {
  auto const bytes = bytes_of(value);
  input_archive in(bytes);
  in(read);
  EXPECT_TRUE(read == value) << testing::PrintToString(read);
  EXPECT_TRUE(in.is_at_end());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::span<std::byte const> const beginning(bytes.data(), n);
    input_archive in_part(beginning);
    T part{};
    EXPECT_THROW(in_part(part), usage_error) << n << " of " << bytes.size();
  }
}

TEST(an_archive, takes_the_containers_of_the_standard_library) {
  using text = std::string;
  goes_and_comes(std::array<text, 3>{"a", "", "of an array"}, {"other"});
  goes_and_comes(std::array{1.5, 2.5});
  goes_and_comes(std::map<text, std::vector<int>>{{"one", {1}}, {"none", {}}}, {{"old", {9}}});
  goes_and_comes(std::multimap<int, text>{{1, "a"}, {1, "b"}, {2, "c"}});
  goes_and_comes(std::unordered_map<int, text>{{1, "a"}, {7, "b"}});
  goes_and_comes(std::set<text>{"a", "b"}, {"z"});
  goes_and_comes(std::optional<text>{"there"});
  goes_and_comes(std::optional<text>{}, {"there"});
  goes_and_comes(std::optional<double>{2.5}, {1.5});
  goes_and_comes(std::list<text>{"x", "yy", ""}, {"old"});
  goes_and_comes(std::deque<int>{1, 2, 3});
  goes_and_comes(std::vector<bool>{true, false, true, true}, {false});
  goes_and_comes(std::tuple<text, std::optional<std::list<int>>, bool>{"t", std::list<int>{4}, true});
  goes_and_comes(std::map<int, std::map<int, std::optional<std::vector<bool>>>>{{1, {{2, std::vector<bool>{true}}}}});
  goes_and_comes(std::complex<double>{1, 2});
}

TEST(an_archive, takes_rows_of_rows) {
  std::string rows[2] = {"left", "right"};
  auto const bytes = bytes_of(rows);
  std::string read[2];
  input_archive in(bytes);
  in(read);
  EXPECT_EQ(read[0] + read[1], "leftright");
}

TEST(an_archive, calls_serialize_of_types_that_have_one_whatever_their_bytes) {
  using foreign::counted;
  static_assert(std::is_trivially_copyable_v<counted>);
  EXPECT_EQ(bytes_of(counted{3}), bytes_of(std::uint8_t{2}));
  goes_and_comes(counted{3});
  goes_and_comes(std::vector<counted>{{3}, {1}});
  EXPECT_EQ(bytes_of(std::vector<counted>{{3}, {1}}).size(), sizeof(std::uint64_t) + 2);
  goes_and_comes(std::array<counted, 2>{{{3}, {1}}});
  EXPECT_EQ((bytes_of(std::array<counted, 2>{{{3}, {1}}}).size()), 2U);
}

// What the compiler sees of addresses. It must not mistake anything else for one.
using runtime::can_travel, runtime::holds_address;

struct plain_members {
  int x;
  double row[3];
  char text[40];
  std::array<float, 3> values;
};
struct std_members {
  std::complex<double> z;
  std::chrono::nanoseconds t;
  std::bitset<100> bits;
  std::optional<int> some;
  std::variant<int, double> one;
};
enum class kind : std::uint8_t { one };
struct bits_and_unions {
  unsigned low : 3;
  unsigned high : 5;
  union {
    int i;
    float f;
  };
  kind k;
  bool b;
};
struct base {
  int x;
};
struct derived : base {
  double y;
};
struct from_text {
  from_text(std::string_view);
  int hash;
};
struct from_anything {
  template <class T>
  from_anything(T const&);
  int hash;
};
struct constructed {
  from_text a;
  from_anything b;
  int base::* member;
  int const fixed;
};
static_assert(!holds_address<plain_members>() && !holds_address<std_members>() && !holds_address<bits_and_unions>());
static_assert(!holds_address<derived>() && !holds_address<constructed>() && !holds_address<int[3]>());
static_assert(can_travel<plain_members>() && can_travel<std_members>() && can_travel<constructed>());

struct with_pointer {
  int x;
  char const* name;
};
struct with_view {
  int x;
  std::string_view name;
};
struct nested {
  plain_members a;
  with_view b[2];
};
struct of_a_base : with_pointer {};
struct with_reference {
  std::reference_wrapper<int> r;
};
struct with_function {
  double x;
  void (*f)(int);
};
struct with_method {
  int x;
  void (base::*f)();
};
struct with_optional {
  int x;
  std::optional<int*> p;
};
static_assert(holds_address<with_pointer>() && holds_address<with_view>() && holds_address<nested>());
static_assert(holds_address<of_a_base>() && holds_address<with_reference>() && holds_address<with_function>());
static_assert(holds_address<with_method>() && holds_address<with_optional>() && holds_address<std::span<int>>());
static_assert(!can_travel<with_pointer>() && !can_travel<std::vector<std::string_view>>() &&
              !can_travel<std::pair<int, char const*>>() && !can_travel<std::unique_ptr<int>>() &&
              !can_travel<std::map<int, std::span<int>>>() && !can_travel<std::optional<int*>>() &&
              !can_travel<std::array<with_view, 2>>());

}}}  // namespace skua::v0
