// SPDX-License-Identifier: MIT
// Objects that a std::shared_ptr counts, in a library which ThreadSanitizer does not see under a program which it sees.
//
// TSan does not see the count where the library releases it. It sees what the program's inlined functions do with the object, and that the last
// owner frees it, and takes the two for a race. (The function that releases a std::shared_ptr is the same for all types, so the linker
// may even take the program's for some of the library's calls; then TSan sees one thread decrement the count and another one free it.)
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/parts/base/sanitizers.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// An allocator whose objects TSan does not see end, because it has not seen all that orders their end after their use. In an instrumented
/// library it sees both.
template <class T>
struct counted_memory {
  using value_type = T;

  counted_memory() = default;
  template <class U>
  explicit(false) counted_memory(counted_memory<U> const&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) noexcept {
    unseen_end([&] { std::allocator<T>().deallocate(p, n); });
  }
  template <class U>
  void destroy(U* p) noexcept {
    unseen_end([p] { std::destroy_at(p); });
  }

  friend bool operator==(counted_memory const&, counted_memory const&) noexcept { return true; }

 private:
  template <class F>
  static void unseen_end(F f) noexcept {
    if constexpr (under_tsan) {
      f();
    } else {
      tsan::unseen const not_all_of_it;
      f();
    }
  }
};

/// As std::make_shared.
template <class T, class... Arguments>
[[nodiscard]] std::shared_ptr<T> make_counted(Arguments&&... arguments) {
  return std::allocate_shared<T>(counted_memory<std::remove_const_t<T>>(), std::forward<Arguments>(arguments)...);
}

}}}  // namespace skua::v0::runtime
