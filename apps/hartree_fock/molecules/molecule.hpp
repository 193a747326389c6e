// SPDX-License-Identifier: MIT
// A molecule with closed shells: nuclei at rest, and electrons in pairs. Atomic units.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "apps/hartree_fock/basis.hpp"
#include "apps/text_reader.hpp"

namespace skua::apps::hartree_fock::molecules {

struct nucleus {
  unsigned protons;
  point at;
};

struct molecule {
  std::vector<nucleus> nuclei;
  std::int64_t charge = 0;

  /// Protons less the charge.
  [[nodiscard]] std::int64_t electrons() const noexcept;
  /// In hartree. Work O(nuclei^2).
  [[nodiscard]] double repulsion_of_nuclei() const noexcept;
  /// Throws usage_error, which names --charge, unless the electrons are some pairs.
  void require_pairs() const;
};

/// In angstrom: CODATA 2018.
inline constexpr double bohr = 0.529177210903;
inline constexpr std::uint64_t most_nuclei = 10'000;

/// Reads an XYZ file: the number of atoms, a line of any text, and a line `SYMBOL X Y Z` for each atom, in angstrom. Throws
/// usage_error, which begins with `name:line:`, where the text is not such a file.
[[nodiscard]] molecule read_xyz(text_reader& in);
/// The same for a file, plain or gzip. Throws usage_error also if it cannot be read.
[[nodiscard]] molecule read_xyz_file(std::filesystem::path const& file);

}  // namespace skua::apps::hartree_fock::molecules
