// SPDX-License-Identifier: MIT
// Converts tasks that own memory to the bytes that travel between ranks, and back. `serialize` has the form that cereal
// and Boost.Serialization use.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/program/collection/travels.hpp"

namespace skua { inline namespace v0 {

namespace runtime {

/// Its error comes once for both archives.
template <class T>
struct must_travel {
  static_assert(can_travel<T>(),
                "archive: pointers, references, std::string_view and std::span mean nothing on another rank, and a "
                "class of another kind needs "
                "`template <class Archive> void serialize(Archive&)`, or serialize(archive, value) in its namespace");
};

/// Writes or reads one value, part by part, as its type demands.
struct archived {
  template <class Archive, class T>
  static void visit(Archive& a, T& value) {
    static_cast<void>(sizeof(must_travel<T>));
    if constexpr (!can_travel<T>()) {
      return;  // must_travel has said why
    } else if constexpr (has_member_serialize<T, Archive>) {
      value.serialize(a);
    } else if constexpr (has_free_serialize<T, Archive>) {
      serialize(a, value);
    } else if constexpr (plain<T>) {
      a.bytes(&value, sizeof value);
    } else if constexpr (is_tuple<T>) {
      std::apply([&a](auto&... part) { (visit(a, part), ...); }, value);
    } else if constexpr (is_array<T>) {
      for (auto& element : value) visit(a, element);
    } else if constexpr (optional_value<T>) {
      visit_optional(a, value);
    } else if constexpr (resizable_row<T> && plain<typename T::value_type>) {
      std::uint64_t count = value.size();
      a.bytes(&count, sizeof count);
      a.resize(value, count);
      a.bytes(value.data(), count * sizeof(typename T::value_type));
    } else if constexpr (resizable_row<T> && !sequence<T>) {
      std::uint64_t count = value.size();
      a.bytes(&count, sizeof count);
      a.resize(value, count);
      for (auto& element : value) visit(a, element);
    } else {
      std::uint64_t count = value.size();
      a.bytes(&count, sizeof count);
      if constexpr (Archive::reads) {
        value.clear();
        for (; count > 0; --count) read_element(a, value);
      } else {
        for (auto&& element : value) write_element<T>(a, element);
      }
    }
  }

 private:
  template <class Archive, class T>
  static void visit_optional(Archive& a, T& value) {
    auto there = static_cast<std::uint8_t>(value.has_value());
    visit(a, there);
    if constexpr (Archive::reads) {
      there != 0 ? static_cast<void>(value.emplace()) : value.reset();
    }
    if (value.has_value()) visit(a, *value);
  }

  /// A vector of bool has no elements to refer to.
  template <class T>
  static constexpr bool is_packed = std::same_as<typename T::value_type, bool> && !resizable_row<T>;

  template <class T, class Archive, class Element>
  static void write_element(Archive& a, Element& element) {
    if constexpr (requires { typename T::mapped_type; }) {
      visit(a, const_cast<typename T::key_type&>(element.first));
      visit(a, element.second);
    } else if constexpr (associative<T>) {
      visit(a, const_cast<typename T::key_type&>(element));  // this archive changes nothing
    } else if constexpr (is_packed<T>) {
      auto bit = static_cast<std::uint8_t>(element);
      visit(a, bit);
    } else {
      visit(a, element);
    }
  }
  template <class Archive, class T>
  static void read_element(Archive& a, T& to) {
    if constexpr (requires { typename T::mapped_type; }) {
      std::pair<typename T::key_type, typename T::mapped_type> element;
      visit(a, element.first);
      visit(a, element.second);
      to.insert(std::move(element));
    } else if constexpr (associative<T>) {
      typename T::key_type key;
      visit(a, key);
      to.insert(std::move(key));
    } else if constexpr (is_packed<T>) {
      std::uint8_t bit = 0;
      visit(a, bit);
      to.push_back(bit != 0);
    } else {
      visit(a, to.emplace_back());
    }
  }
};

}  // namespace runtime

/// Appends values to a vector of bytes: trivially copyable values without addresses; strings; vectors, lists, deques, arrays, sets, maps, pairs,
/// tuples and optionals of what it takes; and types with `serialize`, which comes first.
class output_archive {
 public:
  explicit output_archive(std::vector<std::byte>& bytes) noexcept : bytes_(bytes) {}
  template <class... T>
  output_archive& operator()(T const&... values) {
    // `serialize` takes a non-const value, because it serves both directions; this archive changes nothing.
    (runtime::archived::visit(*this, const_cast<T&>(values)), ...);
    return *this;
  }

 private:
  friend runtime::archived;
  static constexpr bool reads = false;
  void bytes(void const* from, std::size_t n) {
    std::size_t const at = bytes_.size();
    bytes_.resize(at + n);
    if (n > 0) std::memcpy(bytes_.data() + at, from, n);
  }
  template <class Row>
  void resize(Row&, std::uint64_t) noexcept {}

  std::vector<std::byte>& bytes_;
};

/// Reads values back in the same order. Throws usage_error if fewer bytes are left than a value needs.
class input_archive {
 public:
  explicit input_archive(std::span<std::byte const> from) noexcept : left_(from) {}
  template <class... T>
  input_archive& operator()(T&... values) {
    (runtime::archived::visit(*this, values), ...);
    return *this;
  }
  [[nodiscard]] bool is_at_end() const noexcept { return left_.empty(); }

 private:
  friend runtime::archived;
  static constexpr bool reads = true;
  void bytes(void* to, std::size_t n) {
    need(n);
    if (n > 0) std::memcpy(to, left_.data(), n);
    left_ = left_.subspan(n);
  }
  template <class Row>
  void resize(Row& row, std::uint64_t count) {
    // Check the length against the bytes that are left, so that a damaged length does not allocate.
    using element = typename Row::value_type;
    if constexpr (runtime::plain<element>) {
      if (count > left_.size() / sizeof(element)) need(left_.size() + 1);
    }
    row.resize(count);
  }
  void need(std::size_t n) const {
    if (n > left_.size()) {
      throw usage_error("a serialized value ends too early: reading asks for more than writing wrote");
    }
  }

  std::span<std::byte const> left_;
};

}}  // namespace skua::v0
