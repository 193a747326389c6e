// SPDX-License-Identifier: MIT
// A model thread's stack: Boost.Context's fcontext, announced to the sanitizers.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "skua/parts/base/platform.hpp"

// Declared here rather than included, because the sanitizers' headers exist only where their runtime does.
extern "C" {
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __sanitizer_start_switch_fiber(void** fake_stack, void const* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, void const** bottom, std::size_t* size);
void __asan_unpoison_memory_region(void const volatile* from, std::size_t size);
}

namespace skua { inline namespace v0 { namespace explorer {

/// Runs a function on its own stack; `resume` from outside, `suspend` from inside. Both sides are one OS thread.
class fiber {
 public:
  using function = void (*)(void*);

  fiber() : stack_(new std::byte[stack_bytes]) {}
  ~fiber() { forget(); }
  fiber(fiber const&) = delete;
  fiber& operator=(fiber const&) = delete;

  /// The next resume starts `f`. A function that ran here and has not ended is forgotten, not unwound.
  void start(function f, void* argument) {
    function_ = f;
    argument_ = argument;
    if (!std::exchange(idle_, false)) begin();
  }

  void resume() {
    void* fake_stack = nullptr;
    if constexpr (runtime::under_asan) __sanitizer_start_switch_fiber(&fake_stack, stack_.get(), stack_bytes);
    if constexpr (runtime::under_tsan) {
      tsan_outside_ = __tsan_get_current_fiber();
      __tsan_switch_to_fiber(tsan_self_, 0);
    }
    context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
    if constexpr (runtime::under_asan) __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  }

  void suspend() {
    void* fake_stack = nullptr;
    leave(&fake_stack);
    outside_ = boost::context::detail::jump_fcontext(outside_, nullptr).fctx;
    arrive(fake_stack);
  }

  /// A fiber that is suspended: where it goes on, and from where on its stack is kept.
  struct moment {
    boost::context::detail::fcontext_t context;
    bool idle;
    std::byte* from;
  };
  /// The used part of the stack begins with the context.
  [[nodiscard]] moment now() const noexcept { return {context_, idle_, static_cast<std::byte*>(context_)}; }
  [[nodiscard]] bool has(void const* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(stack_.get()) < stack_bytes;
  }
  [[nodiscard]] std::size_t kept(moment const& m) const noexcept {
    return static_cast<std::size_t>(stack_.get() + stack_bytes - m.from);
  }
  void save(moment const& m, std::byte* to) const noexcept { std::memcpy(to, m.from, kept(m)); }
  /// Without a sanitizer only: the next resume goes on from that moment.
  void restore(moment const& m, std::byte const* from) noexcept {
    context_ = m.context;
    idle_ = m.idle;
    std::memcpy(m.from, from, kept(m));
  }

 private:
  static constexpr std::size_t stack_bytes = 256 * 1024;

  // Begins a fresh stack. Avoided where possible, because ThreadSanitizer takes it for a new thread.
  void begin() {
    forget();
    if constexpr (runtime::under_asan) __asan_unpoison_memory_region(stack_.get(), stack_bytes);
    if constexpr (runtime::under_tsan) tsan_self_ = __tsan_create_fiber(0);
    context_ = boost::context::detail::make_fcontext(stack_.get() + stack_bytes, stack_bytes, &entry);
  }

  static void entry(boost::context::detail::transfer_t from) {
    auto& self = *static_cast<fiber*>(from.data);
    self.outside_ = from.fctx;
    self.arrive(nullptr);
    while (true) {
      self.function_(self.argument_);
      self.idle_ = true;
      self.suspend();
    }
  }

  void leave(void** fake_stack) {
    if constexpr (runtime::under_asan) __sanitizer_start_switch_fiber(fake_stack, outside_bottom_, outside_bytes_);
    if constexpr (runtime::under_tsan) __tsan_switch_to_fiber(tsan_outside_, 0);
  }
  void arrive(void* fake_stack) {
    if constexpr (runtime::under_asan) __sanitizer_finish_switch_fiber(fake_stack, &outside_bottom_, &outside_bytes_);
  }
  void forget() {
    if constexpr (runtime::under_tsan) {
      if (tsan_self_ != nullptr) __tsan_destroy_fiber(tsan_self_);
      tsan_self_ = nullptr;
    }
  }

  std::unique_ptr<std::byte[]> stack_;
  boost::context::detail::fcontext_t context_ = nullptr;
  boost::context::detail::fcontext_t outside_ = nullptr;
  function function_ = nullptr;
  void* argument_ = nullptr;
  bool idle_ = false;  // between two functions
  void const* outside_bottom_ = nullptr;
  std::size_t outside_bytes_ = 0;
  void* tsan_self_ = nullptr;
  void* tsan_outside_ = nullptr;
};

}}}  // namespace skua::v0::explorer
