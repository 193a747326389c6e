// SPDX-License-Identifier: MIT
// An optional value that needs no extra room: one value of the type stands for "unset".
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

/// Used like std::optional. `Unset`: the bits of a value that no program uses.
template <class T, std::uint64_t Unset>
class hint_field {
 public:
  constexpr hint_field() noexcept = default;
  constexpr hint_field(std::nullopt_t) noexcept {}                   // NOLINT(google-explicit-constructor)
  constexpr hint_field(T value) noexcept : bits_(bits_of(value)) {}  // NOLINT(google-explicit-constructor)
  constexpr hint_field(std::optional<T> const& value) noexcept {     // NOLINT(google-explicit-constructor)
    if (value) bits_ = bits_of(*value);
  }

  [[nodiscard]] constexpr bool has_value() const noexcept { return bits_ != unset; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value(); }
  [[nodiscard]] constexpr T operator*() const noexcept { return std::bit_cast<T>(bits_); }
  /// Throws std::bad_optional_access if it is unset.
  [[nodiscard]] constexpr T value() const { return std::optional<T>(*this).value(); }
  [[nodiscard]] constexpr T value_or(T otherwise) const noexcept { return has_value() ? **this : otherwise; }
  [[nodiscard]] constexpr operator std::optional<T>() const noexcept {  // NOLINT(google-explicit-constructor)
    return has_value() ? std::optional<T>(**this) : std::nullopt;
  }
  friend constexpr bool operator==(hint_field, hint_field) noexcept = default;

 private:
  // Compared as bits: Unset may be a NaN.
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(T) == sizeof(bits));
  static constexpr bits bits_of(T value) noexcept { return std::bit_cast<bits>(value); }
  static constexpr bits unset = static_cast<bits>(Unset);

  bits bits_ = unset;
};

}}}  // namespace skua::v0::runtime
