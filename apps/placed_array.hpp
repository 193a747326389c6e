// SPDX-License-Identifier: MIT
// The memory of an app, which can be moved to the places that own it [numa-ws-2018 III-A]: ordinary memory, until a
// pool with several places on several NUMA nodes asks for pages of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/machine/threads/face/distribute.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/memory/page_array.hpp"
#include "skua/parts/memory/shares.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::apps {

/// An array of elements of any type that can be moved to places.
class placed_memory {
 public:
  virtual ~placed_memory() = default;
  [[nodiscard]] virtual std::span<std::byte const> bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t element_bytes() const noexcept = 0;

  /// Moves the elements to pages that lie where `shares` says; the shares cover the elements in order.
  /// Does nothing where that is pointless. Afterwards bytes() has changed. Throws resource_error if there
  /// is no memory. Work O(elements).
  virtual distribution distribute(std::span<memory::share const> shares, layout const& map) = 0;

  /// The nodes of the places (memory::homes_of) that the elements were last moved to; empty: they were not.
  [[nodiscard]] std::vector<memory::numa_id> const& homes() const noexcept { return homes_; }

 protected:
  placed_memory() = default;
  placed_memory(placed_memory&&) noexcept = default;
  placed_memory& operator=(placed_memory&&) noexcept = default;

  std::vector<memory::numa_id> homes_;
};

/// Begins on a cache line. Elements are not initialised. Movable, not copyable; empty after a move.
template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class placed_array final : public placed_memory {
 public:
  placed_array() = default;
  /// Throws std::bad_alloc.
  explicit placed_array(std::size_t elements)
      : anywhere_(static_cast<T*>(::operator new(elements * sizeof(T), std::align_val_t{runtime::cache_line_bytes}))),
        elements_(anywhere_.get(), elements) {}
  /// A copy of these. Throws std::bad_alloc.
  explicit placed_array(std::span<T const> elements) : placed_array(elements.size()) {
    std::ranges::copy(elements, elements_.begin());
  }
  placed_array(placed_array&& other) noexcept
      : placed_memory(std::move(other)), anywhere_(std::move(other.anywhere_)), pages_(std::move(other.pages_)),
        elements_(std::exchange(other.elements_, {})) {}
  placed_array& operator=(placed_array&& other) noexcept {
    placed_memory::operator=(std::move(other));
    anywhere_ = std::move(other.anywhere_);
    pages_ = std::move(other.pages_);
    elements_ = std::exchange(other.elements_, {});
    return *this;
  }
  ~placed_array() override = default;

  [[nodiscard]] T* data() const noexcept { return elements_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
  [[nodiscard]] bool empty() const noexcept { return elements_.empty(); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return elements_[i]; }
  [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }

  [[nodiscard]] std::span<std::byte const> bytes() const noexcept override { return std::as_bytes(elements_); }
  [[nodiscard]] std::size_t element_bytes() const noexcept override { return sizeof(T); }
  distribution distribute(std::span<memory::share const> shares, layout const& map) override {
    std::string why = runtime::why_distribution_is_pointless(map);
    if (elements_.empty() || !why.empty()) return {memory::distribution_method::pointless, std::move(why)};
    page_array<T> pages(elements_.size());
    distribution how = skua::distribute(pages, shares, map);
    std::ranges::copy(elements_, pages.begin());
    elements_ = pages.elements();
    pages_ = std::move(pages);
    anywhere_.reset();
    homes_ = memory::homes_of(map);
    return how;
  }

 private:
  struct release {
    void operator()(T* p) const noexcept { ::operator delete(p, std::align_val_t{runtime::cache_line_bytes}); }
  };

  std::unique_ptr<T, release> anywhere_;
  std::optional<page_array<T>> pages_;  ///< replaces anywhere_ once the array was distributed
  std::span<T> elements_;
};

}  // namespace skua::apps
