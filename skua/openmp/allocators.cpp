// SPDX-License-Identifier: MIT
// Allocators: omp_alloc and its relatives. All memory spaces are ordinary memory. [OpenMP 5.0, 3.7; 5.1, 3.13]
//
// A block is preceded by a header that says where the memory began and whose it is, so that a block of any allocator is freed and resized
// alike. A pool's size counts header and alignment, as libgomp's does.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string>

#include "skua/openmp/last_words.hpp"
#include "skua/openmp/task.hpp"

namespace omp = skua::openmp;

namespace {

/// The values of omp_alloctrait_key_t and omp_alloctrait_value_t.
enum key : std::uint32_t {
  sync_hint = 1,
  alignment = 2,
  access = 3,
  pool_size = 4,
  fallback = 5,
  fb_data = 6,
  pinned = 7,
  partition = 8
};
enum value : std::uintptr_t {
  no = 0,
  yes = 1,
  contended = 3,
  private_to_thread = 6,
  all_threads = 7,
  cgroup = 10,
  to_default = 11,
  to_null = 12,
  to_abort = 13,
  to_allocator = 14,
  environment = 15,
  interleaved = 18,
};
constexpr std::uintptr_t by_default = ~std::uintptr_t{0};
constexpr std::uintptr_t last_predefined = omp::allocator_names.size();
constexpr std::uintptr_t spaces = 5;

struct trait {
  key name;
  std::uintptr_t value;
};

/// What a handle above the predefined ones points to.
struct allocator {
  std::size_t alignment = sizeof(void*);
  std::size_t most = by_default;  ///< bytes at once
  std::uintptr_t on_failure = to_default;
  std::uintptr_t next = 0;  ///< by to_allocator
  std::atomic<std::size_t> used{0};
};

struct header {
  void* memory;
  std::size_t bytes;  ///< all of it
  std::uintptr_t handle;
  std::size_t size;  ///< of the block
};
static_assert(sizeof(header) == 32);

header& header_of(void* block) { return static_cast<header*>(block)[-1]; }

allocator* named(std::uintptr_t handle) {
  return handle > last_predefined ? reinterpret_cast<allocator*>(handle)
                                  : nullptr;  // NOLINT(performance-no-int-to-ptr): omp.h's handle
}

std::uintptr_t or_default(std::uintptr_t handle) { return handle != 0 ? handle : omp::current().variables->allocator; }

/// False: no such trait, or one that no memory here has.
bool take(allocator& a, trait const& t) {
  std::uintptr_t const v = t.value;
  switch (t.name) {
    case sync_hint: return v == by_default || (v >= contended && v <= private_to_thread);
    case alignment:
      if (v != by_default) a.alignment = std::max(v, sizeof(void*));
      return v == by_default || std::has_single_bit(v);
    case access: return v == by_default || (v >= all_threads && v <= cgroup);
    case pool_size: a.most = v; return true;
    case fallback:
      a.on_failure = v == by_default ? std::uintptr_t{to_default} : v;
      return a.on_failure >= to_default && a.on_failure <= to_allocator;
    case fb_data: a.next = v; return true;
    case pinned: return v == by_default || v == no;
    case partition: return v == by_default || (v >= environment && v <= interleaved);
  }
  return false;
}

bool reserve(allocator& a, std::size_t bytes) {
  std::size_t used = a.used.load(std::memory_order_relaxed);  // relaxed, here and below: a count that orders nothing
  do {
    if (bytes > a.most || used > a.most - bytes) return false;
  } while (!a.used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

void release(allocator* a, std::size_t bytes) {
  if (a != nullptr) a->used.fetch_sub(bytes, std::memory_order_relaxed);  // relaxed: as above
}

/// Null: there is no memory, or the pool is exhausted.
void* try_allocate(std::uintptr_t handle, std::size_t wanted_alignment, std::size_t size, bool zeroed) {
  allocator* const a = named(handle);
  std::size_t align = std::max(wanted_alignment, sizeof(void*));
  if (a != nullptr) align = std::max(align, a->alignment);
  std::size_t const extra = sizeof(header) + (align - sizeof(void*));
  if (size > by_default - extra) return nullptr;
  std::size_t const bytes = size + extra;
  if (a != nullptr && !reserve(*a, bytes)) return nullptr;
  void* const memory = zeroed ? std::calloc(1, bytes) : std::malloc(bytes);
  if (memory == nullptr) {
    release(a, bytes);
    return nullptr;
  }
  auto const first = reinterpret_cast<std::uintptr_t>(memory) + sizeof(header);
  char* const block = static_cast<char*>(memory) + sizeof(header) + ((align - first % align) % align);
  ::new (block - sizeof(header)) header{.memory = memory, .bytes = bytes, .handle = handle, .size = size};
  return block;
}

void* allocate(std::uintptr_t handle, std::size_t align, std::size_t size, bool zeroed) {
  if (size == 0) return nullptr;
  align = std::bit_ceil(std::max<std::size_t>(align, 1));
  handle = or_default(handle);
  for (;;) {
    if (void* const block = try_allocate(handle, align, size, zeroed)) return block;
    allocator const* const a = named(handle);
    std::uintptr_t const then = a != nullptr  ? a->on_failure
                                : handle == 1 ? std::uintptr_t{to_null}
                                              : std::uintptr_t{to_default};
    if (then == to_null) return nullptr;
    if (then == to_abort) omp::end_as_libgomp("Out of memory allocating " + std::to_string(size) + " bytes");
    handle = then == to_allocator && a->next != 0 ? a->next : 1;
  }
}

bool product(std::size_t count, std::size_t size, std::size_t& bytes) {
  return !__builtin_mul_overflow(count, size, &bytes);
}

}  // namespace

extern "C" {

std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, trait const* traits) {
  if (space >= spaces) return 0;
  auto* const made = new (std::nothrow) allocator;
  if (made == nullptr) return 0;
  bool is_known = true;
  for (trait const& t : std::span(traits, static_cast<std::size_t>(std::max(count, 0))))
    is_known = is_known && take(*made, t);
  if (is_known) return reinterpret_cast<std::uintptr_t>(made);
  delete made;
  return 0;
}
void omp_destroy_allocator(std::uintptr_t handle) { delete named(handle); }
void omp_set_default_allocator(std::uintptr_t handle) {
  omp::current().writable().allocator = handle != 0 ? handle : 1;
}
std::uintptr_t omp_get_default_allocator(void) { return omp::current().variables->allocator; }

void* omp_aligned_alloc(std::size_t align, std::size_t size, std::uintptr_t handle) {
  return allocate(handle, align, size, false);
}
void* omp_alloc(std::size_t size, std::uintptr_t handle) { return allocate(handle, 1, size, false); }
void* omp_aligned_calloc(std::size_t align, std::size_t count, std::size_t size, std::uintptr_t handle) {
  std::size_t bytes = 0;
  return product(count, size, bytes) ? allocate(handle, align, bytes, true) : nullptr;
}
void* omp_calloc(std::size_t count, std::size_t size, std::uintptr_t handle) {
  return omp_aligned_calloc(1, count, size, handle);
}
void omp_free(void* block, std::uintptr_t) {
  if (block == nullptr) return;
  header const h = header_of(block);
  release(named(h.handle), h.bytes);
  std::free(h.memory);
}
void* omp_realloc(void* block, std::size_t size, std::uintptr_t handle, std::uintptr_t from) {
  if (block == nullptr) return omp_alloc(size, handle);
  if (size == 0) {
    omp_free(block, from);
    return nullptr;
  }
  header const h = header_of(block);
  void* const grown = allocate(handle != 0 ? handle : from != 0 ? from : h.handle, 1, size, false);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, block, std::min(h.size, size));
  omp_free(block, from);
  return grown;
}

/// The clause allocate: there is no way to go on without the memory.
void* GOMP_alloc(std::size_t align, std::size_t size, std::uintptr_t handle) {
  void* const block = allocate(handle, align, size, false);
  if (block == nullptr && size != 0) omp::end_as_libgomp("Out of memory allocating " + std::to_string(size) + " bytes");
  return block;
}
void GOMP_free(void* block, std::uintptr_t handle) { omp_free(block, handle); }

// For Fortran.

std::uintptr_t omp_init_allocator_(std::intptr_t const* space, std::int32_t const* count, trait const* traits) {
  return omp_init_allocator(static_cast<std::uintptr_t>(*space), *count, traits);
}
std::uintptr_t omp_init_allocator_8_(std::intptr_t const* space, std::int64_t const* count, trait const* traits) {
  return omp_init_allocator(static_cast<std::uintptr_t>(*space), static_cast<int>(*count), traits);
}
void omp_destroy_allocator_(std::uintptr_t const* handle) { omp_destroy_allocator(*handle); }
void omp_set_default_allocator_(std::uintptr_t const* handle) { omp_set_default_allocator(*handle); }
std::uintptr_t omp_get_default_allocator_(void) { return omp_get_default_allocator(); }

}  // extern "C"
