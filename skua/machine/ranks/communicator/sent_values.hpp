// SPDX-License-Identifier: MIT
// The values of collective calls as bytes, and the words by which ranks compare what they send.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/collection/archive.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// What arrives of a span.
template <class T>
using elements = std::vector<std::remove_const_t<T>>;

template <class T>
[[nodiscard]] std::string quoted_type() {
  return "'" + std::string(runtime::type_in(runtime::type_text<T>())) + "'";
}
template <class T>
[[nodiscard]] std::string words_of_value() {
  return "one " + quoted_type<T>();
}
template <class T>
[[nodiscard]] std::string words_of_row(std::size_t length) {
  return std::to_string(length) + " " + quoted_type<std::remove_const_t<T>>();
}
/// Of spans that may have any length.
template <class T>
[[nodiscard]] std::string words_of_rows() {
  return "spans of " + quoted_type<std::remove_const_t<T>>();
}

template <class T>
[[nodiscard]] std::vector<std::byte> written(T const& value) {
  static_assert(std::default_initializable<T> && std::movable<T>,
                "a collective call returns values that it makes by the default constructor");
  std::vector<std::byte> bytes;
  output_archive out(bytes);
  out(value);
  return bytes;
}

/// No bytes are the value of a rank that died.
template <class T>
[[nodiscard]] T read_value(std::span<std::byte const> bytes) {
  T value{};
  if (bytes.empty()) return value;
  input_archive in(bytes);
  in(value);
  if (!in.is_at_end()) throw usage_error("a value's serialize wrote more than it reads");
  return value;
}

template <class T>
[[nodiscard]] std::vector<T> read_values(std::vector<std::vector<std::byte>> const& parts) {
  std::vector<T> values;
  values.reserve(parts.size());
  for (auto const& part : parts) values.push_back(read_value<T>(part));
  return values;
}

template <class T, std::size_t N>
[[nodiscard]] std::vector<std::byte> written_row(std::span<T, N> own) {
  static_assert(runtime::plain<std::remove_const_t<T>>,
                "a collective call of a span sends the bytes of its elements, which must be trivially copyable, "
                "without addresses and "
                "without a `serialize`; send a std::vector of other elements");
  auto const body = std::as_bytes(own);
  return {body.begin(), body.end()};
}

/// `to` is as long as what was sent, or nothing was sent. The elements are those that written_row takes.
template <class T, std::size_t N>
void read_row(std::span<std::byte const> bytes, std::span<T, N> to) {
  if (!bytes.empty()) std::memcpy(static_cast<void*>(to.data()), bytes.data(), to.size_bytes());
}

template <class T>
[[nodiscard]] std::vector<elements<T>> read_rows(std::vector<std::vector<std::byte>> const& parts) {
  std::vector<elements<T>> rows;
  for (auto const& part : parts) {
    rows.emplace_back(part.size() / sizeof(T));
    read_row(part, std::span(rows.back()));
  }
  return rows;
}

}}}  // namespace skua::v0::ranks
