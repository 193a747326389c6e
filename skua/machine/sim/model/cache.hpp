// SPDX-License-Identifier: MIT
// A cache as a list of blocks in order of last use, each with masks of the lines that are present and of those that are
// dirty. A block is up to 64 neighbouring lines, found with one look-up. Capacity counts lines, so a cache full of
// narrow columns holds as much as one full of whole blocks. There is no associativity, hence no conflict misses.
//
// A core's private cache also knows which of its lines the first-level cache has. That cache has an order of last use,
// too, and each use of a line counts for both: so it holds the lines that were used last, as far as they fit, and needs
// no list of its own, only a mask per entry and the oldest entry of the list that may have such lines. The masks are beside
// the entries: other caches have none, and an entry stays within a cache line of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace sim {

using block_id = std::uint32_t;
/// Lines of one block, one bit each.
using line_set = std::uint64_t;

/// std::popcount is a function call on the oldest processors of this architecture; this is inline.
constexpr std::uint32_t count_lines(line_set s) noexcept {
  s -= (s >> 1) & 0x5555'5555'5555'5555ULL;
  s = (s & 0x3333'3333'3333'3333ULL) + ((s >> 2) & 0x3333'3333'3333'3333ULL);
  s = (s + (s >> 4)) & 0x0f0f'0f0f'0f0f'0f0fULL;
  return static_cast<std::uint32_t>((s * 0x0101'0101'0101'0101ULL) >> 56);
}
static_assert(count_lines(0) == 0 && count_lines(~0ULL) == 64 && count_lines(0x8000'0000'0000'0001ULL) == 2);

/// Invariants: (some) an entry has at least one line; (written) dirty lines are present; (counted) `lines()` and
/// `near_lines()` are sums over the entries; (inside) near lines are present, and no entry older than oldest_near_ has
/// any.
class cache {
 public:
  struct alignas(32) entry {
    block_id block = 0;
    std::uint32_t newer = none;
    std::uint32_t older = none;
    std::uint32_t next = none;  ///< in the same bucket of the index
    line_set present = 0;
    line_set dirty = 0;
  };
  static_assert(sizeof(entry) == 32);

  explicit cache(std::uint64_t capacity_lines, std::uint64_t first_level_lines = 0)
      : capacity_(capacity_lines), near_capacity_(first_level_lines), buckets_(std::size_t{1} << initial_bits, none) {
    runtime::expects(capacity_lines > 64, "cache: more than one block");
  }

  /// nullptr: not present. The order stays as it is. Pointers are valid until the next `add`.
  [[nodiscard]] entry* find(block_id block) noexcept {
    for (std::uint32_t slot = buckets_[bucket_of(block)]; slot != none; slot = entries_[slot].next) {
      if (entries_[slot].block == block) return &entries_[slot];
    }
    return nullptr;
  }

  /// Makes the entry the newest.
  void refresh(entry& e) noexcept {
    if (e.newer == none) return;
    std::uint32_t const slot = slot_of(e);
    unlink(e, slot);
    push_newest(slot);
  }

  /// Adds these lines of a block, and makes it the newest. `found` is the answer of find(block).
  entry& add(block_id block, entry* found, line_set lines, line_set dirty) {
    return add(block, found, lines, dirty, count_lines(found == nullptr ? lines : lines & ~found->present));
  }
  /// The same, if it is known how many of the lines are not present.
  entry& add(block_id block, entry* found, line_set lines, line_set dirty, std::uint32_t count) {
    entry& e = found == nullptr ? make(block) : *found;
    if (found != nullptr) refresh(e);
    lines_ += count;
    e.present |= lines;
    e.dirty |= dirty;
    return e;
  }
  entry& add(block_id block, line_set lines, line_set dirty) { return add(block, find(block), lines, dirty); }

  /// Which lines of the entry are in the first-level cache, too.
  [[nodiscard]] line_set near(entry const& e) const noexcept { return near_.empty() ? 0 : near_[slot_of(e)]; }

  /// Brings these lines of the newest entry, which are present and not near, into the first-level cache, and drops the
  /// blocks that were used longest ago from it until the others fit. `count` is their number. Precondition: that cache
  /// holds a block or more.
  void bring_near(line_set lines, std::uint32_t count) noexcept {
    if (oldest_near_ == none) oldest_near_ = newest_;
    near_lines_ += count;
    near_[newest_] |= lines;
    while (near_lines_ > near_capacity_) {
      near_lines_ -= count_lines(std::exchange(near_[oldest_near_], 0));
      oldest_near_ = entries_[oldest_near_].newer;
    }
  }

  /// Removes these lines. True: the entry is gone, too.
  bool remove(entry& e, line_set lines) noexcept {
    lines_ -= count_lines(lines & e.present);
    drop_near(e, lines);
    e.present &= ~lines;
    e.dirty &= ~lines;
    if (e.present != 0) return false;
    erase(e);
    return true;
  }

  /// The cache holds more lines than fit.
  [[nodiscard]] bool over() const noexcept { return lines_ > capacity_; }
  /// Precondition: the cache is not empty.
  entry take_oldest() noexcept {
    entry const gone = entries_[oldest_];
    lines_ -= count_lines(gone.present);
    drop_near(entries_[oldest_], gone.present);
    erase(entries_[oldest_]);
    return gone;
  }

  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  /// Lines in the first-level cache.
  [[nodiscard]] std::uint64_t near_lines() const noexcept { return near_lines_; }
  /// 0: there is no first-level cache.
  [[nodiscard]] std::uint64_t near_capacity() const noexcept { return near_capacity_; }

  /// Calls visit(entry const&) from the newest to the oldest entry.
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t s = newest_; s != none; s = entries_[s].older) visit(entries_[s]);
  }

 private:
  static constexpr std::uint32_t none = 0xffff'ffffU;
  static constexpr std::uint32_t initial_bits = 8;

  /// Chains are short: there are at least twice as many buckets as entries, and the hash scatters neighbouring blocks.
  [[nodiscard]] std::size_t bucket_of(block_id block) const noexcept { return (block * 0x9e37'79b9U) >> (32 - bits_); }
  [[nodiscard]] std::uint32_t slot_of(entry const& e) const noexcept {
    return static_cast<std::uint32_t>(&e - entries_.data());
  }

  entry& make(block_id block) {
    std::uint32_t slot = free_;
    if (slot != none) {
      free_ = entries_[slot].older;
    } else {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
      if (near_capacity_ != 0) near_.push_back(0);
      if (entries_.size() * 2 > buckets_.size()) grow();
    }
    entries_[slot] = {.block = block};
    chain(slot);
    push_newest(slot);
    return entries_[slot];
  }

  void drop_near(entry const& e, line_set lines) noexcept {
    if (near_.empty()) return;
    line_set& near = near_[slot_of(e)];
    if ((near & lines) == 0) return;
    near_lines_ -= count_lines(near & lines);
    near &= ~lines;
  }

  void chain(std::uint32_t slot) noexcept {
    std::uint32_t& first = buckets_[bucket_of(entries_[slot].block)];
    entries_[slot].next = first;
    first = slot;
  }

  void grow() {
    ++bits_;
    buckets_.assign(std::size_t{1} << bits_, none);
    for (std::uint32_t s = newest_; s != none; s = entries_[s].older) chain(s);
  }

  void erase(entry& e) noexcept {
    std::uint32_t const slot = slot_of(e);
    std::uint32_t* at = &buckets_[bucket_of(e.block)];
    while (*at != slot) at = &entries_[*at].next;
    *at = e.next;
    unlink(e, slot);
    e.older = free_;
    free_ = slot;
  }

  void unlink(entry& e, std::uint32_t slot) noexcept {
    if (slot == oldest_near_) oldest_near_ = e.newer;
    (e.newer == none ? newest_ : entries_[e.newer].older) = e.older;
    (e.older == none ? oldest_ : entries_[e.older].newer) = e.newer;
  }
  void push_newest(std::uint32_t slot) noexcept {
    entries_[slot].newer = none;
    entries_[slot].older = newest_;
    (newest_ == none ? oldest_ : entries_[newest_].newer) = slot;
    newest_ = slot;
  }

  std::uint64_t capacity_;
  std::uint64_t lines_ = 0;
  std::uint64_t near_capacity_;
  std::uint64_t near_lines_ = 0;
  std::uint32_t newest_ = none;
  std::uint32_t oldest_ = none;
  std::uint32_t oldest_near_ = none;  ///< none: no entry has near lines
  std::uint32_t free_ = none;         ///< unused slots, linked by `older`
  std::vector<entry> entries_;
  std::vector<line_set> near_;  ///< by slot: the lines that are in the first-level cache, too; empty if there is none
  std::uint32_t bits_ = initial_bits;
  std::vector<std::uint32_t> buckets_;  ///< the first slot of each chain
};

}}}  // namespace skua::v0::sim
