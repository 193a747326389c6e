// SPDX-License-Identifier: MIT
// The part of loops, reductions and parallel_invoke that does not depend on the user's functions: it cuts a range and
// forks the sides. It calls the functions through pointers, so it is compiled once per `here` and not once per loop; a
// machine compiles it for programs (machine/threads/face/loops.cpp). A call through a pointer costs about a nanosecond
// per leaf.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

#include "skua/parts/base/error.hpp"
#include "skua/program/cancel.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/loop_failure.hpp"
#include "skua/program/task_group_context.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// How far a range of n elements is divided.
struct piece_limits {
  std::size_t most = 1;      ///< a piece of at most this many elements, >= 1, is not divided
  std::uint32_t pieces = 0;  ///< at most this many pieces; 0: any number, by halving
  bool are_divided = false;  ///< a piece that takes long is divided further while thieves find nothing
};

/// How many pieces auto_partitioner makes per worker of a range that can be cut anywhere.
inline constexpr std::uint32_t pieces_per_worker = 8;
[[nodiscard]] constexpr std::uint32_t usual_pieces(std::uint32_t workers) noexcept {
  return pieces_per_worker * (workers == 0 ? 1 : workers);
}

/// One cut: how many pieces each side becomes. Whole workers are divided first: three as one and two, each with all of its
/// pieces. Then pieces are halved.
struct cut {
  std::uint32_t left;
  std::uint32_t right;

  /// 0 pieces, "any number": both sides get 0.
  [[nodiscard]] static constexpr cut of(std::uint32_t pieces) noexcept {
    std::uint32_t const unit = pieces > pieces_per_worker ? pieces_per_worker : 1;
    std::uint32_t const left = pieces / unit / 2 * unit;
    return {left, pieces - left};
  }
  [[nodiscard]] constexpr bool halves() const noexcept { return left == right; }
  /// The left side's share of n >= 2 elements; neither side is empty.
  [[nodiscard]] constexpr std::size_t middle(std::size_t n) const noexcept {
    if (halves()) return n / 2;
    std::size_t const all = std::size_t{left} + right;
    std::size_t const share = n / all * left + n % all * left / all;
    return share == 0 ? 1 : share;
  }
  [[nodiscard]] constexpr work left_work() const noexcept { return {left == 0 ? 1.0 : static_cast<double>(left)}; }
  [[nodiscard]] constexpr work right_work() const noexcept { return {right == 0 ? 1.0 : static_cast<double>(right)}; }
};

/// How many elements vectors are aligned to, in a range of n.
[[nodiscard]] constexpr std::size_t vector_of(std::size_t n) noexcept {
  return std::bit_floor(std::clamp<std::size_t>(n, 1, 16));
}
/// Where [begin, end) is divided that should be divided at `at`: at a multiple of up to 16 elements, no further away than a thirty-second of the
/// range. So in long ranges the body's vectors have no remainder. (pieces.md, "Vectors")
[[nodiscard]] constexpr std::size_t at_vector(std::size_t begin, std::size_t at, std::size_t end) noexcept {
  std::size_t const unit = vector_of((end - begin) / 16);
  std::size_t const rounded = (at + unit / 2) / unit * unit;
  return begin < rounded && rounded < end ? rounded : at;
}
/// As many of n elements as are whole vectors.
[[nodiscard]] constexpr std::size_t whole_vectors(std::size_t n) noexcept { return n / vector_of(n) * vector_of(n); }

template <class Here, class Left, class Right>
[[gnu::cold, gnu::noinline]] void join_unequal_sides(Here& here, cut c, Left const& left, Right const& right) {
  here.join(c.left_work(), left, c.right_work(), right);
}

/// Joins the two sides of a cut; hints their works to the policy if they are not equal.
template <class Here, class Left, class Right>
void join_sides(Here& here, cut c, Left const& left, Right const& right) {
  if (c.halves()) [[likely]] {
    here.join(left, right);
  } else {
    join_unequal_sides(here, c, left, right);
  }
}

/// The body of a loop, called on elements [begin, end).
template <class Here>
struct piece_body {
  void (*call)(void const* closure, Here&, std::size_t begin, std::size_t end);
  void const* closure;
};

/// A `here` that need not fork all pieces of a loop.
///  * sees_forks(here)      somebody does want to see them: the policy;
///  * may_be_stopped(here)  somebody may ask the task to end, so pieces stay short.
template <class Here>
concept may_skip_forks = requires(Here const& here) {
  { sees_forks(here) } noexcept -> std::same_as<bool>;
  { may_be_stopped(here) } noexcept -> std::same_as<bool>;
};
/// A `here` with a clock: ticks_of(here), and short_loop_ticks(here), below which no loop is worth a thief.
template <class Here>
concept tells_time = requires(Here const& here) {
  { ticks_of(here) } noexcept -> std::same_as<std::uint64_t>;
  { short_loop_ticks(here) } noexcept -> std::same_as<std::uint64_t>;
};

/// The time per element, as far as it was measured.
struct pace {
  std::uint64_t ticks = 0;
  std::size_t elements = 0;  ///< that took `ticks`; 0: unknown

  [[nodiscard]] bool is_known() const noexcept { return elements != 0; }
  /// True if n elements take longer than `than` ticks.
  [[nodiscard]] bool takes_longer(std::size_t n, std::uint64_t than) const noexcept {
    return ticks * n > than * elements;
  }
  /// How many elements fit into this time; at least one.
  [[nodiscard]] std::size_t fit_into(std::uint64_t time) const noexcept {
    return std::max<std::size_t>(1, elements * time / std::max<std::uint64_t>(1, ticks));
  }
};

/// A `here` that knows whether its worker has forks that no thief has taken: offers_forks(here). A hint.
template <class Here>
concept divides_lazily = may_skip_forks<Here> && tells_time<Here> && requires(Here const& here) {
  { offers_forks(here) } noexcept -> std::same_as<bool>;
};

/// Runs a piece of a loop, whose elements may take longer than those of other pieces. If thieves find nothing here, it forks half of the rest, as
/// long as each half has more than `most` elements and by its pace takes longer than a loop that is worth a steal. (pieces.md, "Uneven elements")
template <divides_lazily Here>
void run_divided_piece(Here& here, std::size_t begin, std::size_t end, std::size_t most, pace known,
                       piece_body<Here> const& body, loop_failure& all) {
  std::uint64_t const part = 4 * short_loop_ticks(here);
  while (begin != end) {
    std::size_t const left = end - begin;
    std::size_t next = left;
    if (left / 2 > most) {
      next = known.is_known() ? 8 * known.elements : left / 512 + 1;
      if (known.is_known() && known.takes_longer(left, 2 * part)) {
        if (!offers_forks(here)) {
          std::size_t const middle = most == 1 ? at_vector(begin, begin + left / 2, end) : begin + left / 2;
          here.join([&, begin, middle](Here& h) { run_divided_piece(h, begin, middle, most, known, body, all); },
                    [&, middle, end](Here& h) { run_divided_piece(h, middle, end, most, known, body, all); });
          return;
        }
        next = std::min(next, known.fit_into(part));
      }
      next = most == 1 ? whole_vectors(next) : std::max(next, most);
      next = std::min(left, next);
    }
    if (next == left) return all.call_leaf(here, [&] { body.call(body.closure, here, begin, end); });
    std::uint64_t const start = ticks_of(here);
    all.call_leaf(here, [&] { body.call(body.closure, here, begin, begin + next); });
    known = {ticks_of(here) - start, next};
    begin += next;
  }
}

/// A part of run_pieces.
template <class Here>
void run_pieces_of(Here& here, std::size_t begin, std::size_t end, piece_limits how, piece_body<Here> const& body,
                   loop_failure& all) {
  if (end - begin <= how.most || how.pieces == 1) {
    if (begin == end) return;
    if constexpr (divides_lazily<Here>) {
      if (how.are_divided && !sees_forks(here)) return run_divided_piece(here, begin, end, how.most, {}, body, all);
    }
    all.call_leaf(here, [&] { body.call(body.closure, here, begin, end); });
    return;
  }
  cut const c = cut::of(how.pieces);
  std::size_t mid = begin + c.middle(end - begin);
  if (how.most == 1) mid = at_vector(begin, mid, end);
  piece_limits const left{how.most, c.left, how.are_divided};
  if (c.halves()) [[likely]] {
    here.join([&, begin, mid](Here& h) { run_pieces_of(h, begin, mid, left, body, all); },
              [&, mid, end](Here& h) { run_pieces_of(h, mid, end, left, body, all); });
  } else {
    join_unequal_sides(
        here, c, [&, begin, mid](Here& h) { run_pieces_of(h, begin, mid, left, body, all); },
        [&, mid, end](Here& h) { run_pieces_of(h, mid, end, {how.most, c.right, how.are_divided}, body, all); });
  }
}

/// Calls the body once for each piece of [begin, end). Nothing is called for an empty range. Throws `cancelled` at a
/// leaf, once a stop was requested or another leaf has failed.
template <class Here>
void run_pieces(Here& here, std::size_t begin, std::size_t end, piece_limits how, piece_body<Here> const& body) {
  loop_failure all;
  run_pieces_of(here, begin, end, how, body, all);
}

/// How many elements are called at most before anything is known of their time: the first ones may be the longest.
inline constexpr std::size_t first_elements = 32;

/// Runs [begin, end) of a loop of n elements, and forks only what is worth a steal: both halves of the rest, if by the
/// pace of the last elements each of them takes longer than a steal; and so on, up to the given number of pieces.
/// (pieces.md)
template <tells_time Here>
void run_timed_pieces(Here& here, std::size_t n, std::size_t begin, std::size_t end, std::uint32_t pieces, pace known,
                      piece_body<Here> const& body, loop_failure& all) {
  std::size_t const workers = here.num_workers();
  std::uint64_t const steal = short_loop_ticks(here);
  // What is not forked may take: a part of several workers two steals, a worker's own part four.
  std::uint64_t longest = (pieces > pieces_per_worker ? 2 : 4) * steal;
  if constexpr (divides_lazily<Here>) {
    if (pieces == 1) return run_divided_piece(here, begin, end, 1, known, body, all);
  }
  while (begin != end) {
    std::size_t const left = end - begin;
    std::size_t next = left;
    if (pieces > 1 && left > 1) {
      bool const is_long = known.takes_longer(left, longest);
      if (!known.is_known()) {
        next = std::min(n / workers / 32 + 1, first_elements);
      } else if (is_long && known.ticks > steal / 8) {
        cut const c = cut::of(pieces);
        // The first thief begins a steal later than we do.
        std::size_t const ours = pieces == usual_pieces(here.num_workers()) ? known.fit_into(steal) / 2 : 0;
        std::size_t const middle = at_vector(begin, begin + c.middle(left) + ours, end);
        join_sides(
            here, c, [&, begin, middle](Here& h) { run_timed_pieces(h, n, begin, middle, c.left, known, body, all); },
            [&, middle, end](Here& h) { run_timed_pieces(h, n, middle, end, c.right, known, body, all); });
        return;
      } else if (is_long) {  // measured in so short a time that most of it may be the clock's
        next = std::min(8 * known.elements, known.fit_into(steal / 4));
      } else {
        next = std::min(8 * known.elements, std::max(known.fit_into(steal / 2), n / workers / 2 + 1));
        longest =
            4 *
            steal;  // a thief's first elements come from another cache: a part that was short once stays in one piece
      }
    }
    if (next >= left) {
      all.call_leaf(here, [&] { body.call(body.closure, here, begin, end); });
      return;
    }
    next = whole_vectors(next);
    std::uint64_t const start = ticks_of(here);
    all.call_leaf(here, [&] { body.call(body.closure, here, begin, begin + next); });
    known = {ticks_of(here) - start, next};
    begin += next;
  }
}

/// Calls the body for n elements in pieces as auto_partitioner makes them: usual_pieces, and more of those that take long while thieves find nothing; a
/// piece of at most `most` elements is not divided. If no one needs to see the forks, only parts that take longer than a steal are
/// forked, and a loop on the only worker is one call.
template <class Here>
void run_usual_pieces(Here& here, std::size_t n, std::size_t most, piece_body<Here> const& body) {
  constexpr std::size_t longest_timed = std::size_t{1} << 16;  // 0.03 ns an element, at least
  std::uint32_t const workers = here.num_workers();
  if constexpr (may_skip_forks<Here>) {
    if (most == 1 && !sees_forks(here) && n >= std::size_t{2} * usual_pieces(workers)) {
      if (workers == 1 && !may_be_stopped(here)) {
        body.call(body.closure, here, 0, n);
        return;
      }
      if constexpr (tells_time<Here>) {
        if (n <= longest_timed) {
          loop_failure all;
          run_timed_pieces(here, n, 0, n, usual_pieces(workers), {}, body, all);
          return;
        }
      }
    }
  }
  run_pieces(here, 0, n, {most, usual_pieces(workers), workers > 1}, body);
}

/// A function with its type erased.
template <class Here>
struct plain_call {
  void (*call)(void* function, Here&);
  void* function;
};

/// Calls all functions, as one group.
template <class Here>
void run_calls(Here& here, std::span<plain_call<Here> const> all) {
  if (all.size() == 2) {
    here.join([&all](Here& h) { all[0].call(all[0].function, h); },
              [&all](Here& h) { all[1].call(all[1].function, h); });
  } else if (all.size() == 1) {
    throw_if_stopped(here);
    all[0].call(all[0].function, here);
  } else {
    here.join_each(all, [](Here& h, plain_call<Here> const& c) { c.call(c.function, h); });
  }
}

/// A reduction with the type of its value erased.
template <class Here>
struct fold_body {
  void (*fold)(void const* closure, Here&, std::size_t begin, std::size_t end, void* into);  ///< makes a value there
  void (*join)(void const* closure, void* left, void* right);  ///< left becomes the join of both
  void (*destroy)(void* value) noexcept;
  std::size_t bytes;  ///< of a value
  std::size_t alignment;
  void const* closure;
};

/// A part of run_fold.
template <class Here>
void run_fold_of(Here& here, std::size_t begin, std::size_t end, piece_limits how, fold_body<Here> const& body,
                 void* into, loop_failure& all) {
  if (end - begin <= how.most || how.pieces == 1) {
    all.call_leaf(here, [&] { body.fold(body.closure, here, begin, end, into); });
    return;
  }
  struct half {
    fold_body<Here> const& operations;
    void* value;
    bool is_made = false;
    ~half() {
      if (is_made) operations.destroy(value);
    }
  };
  void* const room = __builtin_alloca(body.bytes + body.alignment);
  auto const at = reinterpret_cast<std::uintptr_t>(room);
  half left{body, into};
  half right{body, static_cast<std::byte*>(room) + (body.alignment - at % body.alignment)};
  cut const c = cut::of(how.pieces);
  std::size_t mid = begin + c.middle(end - begin);
  if (how.most == 1) mid = at_vector(begin, mid, end);
  auto const make = [&](Here& h, half& one, std::size_t first, std::size_t last, std::uint32_t pieces) {
    run_fold_of(h, first, last, {how.most, pieces}, body, one.value, all);
    one.is_made = true;
  };
  join_sides(
      here, c, [&](Here& h) { make(h, left, begin, mid, c.left); },
      [&](Here& h) { make(h, right, mid, end, c.right); });
  body.join(body.closure, left.value, right.value);
  left.is_made = false;  // the caller owns it
}

/// Constructs the value of [begin, end), which is not empty, in the room `into`: folds the pieces, and joins them left
/// to right.
template <class Here>
void run_fold(Here& here, std::size_t begin, std::size_t end, piece_limits how, fold_body<Here> const& body,
              void* into) {
  loop_failure all;
  run_fold_of(here, begin, end, how, body, into, all);
}

// The same from any thread, through an executor (executor.hpp).

/// Calls f(here), directly if the executor knows that the caller is one of its workers.
template <class Executor, class F>
void on_executor(F const& f) {
  if constexpr (requires { Executor::running(); }) {
    if (typename Executor::here* const here = Executor::running()) {
      typename Executor::stays_here const on_this_thread{*here};
      return f(*here);
    }
  }
  Executor::with_here(f);
}

/// Pieces of n elements; with `fully` as many as `most` allows, else not more than usual_pieces.
template <class Executor>
void loop_over(std::size_t n, std::size_t most, bool fully, piece_body<typename Executor::here> const& body) {
  on_executor<Executor>([&](typename Executor::here& here) {
    if (fully) {
      run_pieces(here, 0, n, {most}, body);
    } else {
      run_usual_pieces(here, n, most, body);
    }
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
    run_fold(here, 0, n, {most, fully ? 0 : usual_pieces(here.num_workers())}, body, into);
  });
}

/// Runs the call while everything inside it watches the token. Throws `cancelled` if the token was stopped before the
/// call had ended.
template <class Executor>
bool call_until_stopped(std::stop_token const& token, plain_call<typename Executor::here> const& what) {
  Executor::with_here([&](typename Executor::here& here) {
    here.with_stop(token, [&](typename Executor::here& inner) { what.call(what.function, inner); });
  });
  return true;
}

/// Runs the call while everything inside it watches the context. Returns false if the context was cancelled before the
/// call had ended. An exception of the call cancels the context.
template <class Executor>
bool call_until_stopped(task_group_context& context, plain_call<typename Executor::here> const& what) {
  using its_here = typename Executor::here;
  try {
    if constexpr (requires { typename Executor::shield; }) {
      if (context.is_isolated()) {
        return Executor::with_here([&](its_here& here) {
          typename Executor::shield const shielded{here};
          return call_until_stopped<Executor>(context.token(), what);
        });
      }
    }
    return call_until_stopped<Executor>(context.token(), what);
  } catch (cancelled const&) {
    if (!context.is_group_execution_cancelled()) throw;  // an enclosing call requested the stop
    return false;
  } catch (...) {
    context.cancel_group_execution();
    throw;
  }
}

}}}  // namespace skua::v0::runtime
