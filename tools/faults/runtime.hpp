// SPDX-License-Identifier: MIT
// What the sources that tools/fault_rules.py has rewritten call. Every fault is compiled; FAULT=NUMBER chooses the one that
// happens, and no number is 0. FAULT_REACHED=FILE marks in FILE, a byte for each number, which of them the process came to:
// a shared mapping, so that children, crashes and _exit lose nothing. Included before all else by the compiler's -include.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace planted {

inline unsigned read_chosen() noexcept {
  char const* const given = std::getenv("FAULT");
  return given == nullptr ? 0 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

inline unsigned char* map_reached() noexcept {
  char const* const name = std::getenv("FAULT_REACHED");
  int const file = name == nullptr ? -1 : ::open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat about {};
  void* const all = ::fstat(file, &about) == 0 && about.st_size > 0
                        ? ::mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                        : MAP_FAILED;
  ::close(file);
  return all == MAP_FAILED ? nullptr : static_cast<unsigned char*>(all);
}

inline unsigned const chosen = read_chosen();
inline unsigned char* const reached = map_reached();

/// Is it `id` that happens? Never in what the compiler evaluates.
constexpr bool fault(unsigned id) noexcept {
  if (__builtin_is_constant_evaluated()) return false;
  if (reached != nullptr) [[unlikely]]
    reached[id] = 1;
  return chosen == id;
}

constexpr std::memory_order order(unsigned id, std::memory_order given) noexcept {
  return fault(id) ? std::memory_order_relaxed : given;
}

// Borders: each takes the equal case in, or leaves it out.
template <class A, class B>
constexpr bool less(unsigned id, A const& a, B const& b) {
  return fault(id) ? a <= b : a < b;
}
template <class A, class B>
constexpr bool less_equal(unsigned id, A const& a, B const& b) {
  return fault(id) ? a < b : a <= b;
}
template <class A, class B>
constexpr bool greater(unsigned id, A const& a, B const& b) {
  return fault(id) ? a >= b : a > b;
}
template <class A, class B>
constexpr bool greater_equal(unsigned id, A const& a, B const& b) {
  return fault(id) ? a > b : a >= b;
}

/// Which statement is the `step`-th: each of `pairs` exchanges one with the next.
constexpr unsigned turn(unsigned step, std::initializer_list<unsigned> pairs) noexcept {
  unsigned first = 0;
  for (unsigned const id : pairs) {
    if (fault(id) && (step == first || step == first + 1)) return 2 * first + 1 - step;
    ++first;
  }
  return step;
}

/// std::exchange that keeps what it should reset.
template <class T, class U = T>
constexpr T exchange(unsigned id, T& object, U&& value) {
  if constexpr (std::is_copy_constructible_v<T>) {
    if (fault(id)) return object;
  }
  return std::exchange(object, std::forward<U>(value));
}

}  // namespace planted
