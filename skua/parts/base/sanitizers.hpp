// SPDX-License-Identifier: MIT
// Which sanitizer watches this process, and the sanitizers' own interface.
//
// Either this code is compiled with a sanitizer (under_asan, under_tsan), or it is the library's code, compiled without one, and
// the program into which it is linked may have one. A user recompiles only the program, so the library asks at run time: the
// interface is declared weak, and its functions have an address if the sanitizer is in the process. Asking costs a comparison.
// Code that programs compile does not ask, so a fork pays nothing without a sanitizer. (context.md, section 4)
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
/// True if it watches the program, but not this code: then we must report our atomics, as the compiler reports the program's.
[[nodiscard, gnu::always_inline]] inline bool watches_from_outside() noexcept { return !under_tsan && watches(); }
}  // namespace tsan

}}}  // namespace skua::v0::runtime
