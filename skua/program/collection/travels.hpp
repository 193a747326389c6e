// SPDX-License-Identifier: MIT
// Which values mean the same on another rank, and how their bytes are made: decided by their type, so that what cannot travel does not
// compile.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 {

class output_archive;
class input_archive;

namespace runtime {

template <class T, class Archive>
concept has_member_serialize = requires(T& t, Archive& a) { t.serialize(a); };
template <class T, class Archive>
concept has_free_serialize = requires(T& t, Archive& a) { serialize(a, t); };

}  // namespace runtime

/// A type with a `serialize` that both archives can call: a member, or a function in the namespace of the type.
template <class T>
concept serializable =
    (runtime::has_member_serialize<T, output_archive> && runtime::has_member_serialize<T, input_archive>) ||
    (runtime::has_free_serialize<T, output_archive> && runtime::has_free_serialize<T, input_archive>);

namespace runtime {

// --- addresses

/// Its bytes say where something lies on this rank.
template <class T>
inline constexpr bool is_address = std::is_pointer_v<T> || std::is_member_function_pointer_v<T>;
template <class T>
inline constexpr bool is_address<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool is_address<std::initializer_list<T>> = true;
template <class Char, class Traits>
inline constexpr bool is_address<std::basic_string_view<Char, Traits>> = true;
template <class T, std::size_t Extent>
inline constexpr bool is_address<std::span<T, Extent>> = true;

template <class T>
[[nodiscard]] consteval bool holds_address();

/// Initialises a member of any type.
struct any_value {
  template <class T>
  operator T() const;  // never defined
};
/// Initialises a member that holds an address.
struct any_address {
  template <class T>
    requires(holds_address<T>())
  operator T() const;  // never defined
};

template <std::size_t>
using next_value = any_value;
template <class T, class Last, std::size_t... I>
[[nodiscard]] consteval bool can_begin_with(std::index_sequence<I...>) {
  return requires { T{next_value<I>{}..., Last{}}; };
}

/// Tries an address as the value of each member in turn; an array counts with its elements. Finds none behind the first 24.
template <class T, std::size_t Member = 0>
[[nodiscard]] consteval bool a_member_holds_address() {
  constexpr std::make_index_sequence<Member> before;
  if constexpr (Member == 24 || !can_begin_with<T, any_value>(before)) {
    return false;
  } else if constexpr (can_begin_with<T, any_address>(before)) {
    return true;
  } else {
    return a_member_holds_address<T, Member + 1>();
  }
}

/// True for addresses, and for arrays and aggregates of them. Cannot see into classes with private members.
template <class T>
[[nodiscard]] consteval bool holds_address() {
  using value = std::remove_cv_t<std::remove_all_extents_t<T>>;
  if constexpr (is_address<value>) {
    return true;
  } else if constexpr (std::is_aggregate_v<value> && std::is_class_v<value>) {
    return a_member_holds_address<value>();
  } else {
    return false;
  }
}

// --- containers, known by what they can do, so that no header of theirs is needed

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

template <class T>
inline constexpr bool is_array = std::is_array_v<T>;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

/// std::optional.
template <class T>
concept optional_value = requires(T& t) {
  typename T::value_type;
  { t.has_value() } -> std::same_as<bool>;
  t.reset();
  t.emplace();
  *t;
};

/// Strings and vectors: contiguous elements whose number can be changed.
template <class T>
concept resizable_row = requires(T& t, std::size_t n) {
  t.resize(n);
  { t.data() } -> std::convertible_to<typename T::value_type*>;
};

/// Vectors, lists, deques.
template <class T>
concept sequence = requires(T& t) {
  t.begin() != t.end();
  t.size();
  t.clear();
  t.emplace_back();
};

/// Sets, and maps, which have a `mapped_type`; ordered or not.
template <class T>
concept associative = requires(T& t, typename T::key_type const& key) {
  t.begin() != t.end();
  t.size();
  t.clear();
  t.find(key);
};

template <class T>
using item_of = std::remove_cvref_t<decltype(*std::begin(std::declval<T&>()))>;

template <class T>
[[nodiscard]] consteval bool can_travel();

template <class T>
inline constexpr bool parts_can_travel = true;
template <template <class...> class Tuple, class... Parts>
inline constexpr bool parts_can_travel<Tuple<Parts...>> = (can_travel<std::remove_cv_t<Parts>>() && ...);

/// True if archives can write and read it, and what was read means the same on another rank.
template <class T>
[[nodiscard]] consteval bool can_travel() {
  if constexpr (serializable<T>) {
    return true;
  } else if constexpr (is_tuple<T>) {
    return parts_can_travel<T>;
  } else if constexpr (is_array<T>) {
    return can_travel<item_of<T>>();
  } else if constexpr (optional_value<T> || sequence<T> || resizable_row<T>) {
    return can_travel<typename T::value_type>();
  } else if constexpr (requires { typename T::mapped_type; } && associative<T>) {
    return can_travel<typename T::key_type>() && can_travel<typename T::mapped_type>();
  } else if constexpr (associative<T>) {
    return can_travel<typename T::key_type>();
  } else {
    return std::is_trivially_copyable_v<T> && !holds_address<T>();
  }
}

/// True if its bytes in memory are what is written: no part of it has a `serialize` that would be passed over.
template <class T>
[[nodiscard]] consteval bool is_only_bytes() {
  if constexpr (!std::is_trivially_copyable_v<T> || serializable<T> || is_tuple<T> || !can_travel<T>()) {
    return false;
  } else if constexpr (is_array<T>) {
    return is_only_bytes<item_of<T>>();
  } else if constexpr (optional_value<T>) {
    return is_only_bytes<typename T::value_type>();
  } else {
    return true;
  }
}
template <class T>
concept plain = (is_only_bytes<T>());

}  // namespace runtime

}}  // namespace skua::v0
