// SPDX-License-Identifier: MIT
// Global operator new and delete of a model program: while an execution runs, memory comes from the image.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "tests/explorer/image.hpp"

namespace {

using skua::explorer::the_image;

void* take(std::size_t bytes, std::size_t alignment) {
  void* p = nullptr;
  if (the_image.is_open()) {
    p = the_image.heap.take(bytes, alignment);
  } else if (alignment <= alignof(std::max_align_t)) {
    p = std::malloc(bytes == 0 ? 1 : bytes);
  } else {
    p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  return p != nullptr ? p : throw std::bad_alloc();
}

// Whoever allocated it: what an execution took from the image may be released after the image was closed.
void give_back(void* p) noexcept { the_image.heap.holds(p) ? the_image.heap.give_back(p) : std::free(p); }

}  // namespace

namespace skua { inline namespace v0 { namespace explorer {

bool heap_is_in_image() noexcept { return true; }

}}}  // namespace skua::v0::explorer

// The other forms call these.
void* operator new(std::size_t bytes) { return take(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
