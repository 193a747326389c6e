// SPDX-License-Identifier: MIT
// The future events on simulated ranks. Events of the same time come in the order in which they were added.
//
// Most events are messages, due in microseconds, and there are hundreds of millions of them. So the next milliseconds
// lie in buckets, each sorted when its time comes; only later events (the ends of tasks) lie in a heap.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class rank_calendar {
 public:
  struct due {
    std::uint64_t at_ns;
    std::uint32_t payload;
  };

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }

  /// Adds an event, not before the one that was taken last.
  void add(std::uint64_t at_ns, std::uint32_t payload) {
    runtime::expects(at_ns >= now_ns_, "nothing is due in the past");
    ++count_;
    entry const e{at_ns, sequence_++, payload};
    std::uint64_t const bucket = at_ns >> bucket_shift;
    if (bucket == current_) return add_to_current(e);
    if (bucket - current_ < buckets) {
      ++in_buckets_;
      ring_[bucket % buckets].push_back(e);
      return;
    }
    later_.push_back(e);
    std::ranges::push_heap(later_, after);
  }

  /// Forgets the future events: calls drop(payload) for each.
  template <class F>
  void clear(F drop) {
    for (entry const& e : today_) drop(e.payload);
    for (auto& page : ring_) {
      for (entry const& e : page) drop(e.payload);
      page.clear();
    }
    for (entry const& e : later_) drop(e.payload);
    today_.clear();
    later_.clear();
    count_ = in_buckets_ = 0;
  }

  /// Precondition: the calendar is not empty.
  [[nodiscard]] due take() {
    while (today_.empty()) turn_page();
    entry const e = today_.back();
    today_.pop_back();
    --count_;
    now_ns_ = e.at_ns;
    return {e.at_ns, e.payload};
  }

 private:
  static constexpr unsigned bucket_shift = 10;       ///< about a microsecond
  static constexpr std::uint64_t buckets = 1 << 12;  ///< four milliseconds

  struct entry {
    std::uint64_t at_ns;
    std::uint32_t sequence;
    std::uint32_t payload;
  };

  /// Sequence numbers wrap, and are compared by their distance: any two waiting events are less than 2^31 apart.
  static bool after(entry const& a, entry const& b) noexcept {
    if (a.at_ns != b.at_ns) return a.at_ns > b.at_ns;
    return static_cast<std::int32_t>(a.sequence - b.sequence) > 0;
  }

  void add_to_current(entry const& e) { today_.insert(std::ranges::upper_bound(today_, e, after), e); }

  /// Makes the next non-empty bucket the current one.
  void turn_page() {
    if (in_buckets_ == 0) {
      current_ = later_.front().at_ns >> bucket_shift;
    } else {
      ++current_;
    }
    std::vector<entry>& page = ring_[current_ % buckets];
    in_buckets_ -= page.size();
    today_.swap(page);
    while (!later_.empty() && later_.front().at_ns >> bucket_shift <= current_) {
      today_.push_back(later_.front());
      std::ranges::pop_heap(later_, after);
      later_.pop_back();
    }
    std::ranges::sort(today_, after);
  }

  std::vector<entry> today_;  ///< the current bucket, the earliest at the back
  std::array<std::vector<entry>, buckets> ring_;
  std::vector<entry> later_;
  std::uint64_t current_ = 0;
  std::uint64_t now_ns_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t in_buckets_ = 0;
  std::uint32_t sequence_ = 0;
};

}}}  // namespace skua::v0::ranks
