// SPDX-License-Identifier: MIT
// Numbers in chemists' files, many of which a Fortran program wrote: "1.5D+01".
#pragma once

#include <string_view>

#include "apps/text_reader.hpp"

namespace skua::apps::hartree_fock::molecules {

/// "1.5D+01" or "1.5e1". False: the word is no number, or not finite.
[[nodiscard]] bool read_number(std::string_view word, double& into);
/// The next word of the line. Throws usage_error unless it is such a number of at most `most` in magnitude.
[[nodiscard]] double next_number(text_reader& in, std::string_view what, double most);

}  // namespace skua::apps::hartree_fock::molecules
