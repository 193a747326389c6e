// SPDX-License-Identifier: MIT
// Which collective call a rank is in, and what it does when another rank is in a different one. call_order.md has the
// reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/transport/transport.hpp"

namespace skua { inline namespace v0 { namespace ranks {

enum class operation : std::uint8_t {
  none,  ///< a part of a call that has begun
  start,
  sum,
  max,
  min,
  gather,
  allgather,
  broadcast,
  scatter,
  barrier,
  processors,
  construction,
  process,
  report,
  rebalance,
  rebalance_if_due,
  checkpoint,
  restart,
  restore,
  restore_as,
  recover,
  matrix,  ///< what the detail says
  end,  ///< of a session: the rank is about to leave the job
};

enum class element : std::uint8_t { none, real, unsigned_integer, signed_integer };

/// What ranks must agree on.
struct collective_call {
  operation what = operation::none;
  std::uint32_t collection = 0;
  std::string detail = {};  ///< the name of a balancer; what values are sent, and the rank that has them or gets them
  element of = element::none;
  std::uint64_t length = 0;

  friend bool operator==(collective_call const&, collective_call const&) = default;
};

/// Writes the call into the header of a contribution, and its detail to the end of the body.
void append_call(message_header& head, std::vector<std::byte>& body, collective_call const& call);
/// What append_call has written; `none` in a contribution to a later step of a call.
[[nodiscard]] collective_call call_in(message_header const& head, std::span<std::byte const> body);

/// What a collective call threw on every rank, or on this one.
struct failure {
  rank_number reporter = 0;  ///< the rank that tells users, if the failure ends the job
  std::string text;
  bool is_death = false;  ///< of a rank: the launcher may end the job for it, or for what the dead rank said
};

class call_order {
 public:
  call_order(transport& network, live_ranks const& live) noexcept : network_(network), live_(live) {}

  /// The rank enters the first step of a call, or another one of the same call that is also a reduction. Throws
  /// usage_error in a task, and after a process() that other ranks did not call.
  void begin(collective_call call);
  /// The rank enters another step of its call.
  void begin_part();
  /// A process() has ended, or has thrown.
  void end_process() noexcept { is_processing_ = false; }

  /// The step's number, which counts on all ranks alike; it wraps around.
  [[nodiscard]] std::uint32_t step() const noexcept { return step_; }
  [[nodiscard]] static bool is_before(std::uint32_t a, std::uint32_t b) noexcept {
    return static_cast<std::int32_t>(a - b) < 0;
  }
  [[nodiscard]] std::string in_words() const { return in_words(call_); }
  /// The call that the rank is in, or was in last.
  [[nodiscard]] operation what() const noexcept { return call_.what; }
  /// The step is a later one of its call.
  [[nodiscard]] bool is_part() const noexcept { return is_part_; }

  /// Another rank is in this call in the same step. Throws usage_error, now and on every rank, if it is a different one.
  void compare(rank_number other, collective_call const& theirs);
  /// The rank cannot do this call: throws usage_error with this text, on every rank that comes to it.
  [[noreturn]] void refuse(collective_call call, std::string const& text);
  /// Another rank has found a difference.
  void hear(message const& m);
  /// Throws usage_error if another rank has found a difference in this step.
  void look() {
    if (!heard_.empty()) [[unlikely]]
      throw_heard();
  }

  /// A collective call throws this to the program.
  void note_failure(failure what) { failure_ = std::move(what); }
  /// What the last collective call threw; null: it returned, or the rank has entered another one since.
  [[nodiscard]] failure const* last_failure() const noexcept { return failure_ ? &*failure_ : nullptr; }

  /// Collections are numbered from 1 in the order of their construction.
  std::uint32_t name_next(std::string const& collection) {
    names_.push_back(collection);
    return static_cast<std::uint32_t>(names_.size());
  }

 private:
  struct difference {
    std::uint32_t step;
    bool is_final;  ///< one of the calls was a process()
    rank_number reporter;
    std::string text;
  };
  void refuse_in_task(collective_call const& call) const;
  void throw_heard();
  /// Tells the other ranks, and throws.
  [[noreturn]] void announce(difference const& found);
  [[noreturn]] void throw_difference(difference const& d);
  [[nodiscard]] std::string in_words(collective_call const& call) const;

  transport& network_;
  live_ranks const& live_;
  std::uint32_t step_ = 0;
  collective_call call_;
  bool is_part_ = false;  ///< the step is a later one of the call
  bool is_processing_ = false;
  std::vector<difference> heard_;  ///< at most one of a step
  std::optional<difference> over_;
  std::optional<failure> failure_;
  std::vector<std::string> names_;
};

}}}  // namespace skua::v0::ranks
