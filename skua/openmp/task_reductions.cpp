// SPDX-License-Identifier: MIT
#include "skua/openmp/task_reductions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

namespace skua { inline namespace v0 { namespace openmp {

namespace {

enum word : std::size_t { number, bytes, copies, allocator, next, is_first, copies_end, variables };
constexpr std::size_t words_per_variable = 3;

std::uintptr_t* next_of(std::uintptr_t const* array) noexcept { return reinterpret_cast<std::uintptr_t*>(array[next]); }

struct variable {
  std::uintptr_t address;
  std::uintptr_t offset;
};
variable variable_of(std::uintptr_t const* array, std::size_t v) noexcept {
  std::uintptr_t const* const at = array + variables + v * words_per_variable;
  return {at[0], at[1]};
}

/// Where in a thread's copies this variable, or this copy, lies; false: it is not of this array.
bool find(std::uintptr_t const* array, std::uintptr_t address, variable& found) noexcept {
  if (address >= array[copies] && address < array[copies_end]) {
    found.offset = (address - array[copies]) % array[bytes];
    for (std::size_t v = 0; v < array[number]; ++v) {
      if (variable_of(array, v).offset == found.offset) found.address = variable_of(array, v).address;
    }
    return true;
  }
  for (std::size_t v = 0; v < array[number]; ++v) {
    found = variable_of(array, v);
    if (found.address == address) return true;
  }
  return false;
}

}  // namespace

void register_reductions(std::uintptr_t* arrays, std::uintptr_t* around, std::uintptr_t const* shared,
                         std::uint32_t threads) {
  for (std::uintptr_t* a = arrays;;) {
    if (shared != nullptr) {
      a[copies] = shared[copies];
      a[copies_end] = shared[copies_end];
      shared = next_of(shared);
    } else {
      std::size_t const alignment = std::max<std::size_t>(a[copies], sizeof(void*));
      std::size_t const size = (a[bytes] * threads + alignment - 1) / alignment * alignment;
      void* const made = std::aligned_alloc(alignment, size);
      if (made == nullptr) throw std::bad_alloc();
      std::memset(made, 0, size);
      a[copies] = reinterpret_cast<std::uintptr_t>(made);
      a[copies_end] = a[copies] + a[bytes] * threads;
    }
    a[is_first] = a == arrays ? 1 : 0;
    if (a[next] == 0) {
      a[next] = reinterpret_cast<std::uintptr_t>(around);
      return;
    }
    a = next_of(a);
  }
}

void free_reductions(std::uintptr_t* arrays) noexcept {
  std::uintptr_t* a = arrays;
  do {
    std::free(reinterpret_cast<void*>(a[copies]));
    a = next_of(a);
  } while (a != nullptr && a[is_first] == 0);
}

bool find_copies(std::uintptr_t const* arrays, std::uint32_t thread, std::size_t count, std::size_t originals,
                 void** wanted) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    auto const address = reinterpret_cast<std::uintptr_t>(wanted[i]);
    std::uintptr_t const* a = arrays;
    variable found{};
    while (a != nullptr && !find(a, address, found)) a = next_of(a);
    if (a == nullptr) return false;
    wanted[i] = reinterpret_cast<void*>(a[copies] + thread * a[bytes] + found.offset);
    if (i < originals) wanted[count + i] = reinterpret_cast<void*>(found.address);
  }
  return true;
}

}}}  // namespace skua::v0::openmp
