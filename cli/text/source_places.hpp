// SPDX-License-Identifier: MIT
// Places of code in words. A trace of an OpenMP program names them by object and offset (skua/openmp/code_place.hpp); addr2line and readelf of
// binutils know the function and, from debug information, the line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skua/parts/trace/trace_reader.hpp"

namespace skua::cli {

struct code_place {
  std::string object;  ///< its path
  std::uint64_t offset = 0;
  std::string build_id;  ///< empty: it has none
  friend bool operator==(code_place const&, code_place const&) = default;
};

/// Of "PATH+0xOFFSET build-id HEX", with or without the last two words; none: it is something else.
[[nodiscard]] std::optional<code_place> read_code_place(std::string_view text);

/// "main (heat.c:23)", from what addr2line says of the place: its function and its line, each perhaps "??". Without a line "main._omp_fn.0 in heat", without a
/// function "heat+0x1234".
[[nodiscard]] std::string in_words(code_place const& at, std::string_view function, std::string_view line);

/// "sklearn.cluster._k_means_lloyd.lloyd_iter._omp_fn.0" of "__pyx_pf_7sklearn_7cluster_14_k_means_lloyd_6lloyd_iter._omp_fn.0", as Cython names
/// the functions of its modules; other names as they are.
[[nodiscard]] std::string without_cython(std::string_view function);

/// Of code in a running process, which has the object mapped; "0x55d0c0ffee" if no object has it.
[[nodiscard]] std::string name_of_code(int process, std::uint64_t address);

/// Puts the names of constructs into words (trace_data::in_words). An object that is gone, or has another build id now, gives "heat+0x1234".
/// Cost: two processes per object.
void name_source_places(std::span<trace::trace_data> traces);

}  // namespace skua::cli
