// SPDX-License-Identifier: MIT
// What loops, reductions and parallel_invoke do apart from the user's functions: they halve a range and fork the halves.
// The functions come as pointers, so this is compiled once per `here` and not once per loop; a machine compiles it for
// programs (machine/threads/pool/loops.cpp). A call by pointer per leaf costs about a nanosecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/program/cancel.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::runtime {

/// How far a range of n elements is halved.
struct halving {
  std::size_t most = 1;  ///< a piece of so many elements, >= 1, is not halved
  unsigned depth = ~0U;  ///< at most so often, one inside the other
};

/// How often auto_partitioner halves: until there are 8 to 16 pieces per worker.
[[nodiscard]] constexpr unsigned usual_depth(std::uint32_t workers) noexcept {
  std::uint64_t const pieces = std::uint64_t{8} * (workers == 0 ? 1 : workers);
  unsigned depth = 0;
  while ((std::uint64_t{1} << depth) < pieces) ++depth;
  return depth;
}

/// What is done with elements [begin, end).
template <class Here>
struct piece_body {
  void (*call)(void const* with, Here&, std::size_t begin, std::size_t end);
  void const* with;
};

/// Calls the body once for each piece of [begin, end). Nothing is called for an empty range. Throws `cancelled` at a
/// leaf, once a stop was requested.
template <class Here>
void run_pieces(Here& here, std::size_t begin, std::size_t end, halving how, piece_body<Here> const& body) {
  if (end - begin <= how.most || how.depth == 0) {
    if (begin == end) return;
    throw_if_stopped(here);
    body.call(body.with, here, begin, end);
    return;
  }
  std::size_t const mid = begin + (end - begin) / 2;
  halving const halves{how.most, how.depth - 1};
  here.join([&, begin, mid](Here& h) { run_pieces(h, begin, mid, halves, body); },
            [&, mid, end](Here& h) { run_pieces(h, mid, end, halves, body); });
}

/// A function without its type.
template <class Here>
struct plain_call {
  void (*call)(void* function, Here&);
  void* function;
};

/// Calls all of them, as one group.
template <class Here>
void run_calls(Here& here, std::span<plain_call<Here> const> all) {
  if (all.size() == 2) {
    here.join([&all](Here& h) { all[0].call(all[0].function, h); },
              [&all](Here& h) { all[1].call(all[1].function, h); });
  } else if (all.size() == 1) {
    throw_if_stopped(here);
    all[0].call(all[0].function, here);
  } else {
    here.each(all, [](Here& h, plain_call<Here> const& c) { c.call(c.function, h); });
  }
}

/// A reduction without the type of its value.
template <class Here>
struct fold_body {
  void (*fold)(void const* with, Here&, std::size_t begin, std::size_t end, void* into);  ///< makes a value there
  void (*join)(void const* with, void* left, void* right);  ///< left becomes the join of both
  void (*destroy)(void* value) noexcept;
  std::size_t bytes;  ///< of a value
  std::size_t alignment;
  void const* with;
};

/// Makes the value of [begin, end), which is not empty, in the room `into`: pieces are folded, and joined left to right.
template <class Here>
void run_fold(Here& here, std::size_t begin, std::size_t end, halving how, fold_body<Here> const& body, void* into) {
  if (end - begin <= how.most || how.depth == 0) {
    throw_if_stopped(here);
    body.fold(body.with, here, begin, end, into);
    return;
  }
  struct half {
    fold_body<Here> const& of;
    void* value;
    bool is_made = false;
    ~half() {
      if (is_made) of.destroy(value);
    }
  };
  void* const room = __builtin_alloca(body.bytes + body.alignment);
  auto const at = reinterpret_cast<std::uintptr_t>(room);
  half left{body, into};
  half right{body, static_cast<std::byte*>(room) + (body.alignment - at % body.alignment)};
  std::size_t const mid = begin + (end - begin) / 2;
  halving const halves{how.most, how.depth - 1};
  auto const make = [&](Here& h, half& one, std::size_t first, std::size_t last) {
    run_fold(h, first, last, halves, body, one.value);
    one.is_made = true;
  };
  here.join([&](Here& h) { make(h, left, begin, mid); }, [&](Here& h) { make(h, right, mid, end); });
  body.join(body.with, left.value, right.value);
  left.is_made = false;  // it is the caller's
}

// The same from any thread, through an executor (executor.hpp).

/// f(here), directly if the executor says that the caller is one of its workers.
template <class Executor, class F>
void on_executor(F const& f) {
  if constexpr (requires { Executor::running(); }) {
    if (typename Executor::here* const here = Executor::running()) return f(*here);
  }
  Executor::with_here(f);
}

/// Pieces of n elements; with `fully` down to `most`, else not beyond usual_depth.
template <class Executor>
void loop_over(std::size_t n, std::size_t most, bool fully, piece_body<typename Executor::here> const& body) {
  on_executor<Executor>([&](typename Executor::here& here) {
    run_pieces(here, 0, n, {most, fully ? ~0U : usual_depth(here.workers())}, body);
  });
}

template <class Executor>
void call_all(std::span<plain_call<typename Executor::here> const> all) {
  on_executor<Executor>([&](typename Executor::here& here) { run_calls(here, all); });
}

template <class Executor>
void fold_over(std::size_t n, std::size_t most, bool fully, fold_body<typename Executor::here> const& body,
               void* into) {
  on_executor<Executor>([&](typename Executor::here& here) {
    run_fold(here, 0, n, {most, fully ? ~0U : usual_depth(here.workers())}, body, into);
  });
}

}  // namespace skua::runtime
