// SPDX-License-Identifier: MIT
#include "skua/openmp/work_share.hpp"

#include <algorithm>
#include <cstdlib>

#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/task.hpp"

namespace skua { inline namespace v0 { namespace openmp {

work_share::~work_share() { std::free(memory_); }

int work_share::enter(std::uint32_t construct) noexcept {
  std::uint64_t seen = word_.load(std::memory_order_acquire);  // acquire: the loop. Pairs with: open
  if (seen == construct * 4ull + opened) return 0;
  if (seen != construct * 4ull) return 2;
  // acquire: what the last construct left here. Pairs with: reset_for
  bool const begins = word_.compare_exchange_strong(seen, seen + beginning, std::memory_order_acquire);
  if (begins) return 1;
  return seen == construct * 4ull + opened ? 0 : 2;
}

// Relaxed where not said otherwise: a member that begins a construct writes before `open`, and the others read after `enter`.

void work_share::begin_sections(std::uint32_t count) noexcept {
  loop_ = {.start = 0, .end = count, .step = 1, .count = count};
  how_ = {.kind = loop_kind::dynamic, .chunk = 1, .is_monotonic = true};
  is_ordered_ = is_split_ = false;
  next_.store(0, std::memory_order_relaxed);
  is_cancelled_.store(false, std::memory_order_relaxed);
}

void work_share::begin_loop(counted_loop const& l, loop_schedule const& how, std::uint32_t members, bool is_ordered) {
  begin_sections(0);
  loop_ = l;
  how_ = how;
  members_ = members;
  is_ordered_ = is_ordered;
  turn_.store(0, std::memory_order_relaxed);
  if (how_.kind == loop_kind::automatic) {
    how_.chunk = static_cast<std::int64_t>(std::max<std::uint64_t>(1, l.count / (std::uint64_t{32} * members)));
  } else if (how_.kind != loop_kind::fixed && how_.chunk < 1) {
    how_.chunk = 1;
  }
  auto const chunk = static_cast<std::uint64_t>(how_.chunk);
  chunks_ = chunk == 0 ? members : l.count / chunk + (l.count % chunk != 0 ? 1 : 0);
  bool const may_split = how_.kind == loop_kind::automatic || (how_.kind == loop_kind::dynamic && !how_.is_monotonic);
  is_split_ = may_split && !is_ordered && members > 1 && chunks_ >= members && chunks_ < most_split;
  if (!is_split_) return;
  if (room_ < members) {
    split_ = std::make_unique<share_of_member[]>(members);
    room_ = members;
  }
  for (std::uint64_t m = 0; m < members; ++m) {
    std::uint64_t const first = chunks_ * m / members;
    std::uint64_t const end = chunks_ * (m + 1) / members;
    split_[m].range.store(end << 32 | first, std::memory_order_relaxed);
  }
}

void work_share::begin_doacross(std::uint32_t loops, std::uint64_t const* counts) {
  loops_ = loops;
  counts_ = std::make_unique<std::uint64_t[]>(loops);
  std::copy_n(counts, loops, counts_.get());
  posts_ = std::make_unique<std::atomic<std::uint64_t>[]>(counts[0]);
}

bool work_share::chunk_of(std::uint64_t chunk, piece& out) const noexcept {
  if (chunk >= chunks_) return false;
  auto const size = static_cast<std::uint64_t>(how_.chunk);
  out.first = chunk * size;
  out.last = loop_.count - out.first < size ? loop_.count : out.first + size;
  return true;
}

bool work_share::take_fixed(task& me, piece& out) const noexcept {
  std::uint64_t const trip = me.trips++;
  if (how_.chunk != 0) return chunk_of(trip * members_ + me.number, out);
  if (trip != 0) return false;
  std::uint64_t const each = loop_.count / members_;
  std::uint64_t const more = loop_.count % members_;
  out.first = me.number * each + std::min<std::uint64_t>(me.number, more);
  out.last = out.first + each + (me.number < more ? 1 : 0);
  return out.first != out.last;
}

bool work_share::take_counted(task&, piece& out) noexcept {
  if (next_.load(std::memory_order_relaxed) >= chunks_) return false;  // so it cannot wrap around
  return chunk_of(next_.fetch_add(1, std::memory_order_relaxed), out);
}

bool work_share::take_guided(task&, piece& out) noexcept {
  auto const least = static_cast<std::uint64_t>(how_.chunk);
  std::uint64_t first = next_.load(std::memory_order_relaxed);
  std::uint64_t size = 0;
  do {
    std::uint64_t const left = loop_.count - first;
    if (left == 0) return false;
    size = std::min(left, std::max(least, left / members_ + (left % members_ != 0 ? 1 : 0)));
  } while (!next_.compare_exchange_weak(first, first + size, std::memory_order_relaxed));
  out = {first, first + size};
  return true;
}

/// Each chunk leaves the ranges once, and no range comes back: so a compare-exchange that succeeds took what it read.
bool work_share::take_split(task& me, piece& out) noexcept {
  std::atomic<std::uint64_t>& mine = split_[me.number].range;
  std::uint64_t seen = mine.load(std::memory_order_relaxed);
  while ((seen & 0xffffffff) < seen >> 32) {
    if (mine.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed)) return chunk_of(seen & 0xffffffff, out);
  }
  for (std::uint32_t i = 1; i < members_; ++i) {
    std::atomic<std::uint64_t>& theirs = split_[(me.number + i) % members_].range;
    seen = theirs.load(std::memory_order_relaxed);
    for (;;) {
      std::uint64_t const first = seen & 0xffffffff;
      std::uint64_t const end = seen >> 32;
      if (first >= end) break;
      std::uint64_t const middle = first + (end - first) / 2;
      if (!theirs.compare_exchange_weak(seen, middle << 32 | first, std::memory_order_relaxed)) continue;
      mine.store(end << 32 | (middle + 1), std::memory_order_relaxed);
      return chunk_of(middle, out);
    }
  }
  return false;
}

bool work_share::take(task& me, piece& out) noexcept {
  if (is_ordered_ && me.ordered_first != me.ordered_last) end_turn(me);
  if (is_cancelled()) return false;
  bool got = false;
  if (is_split_) {
    got = take_split(me, out);
  } else {
    switch (how_.kind) {
      case loop_kind::fixed: got = take_fixed(me, out); break;
      case loop_kind::dynamic:
      case loop_kind::automatic: got = take_counted(me, out); break;
      case loop_kind::guided: got = take_guided(me, out); break;
    }
  }
  if (is_ordered_ && got) {
    me.ordered_first = out.first;
    me.ordered_last = out.last;
  }
  return got;
}

std::uint32_t work_share::take_section() noexcept {
  if (is_cancelled() || next_.load(std::memory_order_relaxed) >= loop_.count) return 0;
  std::uint64_t const s = next_.fetch_add(1, std::memory_order_relaxed);
  return s < loop_.count ? static_cast<std::uint32_t>(s + 1) : 0;
}

void work_share::await_turn(task& me) {
  if (!is_ordered_ || me.ordered_first == me.ordered_last) return;
  auto const is_mine = [&] {
    // acquire: what the iterations before did. Pairs with: end_turn
    return turn_.load(std::memory_order_acquire) == me.ordered_first || is_cancelled();
  };
  if (is_mine()) return;
  noted_wait const noted{me, construct::order};
  if (spin_until(is_mine)) return;
  kept_current const others_run;
  waits_.wait(is_mine);
}

void work_share::end_turn(task& me) noexcept {
  await_turn(me);
  turn_.store(me.ordered_last, std::memory_order_release);  // release: what our iterations did. Pairs with: await_turn
  me.ordered_first = me.ordered_last = 0;
  waits_.notify_all();
}

std::uint64_t work_share::flattened(std::uint64_t const* at) const noexcept {
  std::uint64_t index = 0;
  for (std::uint32_t l = 1; l < loops_; ++l) index = index * counts_[l] + at[l];
  return index;
}

void work_share::post(std::uint64_t const* at) noexcept {
  // release: what the iteration did. Pairs with: await_post
  posts_[at[0]].store(flattened(at) + 1, std::memory_order_release);
  waits_.notify_all();
}

void work_share::await_post(std::uint64_t const* at) {
  for (std::uint32_t l = 0; l < loops_; ++l) {
    if (at[l] >= counts_[l]) return;  // outside of the loops: nothing to wait for
  }
  std::uint64_t const wanted = flattened(at) + 1;
  auto const is_posted = [&] {
    return posts_[at[0]].load(std::memory_order_acquire) >= wanted;  // acquire: pairs with post
  };
  if (is_posted()) return;
  noted_wait const noted{current(), construct::order};
  if (spin_until(is_posted)) return;
  kept_current const others_run;
  waits_.wait(is_posted);
}

}}}  // namespace skua::v0::openmp
