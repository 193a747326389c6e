// SPDX-License-Identifier: MIT
// A large array of numbers, all zero at first, that threads read and write without any order between them: statistics,
// estimates, hints. Parts that no thread touches take no memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

template <class T>
  requires std::is_arithmetic_v<T>
class relaxed_array {
 public:
  /// Throws std::bad_alloc.
  explicit relaxed_array(std::size_t size) : size_(size), all_(static_cast<T*>(std::calloc(size, sizeof(T)))) {
    if (!all_ && size > 0) throw std::bad_alloc{};
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // relaxed: see the top.
  [[nodiscard]] T get(std::size_t i) const noexcept {
    return std::atomic_ref(all_.get()[i]).load(std::memory_order_relaxed);
  }
  void set(std::size_t i, T value) noexcept { std::atomic_ref(all_.get()[i]).store(value, std::memory_order_relaxed); }

 private:
  struct frees {
    void operator()(T* p) const noexcept { std::free(p); }
  };
  std::size_t size_;
  std::unique_ptr<T, frees> all_;  // calloc: fresh pages are zero and stay unmapped until they are written
};

}}}  // namespace skua::v0::runtime
