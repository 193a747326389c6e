// SPDX-License-Identifier: MIT
// Locks of one word that the program owns: critical sections, omp_lock_t, the lock of atomic. A waiter parks, because the holder may be a parked member
// of a nested team on the same thread.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

/// A free lock is 0. The words are the program's memory, so they are no std::atomic. `Word` is a 32-bit or pointer-sized integer.
template <class Word>
void lock(Word& w) noexcept;
template <class Word>
[[nodiscard]] bool try_lock(Word& w) noexcept;
template <class Word>
void unlock(Word& w) noexcept;

extern template void lock(std::uint32_t&) noexcept;
extern template bool try_lock(std::uint32_t&) noexcept;
extern template void unlock(std::uint32_t&) noexcept;
extern template void lock(std::uintptr_t&) noexcept;
extern template bool try_lock(std::uintptr_t&) noexcept;
extern template void unlock(std::uintptr_t&) noexcept;

}}}  // namespace skua::v0::openmp
