// SPDX-License-Identifier: MIT
// The future events on simulated ranks. Events of the same time come in the order in which they were added.
//
// Most events are messages, due in microseconds, and there are hundreds of millions of them. So the next milliseconds
// lie in buckets, each sorted when its time comes; later events (the ends of tasks) lie in a heap. So do those that come
// into the bucket of now: where all ranks send at once, there are as many as ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Fetches an object of this size into the caches; any address will do.
template <class T>
void fetch_early(T const& object) noexcept {
  constexpr std::size_t line = 64;
  auto const* const at = reinterpret_cast<std::byte const*>(&object);
  for (std::size_t offset = 0; offset < sizeof(T); offset += line) __builtin_prefetch(at + offset);
}

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
    for (entry const& e : new_today_) drop(e.payload);
    for (auto& page : ring_) {
      for (entry const& e : page) drop(e.payload);
      page.clear();
    }
    for (entry const& e : later_) drop(e.payload);
    today_.clear();
    new_today_.clear();
    later_.clear();
    count_ = in_buckets_ = 0;
  }

  /// The payload of the n-th of the next events, or none if it is further away than this bucket; events that are added before it shift
  /// it. Thousands of ranks do not fit into a cache, so what an event needs is fetched before its time.
  [[nodiscard]] std::optional<std::uint32_t> ahead(std::size_t n) const noexcept {
    if (n >= today_.size()) return std::nullopt;
    return today_[today_.size() - 1 - n].payload;
  }

  /// Precondition: the calendar is not empty.
  [[nodiscard]] due take() {
    while (today_.empty() && new_today_.empty()) turn_page();
    bool const is_new = today_.empty() || (!new_today_.empty() && after(today_.back(), new_today_.front()));
    if (is_new) std::ranges::pop_heap(new_today_, after);
    std::vector<entry>& from = is_new ? new_today_ : today_;
    entry const e = from.back();
    from.pop_back();
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

  void add_to_current(entry const& e) {
    new_today_.push_back(e);
    std::ranges::push_heap(new_today_, after);
  }

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

  std::vector<entry> today_;      ///< the current bucket when it became that, the earliest at the back
  std::vector<entry> new_today_;  ///< came since: a heap, the earliest in front
  std::array<std::vector<entry>, buckets> ring_;
  std::vector<entry> later_;
  std::uint64_t current_ = 0;
  std::uint64_t now_ns_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t in_buckets_ = 0;
  std::uint32_t sequence_ = 0;
};

}}}  // namespace skua::v0::ranks
