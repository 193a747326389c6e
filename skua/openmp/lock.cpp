// SPDX-License-Identifier: MIT
#include "skua/openmp/lock.hpp"

#include <array>
#include <new>

#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/event.hpp"
#include "skua/openmp/task.hpp"
#include "skua/parts/base/fork_handlers.hpp"

namespace skua { inline namespace v0 { namespace openmp {

namespace {

enum : std::uint8_t { is_free, is_held, is_awaited };

using waits = std::array<eventcount, 64>;
waits& all_waits() noexcept {
  static auto* const all = new waits;  // never destroyed
  return *all;
}
/// A child has none of the waiters.
[[gnu::init_priority(runtime::before_static_objects)]] runtime::fork_handlers const waits_over_fork{
    [] { static_cast<void>(all_waits()); }, nullptr, [] { ::new (&all_waits()) waits; }};

/// Where the waiters of a lock park, with those of a few others.
eventcount& waits_of(void const* lock) noexcept {
  return all_waits()[(reinterpret_cast<std::uintptr_t>(lock) >> 3) % std::tuple_size_v<waits>];
}

}  // namespace

template <class Word>
bool try_lock(Word& w) noexcept {
  Word seen = is_free;
  // acquire: what the last holder did. Pairs with: unlock
  return __atomic_compare_exchange_n(&w, &seen, Word{is_held}, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

template <class Word>
void lock(Word& w) noexcept {
  if (try_lock(w)) return;
  noted_wait const noted{current(), construct::lock};
  if (spin_until([&w] { return __atomic_load_n(&w, __ATOMIC_RELAXED) == is_free && try_lock(w); })) return;
  kept_current const others_run;
  // acquire: as in try_lock. Whoever takes a lock this way leaves it marked, because others may wait.
  waits_of(&w).wait([&w] { return __atomic_exchange_n(&w, Word{is_awaited}, __ATOMIC_ACQUIRE) == is_free; });
}

template <class Word>
void unlock(Word& w) noexcept {
  // release: what the holder did. The lock may be gone when it is free; its waiters park elsewhere.
  if (__atomic_exchange_n(&w, Word{is_free}, __ATOMIC_RELEASE) == is_awaited) waits_of(&w).notify_all();
}

template void lock(std::uint32_t&) noexcept;
template bool try_lock(std::uint32_t&) noexcept;
template void unlock(std::uint32_t&) noexcept;
template void lock(std::uintptr_t&) noexcept;
template bool try_lock(std::uintptr_t&) noexcept;
template void unlock(std::uintptr_t&) noexcept;

}}}  // namespace skua::v0::openmp
