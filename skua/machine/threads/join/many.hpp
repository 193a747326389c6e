// SPDX-License-Identifier: MIT
// A group of n numbered children: `each`, and joins of three and more. The entry in the lane stands for all children
// not yet started: it is (group, number of the next child). So a thief needs nothing of the piece that it steals from,
// and pieces end independently. (group.md, "Pieces")
#pragma once

#include <cstdint>

#include "skua/machine/threads/join/failure.hpp"
#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/placement/exposed_group.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::runtime {

/// `Invoke(i, here)` calls child i and returns nothing.
template <class Here, class Invoke>
class sequence final : public group {
 public:
  sequence(Invoke& invoke, std::uint64_t children, stop_node const* s) noexcept
      : group(&kind, children, s), invoke_(invoke), children_(children) {}
  sequence(sequence const&) = delete;
  sequence& operator=(sequence const&) = delete;

  /// Runs all children, from the first; returns when each has been dealt with. Throws the first exception, or
  /// `cancelled` if children were dropped.
  void run(Here& here) {
    if (here.at().exposes_groups()) [[unlikely]] {
      run_exposed(here);
    } else {
      std::uint64_t const mine = run_piece(here, 0);
      if (mine != children_) here.wait_stolen(*this, mine);
    }
    if (failing()) [[unlikely]]
      end_badly();
  }

 private:
  static void run_stolen(task& t, std::uint64_t first, here& on) noexcept {
    auto& self = static_cast<sequence&>(t);
    auto& thief = static_cast<Here&>(on);
    stop_node const node{self.stop, &self, nullptr, nullptr};
    thief.watch(&node);
    std::uint64_t const done =
        (first & alone) != 0 ? self.run_one(thief, first & ~alone) : self.run_piece(thief, first);
    thief.note_steals();  // while the group lives
    thief.task_ends();
    thief.finish(self, done, 0);
  }

  [[nodiscard]] hint hint_of(std::uint64_t i) const noexcept {
    if constexpr (requires { invoke_.hint_of(i); }) {
      return invoke_.hint_of(i);
    } else {
      return {};
    }
  }
  static hint hint_of(task const& t, std::uint64_t extra) noexcept {
    auto const& self = static_cast<sequence const&>(t);
    hint all = self.hint_of(extra & ~alone);
    if (!all.place) all.place = stop_node::inherited(self.stop).place;
    return all;
  }
  static constexpr task_kind kind{.run = &sequence::run_stolen, .hint_of = &sequence::hint_of};

  /// For the owner, where the policy wants to see the group. (exposed_group.md)
  [[gnu::cold, gnu::noinline]] void run_exposed(Here& here) noexcept {
    double total = 0;
    for (std::uint64_t i = 0; i < children_; ++i) total += work_of(hint_of(i));
    exposed_group parts{here, *this, children_, total};
    std::uint64_t mine = 0;
    for (std::uint64_t next = 0; next < children_; ++next) {
      while (next < children_ && parts.sends(next, hint_of(next))) ++next;
      if (next == children_) break;
      parts.keep(next);
      mine += run_one(here, next);
      if (!parts.comes_back()) break;
      if (here.at().exposes_groups()) continue;
      mine += run_piece(here, next + 1);
      break;
    }
    parts.wait(mine);
  }

  std::uint64_t run_one(Here& here, std::uint64_t i) noexcept {
    if (here.stop_requested() || failing()) {
      raise(dropped);
    } else {
      invoke(here, i);
    }
    return 1;
  }

  /// Runs children from `first` until none is left or the rest is stolen. Returns how many were dealt with.
  std::uint64_t run_piece(Here& here, std::uint64_t first) noexcept {
    bool stopping = here.stop_requested() || failing();
    std::uint64_t i = first;
    for (;;) {
      if (stopping) return drop_from(i, first);
      bool const more = i + 1 < children_;
      bool shared = more;
      if (more && here.push(*this, i + 1)) [[unlikely]]
        shared = poll(here, stopping);
      if (!stopping) invoke(here, i);
      ++i;
      if (!more) return i - first;
      if (shared && !here.pop()) return i - first;  // stolen: the rest is the thief's
      stopping = stopping || failing();
    }
  }

  /// Returns true if the entry is still to be popped. Sets `stopping` on a stop.
  [[gnu::cold, gnu::noinline]] bool poll(Here& here, bool& stopping) noexcept {
    switch (here.poll()) {
      case advice::go_on:
      case advice::expose: return true;  // a group is exposed from its first child on, or not at all
      case advice::full: return !here.pop();
      case advice::stop: break;
    }
    stopping = true;
    raise(dropped);
    return true;
  }

  void invoke(Here& here, std::uint64_t i) noexcept {
    try {
      invoke_(i, here);
    } catch (cancelled const&) {
      raise(dropped);
    } catch (...) {
      first_.keep(*this, here);
    }
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

  Invoke& invoke_;
  std::uint64_t const children_;
  first_exception first_;
};

}  // namespace skua::runtime
