// SPDX-License-Identifier: MIT
// The messages of one rank of a distributed balancer: what it sends, what has arrived, and the one for which it waits.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/policy/balance/rank_message.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Carries messages between ranks, each once, in any order.
class mail_carrier {
 public:
  /// The message goes to another rank, not to its sender. Delivers nothing before it returns.
  virtual void send(std::uint32_t to, rank_message m) = 0;
  /// The rank looks at this many tasks or known ranks now. For virtual time.
  virtual void work(std::uint64_t /*looks*/) {}

 protected:
  ~mail_carrier() = default;
};

/// Invariant (early): a message of a step that the rank has not reached waits. (all heard): at the end of a balancer none is left.
class rank_mail {
 public:
  rank_mail(mail_carrier& by, std::uint32_t rank, std::uint32_t ranks) noexcept
      : carrier_(by), rank_(rank), ranks_(ranks) {}
  rank_mail(rank_mail const&) = delete;
  rank_mail& operator=(rank_mail const&) = delete;

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  /// Every rank counts the same steps.
  [[nodiscard]] std::uint32_t begin_step() noexcept { return ++step_; }

  void send(std::uint32_t to, rank_message m) {
    m.head.sender = rank_;
    if (to == rank_) {
      arrived_.push_back(std::move(m));
    } else {
      carrier_.send(to, std::move(m));
    }
  }
  void work(std::uint64_t looks) { carrier_.work(looks); }

  /// co_await mail.next(step, one_of(kinds)) is the oldest message of this step and one of these kinds.
  class arrival {
   public:
    [[nodiscard]] bool await_ready() const noexcept { return mail_.has(*this); }
    void await_suspend(std::coroutine_handle<> h) noexcept {
      mail_.wanted_ = this;
      mail_.waiting_ = h;
    }
    [[nodiscard]] rank_message await_resume() { return mail_.take(*this); }
    [[nodiscard]] bool matches(rank_message_head const& h) const noexcept {
      return h.step == step_ && h.level == level_ && (kinds_ >> static_cast<unsigned>(h.kind) & 1U) != 0;
    }

   private:
    friend class rank_mail;
    arrival(rank_mail& mail, std::uint32_t step, std::uint8_t level, std::uint32_t kinds) noexcept
        : mail_(mail), step_(step), kinds_(kinds), level_(level) {}
    rank_mail& mail_;
    std::uint32_t step_;
    std::uint32_t kinds_;
    std::uint8_t level_;
  };
  [[nodiscard]] arrival next(std::uint32_t step, message_kinds kinds, std::uint8_t level = 0) noexcept {
    return {*this, step, level, kinds.bits};
  }

  /// A message from another rank has arrived. Continues the rank if it waits for this one.
  void deliver(rank_message m) {
    ++messages_heard_;
    times_heard_ += static_cast<std::uint64_t>(
        std::ranges::count_if(m.tasks, [this](donated_task const& t) { return t.donor != rank_; }));
    arrived_.push_back(std::move(m));
    if (!waiting_ || !wanted_->matches(arrived_.back().head)) return;
    std::exchange(waiting_, {}).resume();
  }

  [[nodiscard]] bool is_empty() const noexcept { return arrived_.empty(); }
  /// From other ranks.
  [[nodiscard]] std::uint64_t messages_heard() const noexcept { return messages_heard_; }
  /// Descriptions of other ranks' tasks that other ranks sent: what this rank has learnt of their times. Each counts as often as it came.
  [[nodiscard]] std::uint64_t times_heard() const noexcept { return times_heard_; }

 private:
  [[nodiscard]] bool has(arrival const& a) const noexcept {
    return std::ranges::any_of(arrived_, [&](rank_message const& m) { return a.matches(m.head); });
  }
  rank_message take(arrival const& a) {
    auto const found = std::ranges::find_if(arrived_, [&](rank_message const& m) { return a.matches(m.head); });
    rank_message m = std::move(*found);
    arrived_.erase(found);
    return m;
  }

  mail_carrier& carrier_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  std::uint32_t step_ = 0;
  std::vector<rank_message> arrived_;
  arrival const* wanted_ = nullptr;
  std::coroutine_handle<> waiting_;
  std::uint64_t messages_heard_ = 0;
  std::uint64_t times_heard_ = 0;
};

}}}}  // namespace skua::v0::policies::balance
