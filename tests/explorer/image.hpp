// SPDX-License-Identifier: MIT
// All that an execution of a model program can change, in one piece of memory that a snapshot copies: the state of its
// threads and of modelled memory, the script, and what the script allocates. The threads' stacks are not in it (fiber.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <utility>

namespace skua { inline namespace v0 { namespace explorer {

/// True where global operator new takes memory from the image while that is open, and everything that an execution
/// allocates is in it. The sanitizers replace operator new themselves: CMake links heap_as_usual.cpp there.
bool heap_is_in_image() noexcept;

/// Hands out the same addresses in the same order after each `clear`.
template <std::size_t Bytes>
class piece {
 public:
  /// Of a page: no type asks for more.
  static constexpr std::size_t largest_alignment = 4096;

  /// How much of it is in use.
  struct extent {
    std::size_t used = 0;
    std::size_t newest = 0;  ///< where the part begins that was handed out last
  };

  void clear() noexcept { extent_ = {}; }
  [[nodiscard]] extent const& in_use() const noexcept { return extent_; }
  [[nodiscard]] bool holds(void const* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(bytes_) < Bytes;
  }
  /// Null if it is full, or cannot be aligned so.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment) noexcept {
    std::size_t const at = (extent_.used + alignment - 1) / alignment * alignment;
    if (alignment > largest_alignment || bytes > Bytes || at > Bytes - bytes) return nullptr;
    extent_ = {.used = at + (bytes == 0 ? 1 : bytes), .newest = at};
    return bytes_ + at;
  }
  /// Only what was handed out last comes back.
  void give_back(void const* p) noexcept {
    if (p == bytes_ + extent_.newest) extent_.used = extent_.newest;
  }

  void save(std::byte* to) const noexcept { std::memcpy(to, bytes_, extent_.used); }
  void restore(extent const& used, std::byte const* from) noexcept {
    extent_ = used;
    std::memcpy(bytes_, from, used.used);
  }

 private:
  extent extent_;
  alignas(largest_alignment) std::byte bytes_[Bytes] = {};
};

/// What model atomics live in has addresses of its own, which do not depend on what else was allocated before: states
/// that differ only in addresses would be told apart.
struct image {
  piece<std::size_t{1} << 20> memory;  ///< explorer::memory(), and the script
  piece<std::size_t{3} << 20> heap;    ///< the state of the execution, and what operator new hands out

  void clear() noexcept {
    memory.clear();
    heap.clear();
  }
  /// While it is open, operator new takes memory from it.
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// Opens or closes it; says what it was.
  bool open(bool yes) noexcept { return std::exchange(open_, yes); }

 private:
  bool open_ = false;
};

/// One for all: an execution runs to its end, or to a snapshot, before another one begins.
inline constinit image the_image;

/// Opens or closes the image for a scope.
class image_is {
 public:
  explicit image_is(bool open) noexcept : before_(the_image.open(open)) {}
  ~image_is() { the_image.open(before_); }
  image_is(image_is const&) = delete;
  image_is& operator=(image_is const&) = delete;

 private:
  bool before_;
};

/// The image's memory, whether the image is open or not.
class image_resource final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const p = the_image.memory.take(bytes, alignment);
    return p != nullptr ? p : throw std::bad_alloc();
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override { return this == &other; }
};

}}}  // namespace skua::v0::explorer
