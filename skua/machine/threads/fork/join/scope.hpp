// SPDX-License-Identifier: MIT
// A scope, for children whose number is not known in advance. The body continues while its children lie in the worker's
// `spawned` lane; at the end the owner runs those that no thief took, newest first, and waits for the rest. One
// allocation per child.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/fiber/exposed_group.hpp"
#include "skua/machine/threads/fork/fiber/failure.hpp"
#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The part of a scope that does not depend on the types of its children: scope.cpp.
///
/// Thieves subtract from the count while the body runs; when the owner starts to wait, it adds the children that it
/// forked and did not run itself. So the count reaches zero once, by the last of them. (group.md, "Scopes")
class scope_group : public group {
 public:
  explicit scope_group(fiber& owner) noexcept;
  scope_group(scope_group const&) = delete;
  scope_group& operator=(scope_group const&) = delete;

  [[nodiscard]] stop_node const& inside() const noexcept { return inside_; }

  /// The body has returned: ends all children, then throws the exception of the first that failed.
  void finish();

  /// Call this after the children have ended: throws the exception of the first that failed, if any did.
  void rethrow_failure() { first_.rethrow(); }

  /// The body has thrown: children end early, and their exceptions are not the first.
  void abandon() noexcept;

 protected:
  struct child;
  /// The operations that depend on the type of a child.
  struct child_kind : task_kind {
    void (*call)(child&, fiber&);
    void (*end)(child*) noexcept;  ///< deletes it; null: its closure needs no destructor, only its block is given back
    hint (*hinted)(child const&);  ///< null: it has no hint
    std::size_t bytes;             ///< of its block
  };
  /// Lies in a block. It is destroyed before the scope counts it as ended.
  struct child : task {
    child(child_kind const& k, scope_group& s) noexcept : task{&k}, group(s) {}
    scope_group& group;

    [[nodiscard]] child_kind const& kind() const noexcept { return static_cast<child_kind const&>(*task::kind); }
    [[nodiscard]] hint hinted() const noexcept { return kind().hinted == nullptr ? hint{} : kind().hinted(*this); }
  };
  /// Offers the child to thieves.
  void add(child& c);

  static void run_task(task& t, std::uint64_t, fiber& on) noexcept;
  static hint hint_of(task const& t, std::uint64_t) noexcept;

 private:
  // The count starts at this bias, so that thieves can subtract before the owner adds.
  static constexpr std::uint64_t bias = std::uint64_t{1} << 47;

  bool run_child(fiber& runner, child& c) noexcept;  ///< false: it threw or was dropped
  inline bool call_child(fiber& runner, child& c) noexcept;
  void end_children() noexcept;
  [[gnu::cold, gnu::noinline]] void poll();
  bool run_newest() noexcept;

  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }

  fiber& owner_;
  stop_node const inside_;  ///< what the body and the children watch
  fiber::registration const registered_;
  exposed_scope exposed_;
  std::uint64_t forked_ = 0;  ///< children that the owner forked and did not run itself
  first_exception first_;
};

template <class Here>
class scope final : public scope_group {
 public:
  using scope_group::scope_group;

  /// Runs f(here&) once, now or later, here or elsewhere, before the scope returns. Only the body may call this, on its
  /// own fiber; children that find more work open their own scopes. Throws std::bad_alloc; then f does not run.
  template <class F>
  void spawn(F&& f) {
    spawn(unhinted{}, std::forward<F>(f));
  }
  /// The same, with a hint.
  template <class Hint, class F>
    requires(hint_word<Hint> || std::is_same_v<Hint, unhinted>)
  void spawn(Hint hint, F&& f) {
    if constexpr (forkable<F, Here>) {
      add(*new child_of<Hint, std::decay_t<F>>(*this, hint, std::forward<F>(f)));
    } else {
      static_assert(forkable<F, Here>, "scope.spawn: a child is called as f(here)");
    }
  }
  template <class... Args>
  [[deprecated("scope.fork is now scope.spawn")]] void fork(Args&&... args) {
    spawn(std::forward<Args>(args)...);
  }

 private:
  template <class Hint, class F>
  struct child_of final : child, in_block {
    template <class G>
    child_of(scope& s, Hint h, G&& g) : child(kind, s), hint_word(h), function(std::forward<G>(g)) {}
    [[no_unique_address]] Hint hint_word;
    F function;

    static void call(child& self, fiber& on) {
      call_forked(here_of(on), std::move(static_cast<child_of&>(self).function));
    }
    static void end(child* self) noexcept { delete static_cast<child_of*>(self); }
    static hint hinted(child const& self) { return as_hint(static_cast<child_of const&>(self).hint_word); }
    static constexpr bool is_plain =
        std::is_trivially_destructible_v<F> && alignof(F) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    static char const* name_of(task const&) noexcept { return type_text<F>(); }
    static constexpr child_kind kind{
        {.run = &scope_group::run_task, .hint_of = &scope_group::hint_of, .name_of = &child_of::name_of},
        &child_of::call,
        is_plain ? nullptr : &child_of::end,
        std::is_same_v<Hint, unhinted> ? nullptr : &child_of::hinted,
        sizeof(child_of)};
  };
};

}}}  // namespace skua::v0::runtime
