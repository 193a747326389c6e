// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/sharing/pool_permit.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace skua { inline namespace v0 { namespace runtime {

/// What callbacks get. Static memory, because one may come when the pool has ended: it then finds no pool, or the next one.
struct pool_permit::slot {
  std::mutex reading;  ///< one thread at a time reads the grant and applies it, so that the newest is applied last
  pool_permit* of = nullptr;  ///< under the lock
  std::atomic<bool> is_taken{false};
};

namespace {

constexpr std::size_t most_permits = 64;

}  // namespace

// relaxed, all of this file but what says otherwise: the locks order it. A worker that was refused after `all_sleep` had lowered the limit sees is_active_ false, and one
// that sleeps after `workers_wanted` has set the limit sees it true, by the lock of the sleepers (permits.md, "asked"). The handle is written before is_active_, which changes under `reading`.

pool_permit::pool_permit(sleep_state<>& workers_of, std::uint32_t workers, std::vector<std::uint32_t> bound,
                         std::atomic<std::uint32_t>& exposed)
    : library_(tcm::library::of_process()), sleep_(&workers_of), workers_(workers), exposed_(&exposed) {
  static constinit std::array<slot, most_permits> all;
  if (library_ == nullptr) return;
  for (slot& s : all) {
    // acquire: what the previous pool wrote. Pairs with: ~pool_permit, store.
    if (s.is_taken.exchange(true, std::memory_order_acquire)) continue;
    of_ = &s;
    break;
  }
  if (of_ == nullptr) return;
  if (!bound.empty() && library_->make_bitmap != nullptr && library_->set_bit != nullptr &&
      library_->free_bitmap != nullptr) {
    mask_ = library_->make_bitmap();
    if (mask_ != nullptr) std::ranges::for_each(bound, [this](std::uint32_t p) { library_->set_bit(mask_, p); });
  }
  std::lock_guard const hold(of_->reading);
  of_->of = this;
  sleep_->limit_to(always_allowed);
  sleep_->limited_by(*this);
}

pool_permit::~pool_permit() {
  if (of_ == nullptr) return;
  {
    std::lock_guard const hold(of_->reading);
    of_->of = nullptr;
  }
  if (!is_abandoned_.load(std::memory_order_relaxed)) {
    if (tcm::handle const h = handle_.load(std::memory_order_relaxed)) static_cast<void>(library_->release(h));
    if (is_connected_) static_cast<void>(library_->disconnect(client_));
    if (mask_ != nullptr) library_->free_bitmap(mask_);
  }
  of_->is_taken.store(false, std::memory_order_release);  // release: pairs with pool_permit, exchange
}

void pool_permit::abandon() noexcept {
  if (of_ == nullptr) return;
  is_abandoned_.store(true, std::memory_order_relaxed);
  std::lock_guard const hold(of_->reading);
  of_->of = nullptr;
  sleep_->limit_to(workers_);
  exposed_->store(0, std::memory_order_relaxed);
}

tcm::result pool_permit::changed(tcm::handle, void* in, std::uint32_t) noexcept {
  slot& s = *static_cast<slot*>(in);
  std::lock_guard const hold(s.reading);
  if (s.of != nullptr) s.of->read_grant();
  return tcm::success;
}

void pool_permit::workers_wanted() noexcept {
  if (is_active_.load(std::memory_order_relaxed) || !may_ask()) return;
  {
    std::lock_guard const change(changing_);
    if (is_active_.load(std::memory_order_relaxed) || !may_ask()) return;
    if (!ask()) return note_refusal();
    std::lock_guard const hold(of_->reading);
    is_active_.store(true, std::memory_order_relaxed);
    read_grant();
  }
  // The last one may have fallen asleep before there was anything to give back.
  if (sleep_->all_sleep()) all_sleep();
}

void pool_permit::all_sleep() noexcept {
  if (!is_active_.load(std::memory_order_relaxed) || is_abandoned_.load(std::memory_order_relaxed)) return;
  std::lock_guard const change(changing_);
  if (!is_active_.load(std::memory_order_relaxed)) return;
  {
    std::lock_guard const hold(of_->reading);
    is_active_.store(false, std::memory_order_relaxed);
    if (!sleep_->limit_sleepers_to(always_allowed)) {
      is_active_.store(true, std::memory_order_relaxed);
      return;
    }
    exposed_->store(0, std::memory_order_relaxed);
  }
  static_cast<void>(library_->deactivate(handle_.load(std::memory_order_relaxed)));
}

bool pool_permit::may_ask() const noexcept {
  return !is_refused_.load(std::memory_order_relaxed) && !is_abandoned_.load(std::memory_order_relaxed);
}

/// The same call asks for a permit and makes one active again. Under `changing_`.
bool pool_permit::ask() noexcept {
  if (!is_connected_ && library_->connect(&changed, &client_) != tcm::success) return false;
  is_connected_ = true;
  tcm::constraints where{};
  tcm::handle h = handle_.load(std::memory_order_relaxed);
  if (library_->ask(client_, wanted(where), of_, &h, nullptr) != tcm::success) return false;
  handle_.store(h, std::memory_order_release);  // release: pairs with enter_thread, load
  return true;
}

/// One thread at least: the library takes it from a client that has more, so two pools get some each.
tcm::request pool_permit::wanted(tcm::constraints& where) const noexcept {
  auto const most = static_cast<std::int32_t>(workers_);
  where = {1, most, mask_, tcm::automatic, tcm::automatic, tcm::automatic};
  bool const is_bound = mask_ != nullptr;
  return {1, most, is_bound ? &where : nullptr, is_bound ? 1U : 0U, tcm::normal_priority, 0, {}};
}

/// Under `reading`. A grant that changes while it is read is announced again.
void pool_permit::read_grant() noexcept {
  if (!is_active_.load(std::memory_order_relaxed)) return;
  std::uint32_t granted = 0;
  tcm::permit now{&granted, nullptr, 1, tcm::state::none, 0};
  if (library_->read(handle_.load(std::memory_order_relaxed), &now) != tcm::success) return;
  if ((now.flags & tcm::is_stale) != 0) return;
  bool const may_work = now.state == tcm::state::active || now.state == tcm::state::idle;
  std::uint32_t const most = std::max(may_work ? granted : 0, always_allowed);
  sleep_->limit_to(most);
  exposed_->store(std::min(most, workers_), std::memory_order_relaxed);
}

/// The library refuses: the pool works as if there were none. Under `changing_`.
void pool_permit::note_refusal() noexcept {
  std::fputs("skua: note: TCM_ENABLE=1 has no effect on this pool: the library refuses a permit\n", stderr);
  is_refused_.store(true, std::memory_order_relaxed);
  sleep_->limit_to(workers_);
}

bool pool_permit::enter_thread() const noexcept {
  if (of_ == nullptr || is_abandoned_.load(std::memory_order_relaxed)) return false;
  tcm::handle const h = handle_.load(std::memory_order_acquire);  // acquire: pairs with ask, store
  return h != nullptr && library_->register_thread(h) == tcm::success;
}

void pool_permit::leave_thread() const noexcept {
  if (!is_abandoned_.load(std::memory_order_relaxed)) static_cast<void>(library_->unregister_thread());
}

}}}  // namespace skua::v0::runtime
