// SPDX-License-Identifier: MIT
// Reductions in which tasks take part: each thread of the team has a copy of each variable, and a task finds that of the thread that runs it.
// [OpenMP 5.0, 2.19.5; libgomp's ABI 5.0]
//
// The program describes its variables in arrays of words: [0] number of variables, [1] bytes of a thread's copies, [2] alignment, and after
// registration the address of all copies, [3] allocator, [4] the next array of this registration, and of the last one the first array of the
// registration around it, [5] not 0 in the first array of a registration, [6] the end of the copies; then for each variable its address, its
// place within a thread's copies in ascending order, and a word that we do not use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

struct task;

/// Makes copies for `threads` threads, zeroed, and links the arrays to those `around`. With `shared`, another member's registration of
/// the same construct, it uses the copies of that. Throws std::bad_alloc.
void register_reductions(std::uintptr_t* arrays, std::uintptr_t* around, std::uintptr_t const* shared,
                         std::uint32_t threads);
/// Frees the copies of one registration.
void free_reductions(std::uintptr_t* arrays) noexcept;
/// Replaces variables[i], the address of a variable or of a copy of it, by that of the copy for `thread`; for i below `originals` it
/// also sets variables[count + i] to the variable's own address. Returns false if one of them was not registered.
[[nodiscard]] bool find_copies(std::uintptr_t const* arrays, std::uint32_t thread, std::size_t count,
                               std::size_t originals, void** variables) noexcept;

}}}  // namespace skua::v0::openmp
