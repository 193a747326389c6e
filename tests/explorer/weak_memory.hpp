// SPDX-License-Identifier: MIT
// Memory as C++ and AArch64 allow it to be seen: a load may return an older store than the newest. weak_memory.md says
// how, and what this leaves out. After Kang, Hur, Lahav, Vafeiadis and Dreyer, A Promising Semantics for
// Relaxed-Memory Concurrency (2017), without its promises.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/explorer/cell.hpp"

namespace skua { inline namespace v0 { namespace explorer {

/// For each word, the oldest of its stores that may still be read.
class memory_view {
 public:
  static constexpr std::size_t words_max = 192;

  [[nodiscard]] std::size_t of(std::size_t word) const noexcept { return static_cast<std::size_t>(oldest_[word]); }
  void raise(std::size_t word, std::size_t to) noexcept {
    oldest_[word] = std::max(oldest_[word], static_cast<std::int16_t>(to));
  }
  void join(memory_view const& other) noexcept {
    for (std::size_t w = 0; w < words_max; ++w) oldest_[w] = std::max(oldest_[w], other.oldest_[w]);
  }
  void lower_to(memory_view const& other) noexcept {
    for (std::size_t w = 0; w < words_max; ++w) oldest_[w] = std::min(oldest_[w], other.oldest_[w]);
  }
  /// A store was put before store number `place` of this word.
  void make_room(std::size_t word, std::size_t place) noexcept {
    if (of(word) >= place) ++oldest_[word];
  }

 private:
  std::array<std::int16_t, words_max> oldest_{};
};

class weak_memory {
 public:
  /// A store.
  struct message {
    std::uint64_t value = 0;
    vector_clock released{};    ///< as in cell
    bool is_continued = false;  ///< a read-modify-write read it, so nothing comes between it and the next one
    memory_view known{};        ///< what whoever acquires it knows
  };

  void begin(std::size_t threads) {
    words_.clear();
    threads_.assign(threads, {});
    agreed_ = {};
  }

  // What an operation of thread t may do, the newest first. At least one.

  /// Stores that it may read.
  [[nodiscard]] std::vector<std::size_t> const& readable(cell& c, std::size_t t, std::memory_order order) {
    return collect(c, t, order, [](auto const&, std::size_t) { return true; });
  }
  /// Stores that a read-modify-write may read.
  [[nodiscard]] std::vector<std::size_t> const& extensible(cell& c, std::size_t t, std::memory_order order) {
    return collect(c, t, order, [](auto const& stores, std::size_t i) { return !stores[i].is_continued; });
  }
  /// Stores that a compare-exchange may read.
  [[nodiscard]] std::vector<std::size_t> const& comparable(cell& c, std::size_t t, std::uint64_t wanted,
                                                           std::memory_order yes, std::memory_order no) {
    std::size_t const word = word_of(c);
    std::size_t const from_yes = oldest(word, t, yes);
    std::size_t const from_no = oldest(word, t, no);
    return collect(c, t, std::memory_order_relaxed, [=](auto const& stores, std::size_t i) {
      return stores[i].value == wanted ? i >= from_yes && !stores[i].is_continued : i >= from_no;
    });
  }

  message const& read(cell& c, std::size_t t, std::memory_order order, std::size_t store) {
    std::size_t const word = word_of(c);
    thread_views& me = threads_[t];
    message const& what = words_[word].stores[store];
    me.now.raise(word, store);
    me.after_acquire.raise(word, store);
    me.after_acquire.join(what.known);
    if (acquires(order)) me.now.join(what.known);
    if (order == std::memory_order_seq_cst) agreed_.raise(word, store);
    return what;
  }
  [[nodiscard]] std::uint64_t value_of(cell& c, std::size_t store) { return words_[word_of(c)].stores[store].value; }

  /// Stores right behind store number `behind`.
  void write(cell& c, std::size_t t, std::uint64_t value, std::memory_order order, std::size_t behind,
             vector_clock const& released) {
    insert(c, t, order, behind, {.value = value, .released = released});
  }
  /// The same for a read-modify-write, which has read that store and continues its release sequence.
  void update(cell& c, std::size_t t, std::uint64_t value, std::memory_order order, std::size_t behind,
              vector_clock const& released) {
    message& before = words_[word_of(c)].stores[behind];
    before.is_continued = true;
    message made{.value = value, .released = released, .known = before.known};
    made.released.join(before.released);
    insert(c, t, order, behind, made);
  }

  /// A sequentially consistent fence.
  void full_fence(std::size_t t) {
    thread_views& me = threads_[t];
    me.after_acquire.join(me.interrupted);
    me.after_acquire.join(agreed_);
    agreed_ = me.now = me.at_release = me.at_barrier = me.after_acquire;
  }
  /// The compiler moves nothing over this point.
  void compiler_barrier(std::size_t t) {
    thread_views& me = threads_[t];
    me.now.join(me.interrupted);
    me.after_acquire.join(me.interrupted);
    me.at_barrier = me.after_acquire;
  }
  /// A fence that another thread's heavy fence makes t execute here, if it has not ended. The compiler may have moved what
  /// t did since its last barrier to behind this point, and what it does until its next one to before it.
  void interrupt(std::size_t t, bool has_ended) {
    thread_views& me = threads_[t];
    agreed_.join(has_ended ? me.after_acquire : me.at_barrier);
    me.interrupted.join(agreed_);
  }

  /// Equal for states from which the threads that have not ended can go on in the same ways.
  template <class HasEnded>
  [[nodiscard]] std::uint64_t hash(HasEnded has_ended) const {
    memory_view least = all();
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (!has_ended(t)) least.lower_to(threads_[t].now);
    }
    std::uint64_t h = hash_of(agreed_, least);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      thread_views const& t = threads_[i];
      h = mix(h, hash_of(t.after_acquire, least));
      if (has_ended(i)) continue;
      for (memory_view const* v : {&t.now, &t.at_release, &t.at_barrier, &t.interrupted})
        h = mix(h, hash_of(*v, least));
    }
    for (std::size_t w = 0; w < words_.size(); ++w) h += hash_of(w, least);
    return h;
  }

 private:
  void insert(cell& c, std::size_t t, std::memory_order order, std::size_t behind, message made) {
    std::size_t const word = word_of(c);
    std::size_t const place = behind + 1;
    auto& stores = words_[word].stores;
    if (place < stores.size()) make_room(word, place);
    thread_views& me = threads_[t];
    me.now.raise(word, place);
    me.after_acquire.raise(word, place);
    if (order == std::memory_order_seq_cst) agreed_.raise(word, place);
    made.known.join(releases(order) ? me.now : me.at_release);
    made.known.raise(word, place);
    stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(place), made);
    c.value = stores.back().value;
  }

  struct thread_views {
    memory_view now;            ///< what the thread knows
    memory_view after_acquire;  ///< what it would know after an acquire fence
    memory_view at_release;     ///< what its relaxed stores carry: known at its last fence
    memory_view at_barrier;     ///< what it had done when the compiler last moved nothing
    memory_view interrupted;    ///< what heavy fences of others tell it at its next barrier
  };
  struct track {
    cell const* where;
    std::vector<message> stores;  ///< in modification order
  };

  static constexpr std::size_t none = ~std::size_t{0};

  /// The number of the cell's word. It gets one, and its initial value, when it is first used.
  std::size_t word_of(cell& c) {
    if (c.number < words_.size() && words_[c.number].where == &c) return c.number;
    if (words_.size() == memory_view::words_max) throw_too_many();
    c.number = words_.size();
    words_.push_back({&c, {message{.value = c.value}}});
    return c.number;
  }
  [[noreturn]] static void throw_too_many() { throw std::length_error("weak_memory: raise memory_view::words_max"); }

  [[nodiscard]] std::size_t oldest(std::size_t word, std::size_t t, std::memory_order order) const {
    std::size_t const known = threads_[t].now.of(word);
    return order == std::memory_order_seq_cst ? std::max(known, agreed_.of(word)) : known;
  }

  template <class May>
  std::vector<std::size_t> const& collect(cell& c, std::size_t t, std::memory_order order, May may) {
    std::size_t const word = word_of(c);
    auto const& stores = words_[word].stores;
    ways_.clear();
    for (std::size_t i = stores.size(); i-- > oldest(word, t, order);) {
      if (may(stores, i)) ways_.push_back(i);
    }
    return ways_;
  }

  void make_room(std::size_t word, std::size_t place) {
    agreed_.make_room(word, place);
    for (thread_views& t : threads_) {
      for (memory_view* v : {&t.now, &t.after_acquire, &t.at_release, &t.at_barrier, &t.interrupted})
        v->make_room(word, place);
    }
    for (auto& w : words_) {
      for (message& m : w.stores) m.known.make_room(word, place);
    }
  }

  /// The newest store of each word.
  [[nodiscard]] memory_view all() const {
    memory_view newest;
    for (std::size_t w = 0; w < words_.size(); ++w) newest.raise(w, words_[w].stores.size() - 1);
    return newest;
  }
  [[nodiscard]] std::uint64_t hash_of(memory_view const& v, memory_view const& least) const {
    std::uint64_t h = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (v.of(w) > least.of(w)) h += mix(reinterpret_cast<std::uintptr_t>(words_[w].where), v.of(w) - least.of(w));
    }
    return h;
  }
  [[nodiscard]] std::uint64_t hash_of(std::size_t w, memory_view const& least) const {
    auto const& [where, stores] = words_[w];
    std::uint64_t h = 0;
    if (stores.size() == 1) return h;  // as if it had not been used
    for (std::size_t i = least.of(w); i < stores.size(); ++i) {
      message const& m = stores[i];
      h = mix(mix(h, m.value), hash_of(m.known, least) + m.released.bits() + (m.is_continued ? 1 : 0));
    }
    return mix(h, reinterpret_cast<std::uintptr_t>(where));
  }

  std::deque<track> words_;
  std::vector<thread_views> threads_;
  memory_view agreed_;  ///< what seq_cst fences and, each for its word, other seq_cst operations have published
  std::vector<std::size_t> ways_;
};

}}}  // namespace skua::v0::explorer
