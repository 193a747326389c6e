// SPDX-License-Identifier: MIT
// Converts tasks that own memory to the bytes that travel between ranks, and back. `serialize` has the form that cereal
// and Boost.Serialization use.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 {

class output_archive;
class input_archive;

namespace runtime {

template <class T, class Archive>
concept has_member_serialize = requires(T& t, Archive& a) { t.serialize(a); };
template <class T, class Archive>
concept has_free_serialize = requires(T& t, Archive& a) { serialize(a, t); };

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

/// Strings and vectors: contiguous elements whose number can be changed.
template <class T>
concept resizable_row = requires(T& t, std::size_t n) {
  t.resize(n);
  { t.data() } -> std::convertible_to<typename T::value_type*>;
};

template <class T>
concept plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Passes the parts of a value to the archive: a.bytes(pointer, size) for trivially copyable parts; for strings and
/// vectors first their size as bytes, then a.resize(container, size), then their elements.
template <class Archive, class T>
void visit(Archive& a, T& value) {
  if constexpr (has_member_serialize<T, Archive>) {
    value.serialize(a);
  } else if constexpr (has_free_serialize<T, Archive>) {
    serialize(a, value);
  } else if constexpr (is_tuple<T>) {
    std::apply([&a](auto&... part) { (visit(a, part), ...); }, value);
  } else if constexpr (resizable_row<T>) {
    std::uint64_t count = value.size();
    a.bytes(&count, sizeof count);
    a.resize(value, count);
    if constexpr (plain<typename T::value_type>) {
      a.bytes(value.data(), count * sizeof(typename T::value_type));
    } else {
      for (auto& element : value) visit(a, element);
    }
  } else {
    static_assert(plain<T>,
                  "give it a member `template <class Archive> void serialize(Archive&)`, or a function "
                  "serialize(archive, value)");
    a.bytes(&value, sizeof value);
  }
}

}  // namespace runtime

/// Appends values to a vector of bytes: trivially copyable values, std::string, std::vector, pairs and tuples of them,
/// and types with `serialize`.
class output_archive {
 public:
  explicit output_archive(std::vector<std::byte>& bytes) noexcept : bytes_(bytes) {}
  template <class... T>
  output_archive& operator()(T const&... values) {
    // `serialize` takes a non-const value, because it serves both directions; this archive changes nothing.
    (runtime::visit(*this, const_cast<T&>(values)), ...);
    return *this;
  }

 private:
  template <class Archive, class T>
  friend void runtime::visit(Archive&, T&);
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
    (runtime::visit(*this, values), ...);
    return *this;
  }
  [[nodiscard]] bool is_at_end() const noexcept { return left_.empty(); }

 private:
  template <class Archive, class T>
  friend void runtime::visit(Archive&, T&);
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

/// A type with a `serialize` that both archives can call.
template <class T>
concept serializable =
    (runtime::has_member_serialize<T, output_archive> && runtime::has_member_serialize<T, input_archive>) ||
    (runtime::has_free_serialize<T, output_archive> && runtime::has_free_serialize<T, input_archive>);

}}  // namespace skua::v0
