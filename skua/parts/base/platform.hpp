// SPDX-License-Identifier: MIT
// What differs between compilers, processors and builds. The only file with #if.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "skua/parts/base/durations.hpp"

namespace skua { inline namespace v0 { namespace runtime {

#if defined(SKUA_CHECKED)
inline constexpr bool checked = true;  ///< invariants are tested at run time
#else
inline constexpr bool checked = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_tsan = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif
#else
inline constexpr bool under_tsan = false;
#endif

/// The library's own code, as in the archive and the shared object. A sanitizer may watch the program into which they are linked, but
/// not them: then this code tells the sanitizer at run time what a compiler would (sanitizers.hpp).
#if defined(SKUA_IN_LIBRARY)
inline constexpr bool in_library = true;
#else
inline constexpr bool in_library = false;
#endif

/// Compiled by the library's own build, with the same flags: the library, and tests, of which many link only a part of it.
#if defined(SKUA_IN_LIBRARY) || defined(SKUA_TESTS_OF_PARTS)
inline constexpr bool has_flags_of_library = true;
#else
inline constexpr bool has_flags_of_library = false;
#endif

// Flags of libstdc++ that change the layout of its types (built_with.hpp).
#if defined(_GLIBCXX_DEBUG)
inline constexpr bool standard_types_are_debugged = true;
#else
inline constexpr bool standard_types_are_debugged = false;
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI)
inline constexpr int abi_of_strings = _GLIBCXX_USE_CXX11_ABI;
#else
inline constexpr int abi_of_strings = 1;
#endif

/// The compiler copies a lambda that is written inside a `co_await` bit by bit, and destroys its captures twice.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
inline constexpr bool breaks_lambdas_in_co_await = true;
#else
inline constexpr bool breaks_lambdas_in_co_await = false;
#endif

/// Objects that different workers write lie at least this far apart (two lines, because of adjacent-line prefetch).
inline constexpr std::size_t cache_line_bytes = 128;

/// Tells the processor that this is a spin loop. The compiler's builtin, because <immintrin.h> would cost every program
/// that includes Skua a sixth of its compile time.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// A clock that takes some 10 ns to read: the processor's own, which never stops and may advance in steps of 10 ns and more.
inline std::uint64_t processor_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}
/// Its frequency: exact, or on x86, where it is expensive to query, within a factor of two.
inline std::uint64_t ticks_per_us() noexcept {
#if defined(__x86_64__)
  return 2500;
#elif defined(__aarch64__)
  std::uint64_t hz;
  asm("mrs %0, cntfrq_el0" : "=r"(hz));
  return hz / 1'000'000;
#else
  return 1000;
#endif
}

/// Fetches the cache line, which this thread will soon read and write. Any address.
inline void prefetch_to_write(void const* what) noexcept { __builtin_prefetch(what, 1); }

/// A sequentially consistent fence: stores before it become visible before any load after it executes.
/// Written by hand, because Clang's `mfence` costs twice the locked instruction, and because GCC refuses
/// `atomic_thread_fence` under -fsanitize=thread (which does not see fences anyway).
inline void full_fence() noexcept {
#if defined(__x86_64__)
  asm volatile("lock orl $0, (%%rsp)" ::: "memory", "cc");
#elif defined(__aarch64__)
  asm volatile("dmb ish" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);  // the fence itself; each caller names its partner
#endif
}

/// The same right after a sequentially consistent read-modify-write of this thread: on x86 that was a full fence itself.
inline void full_fence_after_rmw() noexcept {
#if defined(__x86_64__)
  asm volatile("" ::: "memory");
#else
  full_fence();
#endif
}

/// Rounding mode and trap masks, on processors where Boost.Context's switch does not save them. On x86 it does.
inline std::uint64_t float_control() noexcept {
#if defined(__aarch64__)
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
#else
  return 0;
#endif
}
inline void set_float_control([[maybe_unused]] std::uint64_t control) noexcept {
#if defined(__aarch64__)
  asm volatile("msr fpcr, %0" ::"r"(control));
#endif
}

}}}  // namespace skua::v0::runtime
