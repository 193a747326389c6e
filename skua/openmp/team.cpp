// SPDX-License-Identifier: MIT
#include "skua/openmp/team.hpp"

#include "skua/openmp/construct_trace.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

/// Of a region that begins: no member runs, and those who will begin after it.
template <class T>
void clear(std::atomic<T>& word, T value) noexcept {
  if (word.load(std::memory_order_relaxed) != value) word.store(value, std::memory_order_relaxed);  // relaxed: as said
}

}  // namespace

team::team(std::uint32_t room) : room_(room) {}

void team::begin(task& creator, std::uint32_t size, outlined code) {
  size_ = size;
  code_ = code;
  creator_ = &creator;
  is_in_share_ = false;
  reductions_ = nullptr;
  level_ = creator.level + 1;
  if (is_traced_) [[unlikely]]
    traced_ = next_traced_number();
  active_level_ = creator.active_level + (size > 1 ? 1 : 0);
  // A line that members of the last region have read or written is theirs: a store to it costs as much as the call of a member.
  clear(arrived_, 0U);
  clear(singles_, 0U);
  clear(has_tasks_, false);
  clear(is_cancelled_, false);
  clear(cancelled_static_loop_, no_loop);
  if (has_shares_.load(std::memory_order_relaxed)) {
    for (std::uint32_t s = 0; s < shares_kept; ++s) shares_[s].reset(s);
    has_shares_.store(false, std::memory_order_relaxed);
  }
  begins_with_more_ = start_.plan(creator, size, code.flags & 7, is_nested_) || traced_ != 0;
}

void team::begin_member(task& mine, std::uint32_t m) {
  mine.team = this;
  mine.number = m;
  mine.level = level_;
  mine.active_level = active_level_;
  mine.parent = creator_;
  mine.children.reductions = reductions_;
  if (is_in_share_) {
    mine.constructs = 1;
    mine.share = &shares_[0];
  }
  mine.inherit(*creator_);
  settings const& s = the_settings();
  if (s.threads_of_level.size() > level_ && mine.variables->threads != s.threads_of_level[level_])
    mine.writable().threads = s.threads_of_level[level_];
  if (begins_with_more_) [[unlikely]]
    start_.set_variables(mine);
}

void team::run_member(std::uint32_t m) noexcept {
  task mine{inherits};
  begin_member(mine, m);
  {
    running const now{mine};
    if (begins_with_more_) [[unlikely]] {
      start_.begin(m);
      if (traced_ != 0) return run_traced(mine);
    }
    code_.function(code_.data);
    wait_for_children(mine);
  }
}

void team::run_traced(task& mine) noexcept {
  traced_task noted{.id = traced(mine.number)};
  mine.traced = &noted;
  auto const* const code = reinterpret_cast<void const*>(code_.function);
  construct_note const region{.what = construct::parallel,
                              .id = noted.id,
                              .members = size_,
                              .code = code,
                              .value = std::uint64_t{level_} << 32 | mine.number};
  note_began(region);
  if (is_in_share_) note_share(mine, first_share_, code);
  code_.function(code_.data);
  wait_for_children(mine);
  note_ended({.what = construct::parallel, .id = noted.id});
}

void team::meet(task& me, bool may_end_early) noexcept {
  wait_for_children(me);
  if (size_ == 1) return;
  std::uint32_t const now = generation_.load(std::memory_order_relaxed);  // relaxed: it cannot change before we arrive
  // acq_rel: what this member did, and, for the last one, what all did
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);           // relaxed: generation_ orders
    generation_.store(now + 1, std::memory_order_release);  // release: what all did. Pairs with: is_open
    ring();
    return;
  }
  auto const is_open = [&] {
    // acquire: what all members did. Pairs with: the store above
    return generation_.load(std::memory_order_acquire) != now || (may_end_early && is_cancelled());
  };
  noted_wait const noted{me, construct::barrier};
  wait_until(is_open);
}

bool team::barrier_or_cancel(task& me) noexcept {
  if (is_cancelled()) return true;
  meet(me, true);
  return is_cancelled();
}

work_share& team::enter_share(task& me, bool& is_first) noexcept {
  std::uint32_t const construct = me.constructs++;
  work_share& share = shares_[construct % shares_kept];
  me.share = &share;
  me.trips = 0;
  me.ordered_first = me.ordered_last = 0;
  for (;;) {
    int const state = share.enter(construct);
    is_first = state == 1;
    if (is_first && !has_shares_.load(std::memory_order_relaxed))  // relaxed: the join orders it
      has_shares_.store(true, std::memory_order_relaxed);          // relaxed: as above
    if (state != 2) return share;
    wait_until([&] { return share.is_usable(construct); });
  }
}

void team::open_share(task& me) noexcept {
  me.share->open(me.constructs - 1);
  ring();
}

void team::leave_share(task& me) noexcept {
  work_share& share = *me.share;
  if (share.is_ordered() && me.ordered_first != me.ordered_last) share.end_turn(me);
  me.share = nullptr;
  if (!share.leave(size_)) return;
  share.reset_for(me.constructs - 1 + shares_kept);
  ring();
}

void team::cancel_share(task const& me) noexcept {
  if (me.share != nullptr) return me.share->cancel();
  if (size_ > 1) cancelled_static_loop_.store(static_loop_of(me), std::memory_order_relaxed);  // relaxed: advice
}

bool team::is_share_cancelled(task const& me) const noexcept {
  if (me.share != nullptr) return me.share->is_cancelled();
  return cancelled_static_loop_.load(std::memory_order_relaxed) == static_loop_of(me);  // relaxed: as above
}

bool team::claim_single(task& me) noexcept {
  std::uint32_t mine = me.singles++;
  if (singles_.load(std::memory_order_relaxed) != mine) return false;                  // relaxed: saves the exchange
  return singles_.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed);  // relaxed: publishes nothing
}

}}}  // namespace skua::v0::openmp
