// SPDX-License-Identifier: MIT
// What will happen on simulated ranks, and when. Equal times: in the order in which they were added.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace skua::inline v0::ranks {

/// A heap of four children to a node: half as deep as a binary one, and its children share a cache line or two.
class rank_calendar {
 public:
  struct entry {
    std::uint64_t at_ns;
    std::uint64_t what;  ///< the caller's: sequence in the upper half, payload in the lower
  };

  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return heap_.size(); }

  void add(std::uint64_t at_ns, std::uint32_t payload) {
    heap_.push_back({});
    sift_up(heap_.size() - 1, {at_ns, std::uint64_t{sequence_++} << 32 | payload});
  }

  struct due {
    std::uint64_t at_ns;
    std::uint32_t payload;
  };
  [[nodiscard]] due take() {
    entry const first = heap_.front();
    entry const last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return {first.at_ns, static_cast<std::uint32_t>(first.what)};
  }

 private:
  /// Sequences wrap after 2^32 events, and are compared as distances: no two that wait are further apart than 2^31.
  static bool earlier(entry const& a, entry const& b) noexcept {
    if (a.at_ns != b.at_ns) return a.at_ns < b.at_ns;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a.what >> 32) -
                                     static_cast<std::uint32_t>(b.what >> 32)) < 0;
  }

  void sift_up(std::size_t at, entry e) noexcept {
    while (at > 0) {
      std::size_t const parent = (at - 1) / 4;
      if (!earlier(e, heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = e;
  }

  void sift_down(entry e) noexcept {
    std::size_t at = 0;
    while (true) {
      std::size_t const first = 4 * at + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      for (std::size_t c = first + 1; c < std::min(first + 4, heap_.size()); ++c) {
        if (earlier(heap_[c], heap_[least])) least = c;
      }
      if (!earlier(heap_[least], e)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = e;
  }

  std::vector<entry> heap_;
  std::uint32_t sequence_ = 0;
};

}  // namespace skua::inline v0::ranks
