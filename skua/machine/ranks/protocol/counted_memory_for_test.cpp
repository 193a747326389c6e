// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/counted_memory_for_test.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> all_alive{0};
/// How many allocations of this thread succeed before one fails; negative: all do.
thread_local long before_failure = -1;

void* memory(std::size_t bytes, std::size_t alignment) {
  if (before_failure >= 0 && before_failure-- == 0) throw std::bad_alloc{};
  std::size_t const rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (p == nullptr) throw std::bad_alloc{};
  all_alive.fetch_add(1, std::memory_order_relaxed);  // relaxed: a count
  return p;
}

/// Not left out by a compiler that knows that nobody reads it.
void* (*const volatile fill)(void*, int, std::size_t) = std::memset;

void give_back(void* p) {
  if (p == nullptr) return;
  all_alive.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
  fill(p, 0xDD, malloc_usable_size(p));
  std::free(p);
}

}  // namespace

// Out of line: where the compiler inlines only one of the two, it calls them a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return memory(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t a) {
  return memory(bytes, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }

namespace skua { inline namespace v0 { namespace ranks { namespace counted_memory {

long alive() noexcept { return all_alive.load(std::memory_order_relaxed); }  // relaxed: a count

one_failure::one_failure(long after) noexcept { before_failure = after; }
one_failure::~one_failure() { before_failure = -1; }
bool one_failure::happened() const noexcept { return before_failure < 0; }

}}}}  // namespace skua::v0::ranks::counted_memory
