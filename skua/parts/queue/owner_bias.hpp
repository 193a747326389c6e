// SPDX-License-Identifier: MIT
// The bias of a deque towards its owner: how a thief revokes it, how the owner answers, and when the owner takes it back. Its state lies in
// the two lowest bits of the deque's top; the guard says which entries the owner takes without a fence. States, invariants and proof: deque.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/bias_rule.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/deque_words.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A thief's cost of taking the bias from owners.
struct revocation_count {
  std::uint64_t revocations = 0;   ///< of a deque's bias
  std::uint64_t heavy_fences = 0;  ///< revocations that the owner did not answer in time
};

/// The owner's part. `Words`: deque_words or fork_words, which say what a top and a guard are.
template <synchronisation Sync, class Words>
class owner_bias : private Words {
  using bias = typename Words::bias;
  using top_word = typename Words::top_word;
  using top_type = typename Sync::template atomic<top_word>;
  using guard_type = typename Sync::template atomic<std::int64_t>;
  template <class T>
  using owned = typename Words::template owned<T>;

 public:
  owner_bias(fences wanted, bias_rule const& rule)
      : watched_(0), undisturbed_(0), after_(rule.least), has_(false),
        kind_(Sync::kind() == fences::full ? fences::full : wanted) {
    expects(rule.least >= 1 && rule.least <= rule.most, "1 <= bias_after.least <= bias_after.most");
    has_.set(kind_ == fences::asymmetric);
  }

  [[nodiscard]] fences kind() const noexcept { return kind_; }
  /// As far as the owner knows.
  [[nodiscard]] bool is_held() const noexcept { return has_.get(); }

  /// For the owner, which has read the top while a thief revokes: gives the bias away. Returns the top.
  top_word answer(top_type& top, guard_type& guard, top_word seen, bias_rule const& rule) noexcept {
    guard.store(Words::beyond_all,
                std::memory_order_relaxed);  // relaxed: our next pop sees our own store, or the thief's
    has_.set(false);
    after_.set(rule.after_answer(after_.get()));
    top_word const answered = Words::with(seen, bias::answered);
    // seq_cst: publishes all that we popped without a fence. Partner: steal, load of the top. On failure the thief has
    // used its heavy fence, which did the same.
    if (top.compare_exchange_strong(seen, answered, std::memory_order_seq_cst, std::memory_order_relaxed))
      return answered;
    return seen;
  }

  /// For the owner, after a pop that found the top open and has acquired the open top that it left: takes the bias back if no thief
  /// has come for a while, and none is about to end its revocation. `guarded`: the guard that goes with the top that was left.
  void count_undisturbed(top_type& top, guard_type& guard, top_word found, top_word left, std::int64_t guarded,
                         bias_rule const& rule) noexcept {
    if (kind_ == fences::full) return;
    if (has_.get()) {  // a thief has revoked it without our answer, which forced a membarrier
      has_.set(false);
      after_.set(rule.after_heavy_fence(after_.get()));
    }
    bool const is_same = Words::with(found, bias::none) == watched_.get();
    std::uint32_t const in_a_row = is_same ? undisturbed_.get() + 1 : 1;
    watched_.set(Words::with(left, bias::none));
    // While the top was `answered`, a thief's infinity may still come, and would follow our position in the guard.
    bool const takes = in_a_row >= after_.get() && Words::bias_of(left) == bias::none;
    undisturbed_.set(takes ? 0 : in_a_row);
    if (!takes) return;
    // The guard before the exchange, which releases it: the infinity of the next revoker overwrites it. In the other
    // order our store would overwrite it. Partner: revoke, exchange.
    guard.store(guarded, std::memory_order_relaxed);
    top_word none = left;
    has_.set(top.compare_exchange_strong(none, Words::with(left, bias::owner), std::memory_order_seq_cst,
                                         std::memory_order_relaxed));
    if (!has_.get()) guard.store(Words::beyond_all, std::memory_order_relaxed);
  }

  /// For a thief: takes the bias from the owner. True, and `seen` is a top that is open; false if another thief does so already.
  static bool revoke(top_type& top, guard_type& guard, top_word& seen, revocation_count& spent) noexcept {
    if (Words::bias_of(seen) != bias::owner) return false;
    top_word const revoking = Words::with(seen, bias::revoking);
    // seq_cst: one thief revokes; acquires the guard that ours overwrites. Partner: count_undisturbed, exchange.
    if (!top.compare_exchange_strong(seen, revoking, std::memory_order_seq_cst, std::memory_order_relaxed))
      return false;
    ++spent.revocations;
    guard.store(Words::beyond_all, std::memory_order_release);  // the top before the guard. Partner: pop_guarded
    seen = revoking;
    if (!Sync::await_briefly(top, revoking)) {
      ++spent.heavy_fences;
      Sync::heavy_fence();  // the guard before the owner's claims. Partner: pop, light fence
    }
    // acquire: the claims that the owner's answer has published. Partner: answer. Others may move an answered top.
    while (!top.compare_exchange_weak(seen, Words::with(seen, bias::none), std::memory_order_seq_cst,
                                      std::memory_order_acquire)) {}
    seen = Words::with(seen, bias::none);
    return true;
  }

 private:
  owned<top_word> watched_;           // the top that the last of these pops left
  owned<std::uint32_t> undisturbed_;  // pops in a row that found the top at watched_
  owned<std::uint16_t> after_;        // how many of them before the owner takes the bias back
  owned<bool> has_;
  fences kind_;
};

}}}  // namespace skua::v0::runtime
