// SPDX-License-Identifier: MIT
// The symbols of the elements.
#pragma once

#include <optional>
#include <string_view>

namespace skua::apps::hartree_fock::molecules {

inline constexpr unsigned most_protons = 118;

/// The atomic number of "He" or "HE"; none for what is not a symbol.
[[nodiscard]] std::optional<unsigned> protons_of(std::string_view symbol) noexcept;
/// Of 1 to most_protons.
[[nodiscard]] std::string_view symbol_of(unsigned protons) noexcept;

}  // namespace skua::apps::hartree_fock::molecules
