// SPDX-License-Identifier: MIT
// A group of n numbered children: how its pieces run. (many.hpp)
#include <cstdint>

#include "skua/machine/threads/join/call_in_group.hpp"
#include "skua/machine/threads/join/failure.hpp"
#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/join/many.hpp"
#include "skua/machine/threads/placement/exposed_group.hpp"
#include "skua/machine/threads/worker/worker_slot.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::inline v0::runtime {

namespace {

/// The group. It lies on its owner's stack.
class sequence final : public group {
 public:
  sequence(numbered_children& all, std::uint64_t children, stop_node const* s) noexcept
      : group(&kind, children, s), all_(all), children_(children) {}
  sequence(sequence const&) = delete;
  sequence& operator=(sequence const&) = delete;

  void run(here& owner) {
    if (owner.front().exposes_groups()) [[unlikely]] {
      run_exposed(owner);
    } else {
      std::uint64_t const mine = run_piece(owner, 0);
      if (mine != children_) owner.wait_stolen(*this, mine);
    }
    if (failing()) [[unlikely]]
      end_badly();
  }

 private:
  static void run_stolen(task& t, std::uint64_t first, here& thief) noexcept {
    auto& self = static_cast<sequence&>(t);
    stop_node const node{self.stop, &self};
    thief.watch(&node);
    std::uint64_t const done =
        (first & alone) != 0 ? self.run_one(thief, first & ~alone) : self.run_piece(thief, first);
    thief.note_steals();  // while the group lives
    thief.task_ends();
    thief.finish_piece(self, done, 0);
  }

  [[nodiscard]] hint hint_of(std::uint64_t i) const noexcept {
    return all_.hint_of == nullptr ? hint{} : all_.hint_of(all_, i);
  }
  static hint hint_of(task const& t, std::uint64_t extra) noexcept {
    auto const& self = static_cast<sequence const&>(t);
    hint all = self.hint_of(extra & ~alone);
    if (!all.place) all.place = stop_node::inherited(self.stop).place;
    return all;
  }
  static char const* name_of(task const& t) noexcept { return static_cast<sequence const&>(t).all_.name; }
  static constexpr task_kind kind{
      .run = &sequence::run_stolen, .hint_of = &sequence::hint_of, .name_of = &sequence::name_of};

  /// For the owner, where the policy wants to see the group. (exposed_group.md)
  [[gnu::cold, gnu::noinline]] void run_exposed(here& owner) noexcept {
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
      mine += run_piece(owner, next + 1);
      break;
    }
    parts.wait(mine);
  }

  std::uint64_t run_one(here& on, std::uint64_t i) noexcept {
    if (on.stop_requested() || failing()) {
      raise(dropped);
    } else {
      call(on, i);
    }
    return 1;
  }

  /// Runs children from `first` until none is left or the rest is stolen. Returns how many were dealt with.
  std::uint64_t run_piece(here& on, std::uint64_t first) noexcept {
    bool stopping = on.stop_requested() || failing();
    std::uint64_t i = first;
    for (;;) {
      if (stopping) return drop_from(i, first);
      bool const more = i + 1 < children_;
      bool shared = more;
      if (more && on.push(*this, i + 1)) [[unlikely]]
        shared = poll(on, stopping);
      if (!stopping) call(on, i);
      ++i;
      if (!more) return i - first;
      if (shared && !on.pop()) return i - first;  // stolen: the rest is the thief's
      stopping = stopping || failing();
    }
  }

  /// Returns true if the entry is still to be popped. Sets `stopping` on a stop.
  [[gnu::cold, gnu::noinline]] bool poll(here& on, bool& stopping) noexcept {
    switch (on.poll()) {
      case advice::go_on:
      case advice::expose: return true;  // a group is exposed from its first child on, or not at all
      case advice::full: return !on.pop();
      case advice::stop: break;
    }
    stopping = true;
    raise(dropped);
    return true;
  }

  void call(here& on, std::uint64_t i) noexcept {
    call_in_group(*this, first_, on, [&] { all_.call(all_, i, on); });
  }

  std::uint64_t drop_from(std::uint64_t i, std::uint64_t first) noexcept {
    if (i < children_) raise(dropped);
    return children_ - first;
  }

  /// While children run, the flags only request an early end.
  [[nodiscard]] bool failing() const noexcept { return (flags() & (failed | dropped)) != 0; }

  [[noreturn, gnu::cold, gnu::noinline]] void end_badly() {
    first_.rethrow();
    throw cancelled{};
  }

  numbered_children& all_;
  std::uint64_t const children_;
  first_exception first_;
};

/// The children of a join.
struct listed_children : numbered_children {
  joined_child const* all;
  hint const* hints;

  static void call_listed(numbered_children& self, std::uint64_t i, here& on) {
    joined_child const& child = static_cast<listed_children&>(self).all[i];
    child.call(child.object, on);
  }
  static hint hint_listed(numbered_children const& self, std::uint64_t i) noexcept {
    return static_cast<listed_children const&>(self).hints[i];
  }
};

}  // namespace

void run_group(here& on, numbered_children& all, std::uint64_t n) {
  if (n == 0) return;
  sequence group{all, n, on.watching()};
  group.run(on);
}

void run_children(here& on, joined_child const* all, hint const* hints, std::size_t n, char const* name) {
  listed_children listed{
      {&listed_children::call_listed, hints == nullptr ? nullptr : &listed_children::hint_listed, name}, all, hints};
  run_group(on, listed, n);
}

}  // namespace skua::inline v0::runtime
