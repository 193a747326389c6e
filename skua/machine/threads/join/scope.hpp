// SPDX-License-Identifier: MIT
// A scope: children found on the way. The body goes on while its children lie in the worker's `spawned` lane; at the
// end the owner runs what nobody took, newest first, and waits for the rest. One allocation per child.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/failure.hpp"
#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/placement/exposed_group.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/hint.hpp"

namespace skua::runtime {

/// Children are counted below zero by thieves while the body runs, and the owner adds what it forked and did not run
/// itself when it starts to wait: zero is reached once, by whoever comes last. (group.md, "scopes")
template <class Here>
class scope final : public group {
 public:
  explicit scope(Here& owner) noexcept : group(nullptr, bias, owner.watching()), owner_(owner) {}
  scope(scope const&) = delete;
  scope& operator=(scope const&) = delete;

  /// f(here&) runs once, now or later, here or elsewhere, before the scope returns. Only the body calls this, on its
  /// own fiber; children that find more work open scopes of their own. Throws std::bad_alloc; then f does not run.
  template <class F>
    requires std::invocable<std::decay_t<F>&, Here&>
  void fork(F&& f) {
    fork(hint{}, std::forward<F>(f));
  }
  /// The same, with what is known of the child.
  template <hint_word Hint, class F>
    requires std::invocable<std::decay_t<F>&, Here&>
  void fork(Hint hint, F&& f) {
    auto child = std::make_unique<child_of<std::decay_t<F>>>(*this, as_hint(hint), std::forward<F>(f));
    if (owner_.at().exposes_groups()) [[unlikely]]
      exposed_.meet(owner_);
    worker_slot& s = owner_.at();
    bool const wants_attention = s.spawned.push(child.release(), key());
    ++forked_;
    if (wants_attention) [[unlikely]]
      poll();
  }
  /// The body has returned: end all children, then throw what the first failing one threw.
  void finish() {
    end_children();
    rethrow_failure();
    if ((flags() & dropped) != 0) throw cancelled{};
  }

  /// After the children have ended: throws what the first failing one threw, if one did.
  void rethrow_failure() { first_.rethrow(); }

  /// The body has thrown: children end early; theirs is not the first exception.
  void abandon() noexcept {
    raise(abandoned);
    owner_.raise_alarm();
    end_children();
  }

 private:
  // The count lives above this bias, so that thieves can subtract before the owner adds.
  static constexpr std::uint64_t bias = std::uint64_t{1} << 47;

  template <class F>
  struct child_of final : task {
    template <class G>
    child_of(scope& s, hint const& h, G&& g) : task{&kind}, in(s), hinted(h), f(std::forward<G>(g)) {}
    scope& in;
    hint hinted;
    F f;

    static hint hint_of(task const& t, std::uint64_t) noexcept {
      auto const& self = static_cast<child_of const&>(t);
      hint all = self.hinted;
      if (!all.place) all.place = stop_node::inherited(self.in.stop).place;
      return all;
    }
    /// extra == 0: called by the owner at the end of the scope; otherwise taken from a lane.
    static void run_task(task& t, std::uint64_t extra, here& on) noexcept {
      std::unique_ptr<child_of> self(static_cast<child_of*>(&t));
      scope& in = self->in;
      auto& runner = static_cast<Here&>(on);
      stop_node const node{in.stop, &in, nullptr, nullptr, self->hinted.place.value_or(no_place_hint)};
      stop_node const* const before = runner.watching();
      runner.watch(&node);
      in.call_child(runner, self->f, node);
      runner.watch(before);
      self.reset();  // the closure dies before the scope is told
      if (extra == 0) return;
      runner.task_ends();
      runner.finish(in, 1, 0);
    }
    static constexpr task_kind kind{.run = &child_of::run_task, .hint_of = &child_of::hint_of};
  };

  template <class F>
  void call_child(Here& runner, F& f, stop_node const& node) noexcept {
    if (node.requested()) {
      raise(dropped);
      return;
    }
    try {
      f(runner);
    } catch (cancelled const&) {
      raise(dropped);
    } catch (...) {
      first_.keep(*this, runner);
    }
  }

  /// Run the children that nobody took, newest first; then wait for the others.
  void end_children() noexcept {
    while (run_newest()) {}
    // From here on the count is what is still to be dealt with, plus one for the owner itself.
    add(forked_ + 1 - bias);
    owner_.wait(*this, 1);
    exposed_.leave(owner_);
  }

  [[gnu::cold, gnu::noinline]] void poll() {
    // `full`: run the newest child at once; a thief that takes it instead makes room, too.
    if (!owner_.make_room()) static_cast<void>(run_newest());  // a stop is noticed by each child
  }
  bool run_newest() noexcept {
    bool const was_mine = owner_.run_newest_spawned(key());
    if (was_mine) --forked_;
    return was_mine;
  }

  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }

  Here& owner_;
  exposed_scope exposed_;
  std::uint64_t forked_ = 0;  ///< children that the owner has neither run nor seen finished
  first_exception first_;
};

}  // namespace skua::runtime
