// SPDX-License-Identifier: MIT
// A scope, for children whose number is not known in advance. The body continues while its children lie in the worker's
// `spawned` lane; at the end the owner runs those that nobody took, newest first, and waits for the rest. One
// allocation per child.
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

/// Thieves subtract from the count while the body runs; when the owner starts to wait, it adds the children that it
/// forked and did not run itself. So the count reaches zero once, by whoever comes last. (group.md, "Scopes")
template <class Here>
class scope final : public group {
 public:
  explicit scope(Here& owner) noexcept : group(nullptr, bias, owner.watching()), owner_(owner) {}
  scope(scope const&) = delete;
  scope& operator=(scope const&) = delete;

  /// Runs f(here&) once, now or later, here or elsewhere, before the scope returns. Only the body may call this, on its
  /// own fiber; children that find more work open their own scopes. Throws std::bad_alloc; then f does not run.
  template <class F>
    requires std::invocable<std::decay_t<F>&, Here&>
  void fork(F&& f) {
    fork(hint{}, std::forward<F>(f));
  }
  /// The same, with a hint.
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
  /// The body has returned: ends all children, then throws the exception of the first that failed.
  void finish() {
    end_children();
    rethrow_failure();
    if ((flags() & dropped) != 0) throw cancelled{};
  }

  /// Call this after the children have ended: throws the exception of the first that failed, if any did.
  void rethrow_failure() { first_.rethrow(); }

  /// The body has thrown: children end early, and their exceptions are not the first.
  void abandon() noexcept {
    raise(abandoned);
    owner_.raise_alarm();
    end_children();
  }

 private:
  // The count starts at this bias, so that thieves can subtract before the owner adds.
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
    /// extra == 0: the owner runs it at the end of the scope; otherwise it was taken from a lane.
    static void run_task(task& t, std::uint64_t extra, here& on) noexcept {
      std::unique_ptr<child_of> self(static_cast<child_of*>(&t));
      scope& in = self->in;
      auto& runner = static_cast<Here&>(on);
      stop_node const node{in.stop, &in, nullptr, nullptr, self->hinted.place.value_or(no_place_hint)};
      stop_node const* const before = runner.watching();
      runner.watch(&node);
      in.call_child(runner, self->f, node);
      runner.watch(before);
      self.reset();  // the closure dies before the scope hears of it
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

  /// Runs the children that nobody took, newest first; then waits for the others.
  void end_children() noexcept {
    while (run_newest()) {}
    // From here on the count is the children still to be dealt with, plus one for the owner itself.
    add(forked_ + 1 - bias);
    owner_.wait(*this, 1);
    exposed_.leave(owner_);
  }

  [[gnu::cold, gnu::noinline]] void poll() {
    // No memory: runs the newest child at once. A thief that takes it instead makes room, too.
    if (!owner_.make_room()) static_cast<void>(run_newest());  // each child notices a stop by itself
  }
  bool run_newest() noexcept {
    bool const was_mine = owner_.run_newest_spawned(key());
    if (was_mine) --forked_;
    return was_mine;
  }

  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }

  Here& owner_;
  exposed_scope exposed_;
  std::uint64_t forked_ = 0;  ///< children that the owner forked and did not run itself
  first_exception first_;
};

}  // namespace skua::runtime
