// SPDX-License-Identifier: MIT
// What the search comes back to: the image and the threads' stacks at the branches of the path that it explores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "tests/explorer/cell.hpp"
#include "tests/explorer/clocks.hpp"
#include "tests/explorer/execution.hpp"
#include "tests/explorer/fiber.hpp"
#include "tests/explorer/image.hpp"

namespace skua { inline namespace v0 { namespace explorer {

/// One for each branch, the first one lowest. All fibers are suspended when one is taken or restored.
class snapshots {
 public:
  explicit snapshots(std::deque<fiber>& fibers) : fibers_(fibers) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void push(execution const& now) {
    if (size_ == all_.size()) all_.emplace_back();
    all_[size_++].take(fibers_, now);
  }
  /// Forgets those from number n on.
  void keep(std::size_t n) noexcept { size_ = n; }
  /// Restores number n, and forgets those above it.
  void restore(std::size_t n) noexcept {
    keep(n + 1);
    all_[n].restore(fibers_);
  }

 private:
  class snapshot {
   public:
    void take(std::deque<fiber> const& fibers, execution const& now) {
      memory_ = the_image.memory.in_use();
      heap_ = the_image.heap.in_use();
      std::size_t bytes = memory_.used + heap_.used;
      for (std::size_t i = 0; i < fibers.size(); ++i) {
        moments_[i] = fibers[i].now();
        for (auto const& t : now.threads) keep_targets(t.stores, fibers[i], moments_[i]);
        bytes += fibers[i].kept(moments_[i]);
      }
      if (bytes > room_) {
        room_ = bytes + bytes / 2;
        bytes_ = std::make_unique_for_overwrite<std::byte[]>(room_);
      }
      std::byte* to = bytes_.get();
      the_image.memory.save(to);
      the_image.heap.save(to += memory_.used);
      to += heap_.used;
      for (std::size_t i = 0; i < fibers.size(); ++i) {
        fibers[i].save(moments_[i], to);
        to += fibers[i].kept(moments_[i]);
      }
    }
    void restore(std::deque<fiber>& fibers) const noexcept {
      std::byte const* from = bytes_.get();
      the_image.memory.restore(memory_, from);
      the_image.heap.restore(heap_, from += memory_.used);
      from += heap_.used;
      for (std::size_t i = 0; i < fibers.size(); ++i) {
        fibers[i].restore(moments_[i], from);
        from += fibers[i].kept(moments_[i]);
      }
    }

   private:
    // A store may reach a word on a stack after the function that had it has returned.
    static void keep_targets(std::vector<buffered> const& stores, fiber const& in, fiber::moment& m) noexcept {
      for (auto const& s : stores) {
        if (in.has(s.where)) m.from = std::min(m.from, reinterpret_cast<std::byte*>(s.where));
      }
    }

    decltype(the_image.memory)::extent memory_;
    decltype(the_image.heap)::extent heap_;
    fiber::moment moments_[vector_clock::threads_max] = {};
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t room_ = 0;
  };

  std::deque<fiber>& fibers_;
  std::vector<snapshot> all_;  // those beyond the size keep their memory for the next ones
  std::size_t size_ = 0;
};

}}}  // namespace skua::v0::explorer
