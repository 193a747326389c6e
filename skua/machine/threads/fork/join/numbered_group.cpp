// SPDX-License-Identifier: MIT
// A group of n numbered children: how its pieces run. (numbered_group.hpp)
#include "skua/machine/threads/fork/join/numbered_group.hpp"

#include <cstdint>

#include "skua/machine/threads/fork/fiber/call_in_group.hpp"
#include "skua/machine/threads/fork/fiber/exposed_group.hpp"
#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

constinit task_kind const numbered_group::kind{.run = &numbered_group::run_stolen,
                                               .hint_of = &numbered_group::hint_of,
                                               .name_of = &numbered_group::name_of,
                                               .has_more = &numbered_group::has_more};

void numbered_group::run(fiber& owner) {
  if (owner.front().exposes_groups()) [[unlikely]] {
    run_exposed(owner);
    if (failing()) [[unlikely]]
      end_badly();
  } else {
    end(owner, run_piece(owner, 0));
  }
}

void numbered_group::run_stolen(task& t, std::uint64_t first, fiber& thief) noexcept {
  auto& self = static_cast<numbered_group&>(t);
  stop_node const node{self.watched_, &self};
  thief.watch(&node);
  std::uint64_t done;
  {
    fiber::piece_of const it{thief, self};
    done = (first & alone) != 0 ? self.run_one(thief, first & ~alone) : self.run_piece(thief, first);
  }
  thief.task_ends();
  thief.finish_piece(self, done, 0);
}

hint numbered_group::hint_of(std::uint64_t i) const noexcept {
  return all_.hint_of == nullptr ? hint{} : all_.hint_of(all_, i);
}
hint numbered_group::hint_of(task const& t, std::uint64_t extra) noexcept {
  auto const& self = static_cast<numbered_group const&>(t);
  hint all = self.hint_of(extra & ~alone);
  if (!all.place) all.place = stop_node::inherited(self.watched_).place;
  return all;
}
bool numbered_group::has_more(task const& t, std::uint64_t first) noexcept {
  return (first & alone) == 0 && first + 1 < static_cast<numbered_group const&>(t).children_;
}
char const* numbered_group::name_of(task const& t) noexcept { return static_cast<numbered_group const&>(t).all_.name; }

/// For the owner, if the policy wants to see the group. (exposed_group.md)
[[gnu::cold, gnu::noinline]] void numbered_group::run_exposed(fiber& owner) noexcept {
  double total = 0;
  for (std::uint64_t i = 0; i < children_; ++i) total += work_of(hint_of(i));
  exposed_group parts{owner, *this, children_, total};
  std::uint64_t mine = 0;
  for (std::uint64_t next = 0; next < children_; ++next) {
    while (next < children_ && parts.sends(next, hint_of(next))) ++next;
    if (next == children_) break;
    parts.keep(next);
    mine += run_one(owner, next);
    if (!parts.comes_back()) break;
    if (owner.front().exposes_groups()) continue;
    fiber::piece_of const it{owner, *this};
    mine += run_piece(owner, next + 1);
    break;
  }
  parts.wait(mine);
}

std::uint64_t numbered_group::run_one(fiber& on, std::uint64_t i) noexcept {
  if (on.stop_requested() || failing()) {
    raise(dropped);
  } else {
    call(on, i);
  }
  return 1;
}

/// Runs children from `first` on until none is left or the rest is stolen. Returns how many it accounts for.
std::uint64_t numbered_group::run_piece(fiber& on, std::uint64_t first) noexcept {
  fork_slot<>& at = on.free_slot();
  bool stopping = on.stop_requested() || failing();
  std::uint64_t i = first;
  for (;;) {
    if (stopping) return drop_from(i, first);
    bool const more = i + 1 < children_;
    bool shared = more;
    if (more && at.deque->push(at, static_cast<task*>(this), i + 1)) [[unlikely]]
      shared = poll(at, stopping);
    if (!stopping) call(on, i);
    ++i;
    if (!more) return i - first;
    if (shared && !at.deque->pop(at)) return i - first;  // stolen: the rest is the thief's
    stopping = failing();                                // poll() has raised the flag
  }
}

/// Returns true if the caller must still pop the entry. Sets `stopping` on a stop.
[[gnu::cold, gnu::noinline]] bool numbered_group::poll(fork_slot<>& at, bool& stopping) noexcept {
  switch (fiber_at(at).poll(at)) {
    case advice::go_on:
    case advice::expose: return true;  // only a whole group is exposed
    case advice::full: return !at.deque->take_back(at);
    case advice::stop: break;
  }
  stopping = true;
  raise(dropped);
  return true;
}

[[gnu::cold]] bool numbered_group::ends_at(fork_slot<>& at, std::uint64_t& done) noexcept {
  bool stopping = false;
  bool const shared = poll(at, stopping);
  if (shared && !stopping) return false;
  bool const is_back = !shared || at.deque->pop(at);
  if (!is_back) {
    ++done;  // dropped
  } else if (stopping) {
    done = children_;
  } else {
    done += run_piece(fiber_at(at), done);
  }
  return true;
}

[[gnu::cold]] std::uint64_t numbered_group::child_threw(fork_slot<>& at, std::uint64_t done) noexcept {
  call_in_group(*this, first_, fiber_at(at), [] { throw; });
  ++done;
  if (done == children_ || !at.deque->pop(at)) return done;
  raise(dropped);
  return children_;
}

void numbered_group::call(fiber& on, std::uint64_t i) noexcept {
  call_in_group(*this, first_, on, [&] { all_.call(all_, i, on); });
}

std::uint64_t numbered_group::drop_from(std::uint64_t i, std::uint64_t first) noexcept {
  if (i < children_) raise(dropped);
  return children_ - first;
}

[[gnu::cold, gnu::noinline]] void numbered_group::wait_for_rest(fiber& owner, std::uint64_t done) noexcept {
  owner.wait_stolen(*this, done);
}

[[gnu::cold, gnu::noinline]] void numbered_group::end_badly() {
  first_.rethrow();
  throw cancelled{};
}

void run_group(fiber& on, numbered_children& all, std::uint64_t n) {
  if (n == 0) return;
  numbered_group group{all, n, on.watching()};
  group.run(on);
}

}}}  // namespace skua::v0::runtime
