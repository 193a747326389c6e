// SPDX-License-Identifier: MIT
// oneTBB's functions of memory for C: the process's own malloc. Settings of an allocator that is not there have no effect, and say so.
#pragma once

#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

inline void* scalable_malloc(std::size_t bytes) noexcept { return std::malloc(bytes); }
inline void* scalable_calloc(std::size_t n, std::size_t bytes) noexcept { return std::calloc(n, bytes); }
inline void* scalable_realloc(void* p, std::size_t bytes) noexcept { return std::realloc(p, bytes); }
inline void scalable_free(void* p) noexcept { std::free(p); }
inline std::size_t scalable_msize(void* p) noexcept { return ::malloc_usable_size(p); }
/// 0, EINVAL or ENOMEM.
inline int scalable_posix_memalign(void** into, std::size_t alignment, std::size_t bytes) noexcept {
  return ::posix_memalign(into, alignment, bytes);
}
/// Null, and errno, if there is no memory or the alignment is no power of two.
inline void* scalable_aligned_malloc(std::size_t bytes, std::size_t alignment) noexcept {
  void* p = nullptr;
  errno = ::posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes);
  return errno == 0 ? p : nullptr;
}
inline void* scalable_aligned_realloc(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes == 0) return scalable_free(p), nullptr;
  void* const moved = scalable_aligned_malloc(bytes, alignment);
  if (moved == nullptr || p == nullptr) return moved;
  std::size_t const had = scalable_msize(p);
  std::memcpy(moved, p, had < bytes ? had : bytes);
  scalable_free(p);
  return moved;
}
inline void scalable_aligned_free(void* p) noexcept { std::free(p); }

enum ScalableAllocationResult {
  TBBMALLOC_OK,
  TBBMALLOC_INVALID_PARAM,
  TBBMALLOC_UNSUPPORTED,
  TBBMALLOC_NO_MEMORY,
  TBBMALLOC_NO_EFFECT
};
enum AllocationModeParam { TBBMALLOC_USE_HUGE_PAGES, TBBMALLOC_SET_SOFT_HEAP_LIMIT };
enum ScalableAllocationCmd { TBBMALLOC_CLEAN_ALL_BUFFERS, TBBMALLOC_CLEAN_THREAD_BUFFERS };
inline int scalable_allocation_mode(int, std::ptrdiff_t) noexcept { return TBBMALLOC_NO_EFFECT; }
inline int scalable_allocation_command(int, void*) noexcept { return TBBMALLOC_NO_EFFECT; }
