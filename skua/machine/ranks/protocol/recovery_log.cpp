// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/protocol/recovery_log.hpp"

#include <algorithm>
#include <utility>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks {

namespace {

/// Calls f(slot) for each task.
template <class Bytes, class F>
void each_slot(Bytes tasks, slot_shape shape, F f) {
  for (std::size_t at = 0; at < tasks.size(); at += shape.bytes()) f(tasks.data() + at);
}

}  // namespace

std::uint64_t recovery_log::child_number(std::uint64_t parent, std::uint64_t index) noexcept {
  return runtime::dice(runtime::dice(parent).next() + index).next();
}

void recovery_log::begin(rank_number rank, std::span<std::byte> seeds) {
  if (is_complete_) before_ = std::move(now_);
  now_ = {};
  is_complete_ = false;
  lent_.clear();
  held_.clear();
  taken_.clear();
  elsewhere_.clear();
  some_elsewhere_.store(false, std::memory_order_relaxed);  // relaxed: no task runs
  std::uint64_t index = 0;
  std::uint64_t const base = ~std::uint64_t{rank};  // other tasks have such a number only by chance
  each_slot(seeds, shape_, [&](std::byte* slot) { shape_.set_identity(slot, {child_number(base, index++), 0}); });
  now_.seeds.assign(seeds.begin(), seeds.end());
}

void recovery_log::go_back() {
  if (is_complete_) return;
  now_ = std::move(*before_);
  before_.reset();
  is_complete_ = true;
}

void recovery_log::adopt(rank_number of) {
  auto const copy = now_.kept.extract(of);
  task_bytes const& theirs = copy.mapped().seeds;
  now_.seeds.insert(now_.seeds.end(), theirs.begin(), theirs.end());
}

void recovery_log::keep_all(rank_number of, std::span<std::byte const> seeds) {
  now_.kept[of] = {now_.generation, {seeds.begin(), seeds.end()}};
}

void recovery_log::adopted(rank_number dead) {
  now_.kept.clear();
  now_.dead = dead;
}

void recovery_log::lent(rank_number to, std::span<std::byte> tasks) {
  each_slot(tasks, shape_, [&](std::byte* slot) {
    task_identity i = shape_.identity_of(slot);
    ++i.hop;
    shape_.set_identity(slot, i);
  });
  task_bytes& copies = lent_[to];
  copies.insert(copies.end(), tasks.begin(), tasks.end());
}

void recovery_log::took(rank_number from, std::span<std::byte const> tasks) {
  each_slot(tasks, shape_, [&](std::byte const* slot) {
    task_identity const i = shape_.identity_of(slot);
    taken_.push_back({i.number, i.hop, from});
  });
}

void recovery_log::keep(rank_number of, std::uint16_t generation, std::span<std::byte const> seeds) {
  copy& c = now_.kept[of];
  if (generation >= c.generation) c = {generation, {seeds.begin(), seeds.end()}};
}

taken_tasks recovery_log::taken_from_dead(live_ranks const& live) const {
  taken_tasks all;
  for (taken const& t : taken_) {
    if (live.is_live(t.donor)) continue;
    std::uint64_t& hop = all[t.number];
    hop = std::max(hop, t.hop);
  }
  return all;
}

task_bytes recovery_log::run_again(live_ranks const& live, taken_tasks elsewhere) {
  std::scoped_lock const held(lock_);
  elsewhere_ = std::move(elsewhere);
  // relaxed: a task that runs again is pushed after it, and its spawns come after that.
  some_elsewhere_.store(!elsewhere_.empty(), std::memory_order_relaxed);
  for (rank_number const dead : live.dead()) {
    if (auto const out = lent_.extract(dead)) hold(out.mapped());
    if (auto const kept = now_.kept.extract(dead)) {
      task_bytes const& seeds = kept.mapped().seeds;
      hold(seeds);
      now_.seeds.insert(now_.seeds.end(), seeds.begin(), seeds.end());
    }
  }
  task_bytes again;
  task_bytes still;
  each_slot(std::span<std::byte const>(held_), shape_, [&](std::byte const* slot) {
    task_identity const i = shape_.identity_of(slot);
    auto const found = elsewhere_.find(i.number);
    bool const is_elsewhere = found != elsewhere_.end() && found->second > i.hop;
    task_bytes& to = is_elsewhere ? still : again;
    to.insert(to.end(), slot, slot + shape_.bytes());
  });
  held_ = std::move(still);
  return again;
}

bool recovery_log::held_back(std::byte const* slot) {
  if (!some_elsewhere_.load(std::memory_order_relaxed)) return false;
  std::scoped_lock const held(lock_);
  if (!elsewhere_.contains(shape_.identity_of(slot).number)) return false;
  hold({slot, shape_.bytes()});
  return true;
}

}}}  // namespace skua::v0::ranks
