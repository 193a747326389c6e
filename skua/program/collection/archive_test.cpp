// SPDX-License-Identifier: MIT
#include "skua/program/collection/archive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace foreign {

struct name {
  std::string text;
};
template <class Archive>
void serialize(Archive& a, name& n) {
  a(n.text);
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

}}}  // namespace skua::v0
