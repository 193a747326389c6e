// SPDX-License-Identifier: MIT
// A scope, for children whose number is not known in advance. The body continues while its children lie in the worker's
// `spawned` lane; at the end the owner runs those that no thief took, newest first, and waits for the rest. One
// allocation per child.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/fiber/exposed_group.hpp"
#include "skua/machine/threads/fork/fiber/failure.hpp"
#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/fiber/spawned_of.hpp"
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
    void (*call)(child&, fiber&);   ///< also deletes it
    void (*drop)(child&) noexcept;  ///< deletes it uncalled
    hint (*hinted)(child const&);   ///< null: it has no hint
  };
  /// Lies in a block. Its entry names the scope. It is destroyed before the scope counts it as ended.
  struct child : task {
    explicit child(child_kind const& k) noexcept : task{&k} {}

    [[nodiscard]] child_kind const& kind() const noexcept { return static_cast<child_kind const&>(*task::kind); }
    [[nodiscard]] hint hinted() const noexcept { return kind().hinted == nullptr ? hint{} : kind().hinted(*this); }
  };
  /// Offers the child to thieves.
  void add(child& c) {
    owner_.expect_running();
    if (owner_.front().exposes_groups()) [[unlikely]]
      meet();
    bool const wants_attention = spawned_of(owner_).push(static_cast<task*>(&c), key());
    ++forked_;
    if (wants_attention) [[unlikely]]
      poll();
  }

  static void run_task(task& t, std::uint64_t scope, fiber& on) noexcept;
  static hint hint_of(task const& t, std::uint64_t scope) noexcept;

 private:
  // The count starts at this bias, so that thieves can subtract before the owner adds.
  static constexpr std::uint64_t bias = std::uint64_t{1} << 47;

  // For a fiber that watches inside_, in a region with these failures. False: the child threw or was dropped.
  inline bool run_child(fiber& runner, child& c, failure_epoch<> const& failures) noexcept;
  inline bool call_child(fiber& runner, child& c, failure_epoch<> const& failures) noexcept;
  [[gnu::noinline]] bool call_hinted(fiber& runner, child& c, failure_epoch<> const& failures) noexcept;

  inline bool run_newest(fiber& owner, failure_epoch<> const& failures) noexcept;
  void end_children() noexcept;
  [[gnu::cold, gnu::noinline]] void wait_for_stolen() noexcept;
  [[gnu::cold, gnu::noinline]] void meet() noexcept;
  [[gnu::cold, gnu::noinline]] void poll();

  /// The second word of the children's entries.
  [[nodiscard]] std::uint64_t key() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }
  [[nodiscard]] static scope_group& with_key(std::uint64_t k) noexcept {
    return *reinterpret_cast<scope_group*>(static_cast<std::uintptr_t>(k));
  }

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
      add(*new child_of<Hint, std::decay_t<F>>(hint, std::forward<F>(f)));
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
    child_of(Hint h, G&& g) : child(kind), hint_word(h), function(std::forward<G>(g)) {}
    [[no_unique_address]] Hint hint_word;
    F function;

    static void call(child& c, fiber& on) {
      std::unique_ptr<child_of> const self(static_cast<child_of*>(&c));
      call_forked(here_of(on), std::move(self->function));
    }
    static void drop(child& self) noexcept { delete static_cast<child_of*>(&self); }
    static hint hinted(child const& self) { return as_hint(static_cast<child_of const&>(self).hint_word); }
    static char const* name_of(task const&) noexcept { return type_text<F>(); }
    static constexpr child_kind kind{
        {.run = &scope_group::run_task, .hint_of = &scope_group::hint_of, .name_of = &child_of::name_of},
        &child_of::call,
        &child_of::drop,
        std::is_same_v<Hint, unhinted> ? nullptr : &child_of::hinted};
  };
};

}}}  // namespace skua::v0::runtime
