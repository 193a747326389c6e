// SPDX-License-Identifier: MIT
// Which sanitizer watches this code, and the sanitizers' own interface.
//
// Either the compiler put a sanitizer in (under_asan, under_tsan), or this is the library's code, compiled without one, and the
// program that it is linked into has one. The program is all that a user recompiles, so the library asks at run time: the
// interface is declared weak, and a function of it has an address if its sanitizer is in the process. Asking costs a comparison.
// What programs compile asks nothing: without a sanitizer, a fork costs what it did. (context.md, section 4)
#pragma once

#include <cstddef>

#include "skua/parts/base/platform.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): the sanitizers chose these names.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack_save, void const* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, void const** bottom_old, std::size_t* size_old);
[[gnu::weak]] void __asan_unpoison_memory_region(void const volatile* address, std::size_t size);
[[gnu::weak]] void __lsan_register_root_region(void const* begin, std::size_t size);
[[gnu::weak]] void __lsan_unregister_root_region(void const* begin, std::size_t size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* context);
[[gnu::weak]] void __tsan_switch_to_fiber(void* context, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void AnnotateIgnoreReadsBegin(char const* file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(char const* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(char const* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(char const* file, int line);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace skua { inline namespace v0 { namespace runtime {

namespace asan {
[[nodiscard, gnu::always_inline]] inline bool watches() noexcept {
  if constexpr (under_asan) return true;
  if constexpr (in_library) return __asan_unpoison_memory_region != nullptr;
  return false;
}
}  // namespace asan

namespace tsan {
[[nodiscard, gnu::always_inline]] inline bool watches() noexcept {
  if constexpr (under_tsan) return true;
  if constexpr (in_library) return __tsan_switch_to_fiber != nullptr;
  return false;
}
/// Watches the program, and not this code: what the compiler tells it of the program's atomics, we must tell it of ours.
[[nodiscard, gnu::always_inline]] inline bool watches_from_outside() noexcept { return !under_tsan && watches(); }
}  // namespace tsan

}}}  // namespace skua::v0::runtime
