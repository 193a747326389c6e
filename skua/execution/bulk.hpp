// SPDX-License-Identifier: MIT
// Loops of senders in Skua's pieces: `bulk_chunked` and `bulk_unchunked` (P3481) on a pool. As schedule.hpp, without a sender
// library.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/execution/schedule.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/loops.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace senders {

/// How f is called on [0, n).
enum class bulk_form : unsigned char {
  chunked,    ///< f(begin, end, values..) for pieces
  unchunked,  ///< f(i, values..), each in a piece of its own
};

/// One loop. Pieces that begin after a stop, or after a piece has thrown, are not called.
template <class Library, bulk_form Form, class Shape, class F, class Receiver, class... Values>
class bulk_loop {
 public:
  bulk_loop(Receiver const& receiver, F& f, Values&... values) noexcept
      : receiver_(receiver), f_(f), values_(values...) {}

  /// Throws the first exception of f.
  void run(here& here, std::size_t n) {
    piece_body<runtime::here> const pieces{&bulk_loop::call, this};
    if constexpr (Form == bulk_form::chunked) {
      run_usual_pieces(here, n, 1, pieces);
    } else {
      run_pieces(here, 0, n, {1}, pieces);
    }
  }
  /// After the loop: true if a stop has left pieces out.
  [[nodiscard]] bool was_cut_short() const noexcept { return cut_short_.load(std::memory_order_relaxed); }

 private:
  static void call(void const* closure, here&, std::size_t begin, std::size_t end) {
    auto const& self = *static_cast<bulk_loop const*>(closure);
    if (is_stopped<Library>(self.receiver_)) {
      self.cut_short_.store(true, std::memory_order_relaxed);  // relaxed: the joins of the loop publish it
      throw cancelled{};
    }
    std::apply(
        [&](Values&... values) {
          if constexpr (Form == bulk_form::chunked) {
            self.f_(static_cast<Shape>(begin), static_cast<Shape>(end), values...);
          } else {
            for (std::size_t i = begin; i != end; ++i) self.f_(static_cast<Shape>(i), values...);
          }
        },
        self.values_);
  }

  Receiver const& receiver_;
  F& f_;
  std::tuple<Values&...> values_;
  std::atomic<bool> mutable cut_short_{false};
};

/// Receives what the sender in front of the loop completes with, runs the loop, and completes its own receiver. The loop runs
/// inside of set_value, so the values stay where they are.
template <class Library, bulk_form Form, class Shape, class F, class Receiver>
class bulk_receiver {
 public:
  using receiver_concept = typename Library::receiver_tag;

  bulk_receiver(pool& where, Shape n, F&& f, Receiver&& receiver) noexcept
      : pool_(&where), n_(n), f_(std::move(f)), receiver_(std::move(receiver)) {}

  template <class... Values>
  void set_value(Values&&... values) noexcept {
    bulk_loop<Library, Form, Shape, F, Receiver, std::remove_reference_t<Values>...> loop(receiver_, f_, values...);
    std::exception_ptr failure;
    try {
      run(loop);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure == nullptr) return Library::set_value(std::move(receiver_), std::forward<Values>(values)...);
    if constexpr (!Library::template never_stops<Receiver>) {
      if (is_cancelled_by(loop, failure)) return Library::set_stopped(std::move(receiver_));
    }
    Library::set_error(std::move(receiver_), std::move(failure));
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    Library::set_error(std::move(receiver_), std::forward<Error>(error));
  }
  void set_stopped() noexcept { Library::set_stopped(std::move(receiver_)); }
  [[nodiscard]] decltype(auto) get_env() const noexcept { return Library::env_of(receiver_); }

 private:
  /// Elsewhere than on the pool it is a call from outside. The caller stays on its thread: what completes there may rely on
  /// that. Only the receiver's token stops the loop, not a stop around the task that completes.
  template <class Loop>
  void run(Loop& loop) {
    std::optional<executor::stays_here> on_this_thread;
    if (here* const mine = executor::running()) on_this_thread.emplace(*mine);
    pool_->run([&](here& h) {
      executor::shield const whole(h);
      loop.run(h, n_ > Shape{} ? static_cast<std::size_t>(n_) : 0);
    });
  }
  /// An exception of f takes precedence over a stop.
  template <class Loop>
  [[nodiscard]] static bool is_cancelled_by(Loop const& loop, std::exception_ptr const& failure) noexcept {
    if (!loop.was_cut_short()) return false;
    try {
      std::rethrow_exception(failure);
    } catch (cancelled const&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  pool* pool_;
  Shape n_;
  F f_;
  Receiver receiver_;
};

/// Lists of signatures, without duplicates.
template <class List, class... More>
struct list_with {
  using type = List;
};
template <template <class...> class Signatures, class... Have, class First, class... More>
struct list_with<Signatures<Have...>, First, More...>
    : list_with<std::conditional_t<(std::same_as<Have, First> || ...), Signatures<Have...>, Signatures<Have..., First>>,
                More...> {};

/// Calls f on [0, n) when the sender in front of it has completed with values, which f gets by reference, and completes with them:
/// set_error(exception_ptr) if f throws, set_stopped() if a stop left pieces out. The loop is part of the operation of that sender, so it allocates
/// nothing.
template <class Library, bulk_form Form, class Before, class Shape, class F>
class bulk_sender {
 public:
  using sender_concept = typename Library::sender_tag;

  bulk_sender(Before&& before, pool& where, Shape n, F&& f)
      : before_(std::move(before)), pool_(&where), n_(n), f_(std::move(f)) {}

  template <class, class... Env>
  static consteval auto get_completion_signatures() {
    using of_before = typename Library::template signatures_of<Before, Env...>;
    using error = typename Library::set_error_t(std::exception_ptr);
    if constexpr ((Library::template never_stopped_in<Env> || ...)) {
      return typename list_with<of_before, error>::type{};
    } else {
      return typename list_with<of_before, error, typename Library::set_stopped_t()>::type{};
    }
  }

  template <class Receiver>
  [[nodiscard]] auto connect(Receiver receiver) && {
    using received = bulk_receiver<Library, Form, Shape, F, Receiver>;
    return Library::connect(std::move(before_), received(*pool_, n_, std::move(f_), std::move(receiver)));
  }
  template <class Receiver>
  [[nodiscard]] auto connect(Receiver receiver) const& {
    return bulk_sender(*this).connect(std::move(receiver));
  }
  [[nodiscard]] on_pool<Library> get_env() const noexcept { return on_pool<Library>(*pool_); }

 private:
  Before before_;
  pool* pool_;
  Shape n_;
  F f_;
};

}}}}  // namespace skua::v0::runtime::senders
