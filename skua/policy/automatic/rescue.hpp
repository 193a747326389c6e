// SPDX-License-Identifier: MIT
// Takes a task out of the mailbox of a worker that does not come back: a task that it runs may block until this very task has run.
// Only ADWS sends tasks where nobody else may take them, and fetches only roots itself.
#pragma once

#include <cstdint>
#include <optional>

#include "skua/parts/base/ids.hpp"
#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace automatic {

/// Of one worker. After many rounds without a task it looks into one mailbox per round. A task that has waited there for as many
/// rounds again is admitted. On threads that takes some 40 ms, because a worker that may not take what it sees naps between two
/// rounds.
class rescue {
 public:
  static constexpr std::uint32_t patience = 500;

  rescue(worker_id self, std::uint32_t workers) noexcept
      : self_(self), workers_(workers), victim_((index(self) + 1) % workers) {}

  /// The search has come to its rest. Returns what to try before it.
  [[nodiscard]] std::optional<probe> instead_of_rest() noexcept {
    if (workers_ == 1) return {};
    if (owes_rest_ || rests_ < patience) {
      owes_rest_ = false;
      ++rests_;
      return {};
    }
    owes_rest_ = true;
    return probe{.kind = action::steal, .lane = lane::mailbox, .victim = worker_id{victim_}};
  }
  [[nodiscard]] bool owes_rest() const noexcept { return owes_rest_; }
  /// Of a task in that mailbox.
  [[nodiscard]] bool admits(std::uint64_t first_word) const noexcept {
    shown_ = first_word;
    return first_word == waiting_ && seen_ >= patience;
  }
  /// The mailbox held nothing, or a task that was not admitted.
  void missed(runtime::outcome how) noexcept {
    if (how == runtime::outcome::barred) {
      seen_ = shown_ == waiting_ ? seen_ + 1 : 0;
      waiting_ = shown_;
      return;
    }
    seen_ = 0;
    waiting_ = 0;
    do {
      victim_ = (victim_ + 1) % workers_;
    } while (victim_ == index(self_));
  }
  /// This worker has a task, from wherever.
  void found() noexcept {
    rests_ = 0;
    seen_ = 0;
    waiting_ = 0;
    owes_rest_ = false;
  }

 private:
  worker_id const self_;
  std::uint32_t const workers_;
  std::uint32_t victim_;
  std::uint32_t rests_ = 0;  ///< consecutive ones
  bool owes_rest_ = false;   ///< a probe has taken the place of a rest
  // One mailbox at a time.
  std::uint64_t waiting_ = 0;        ///< the first word of the task in it
  std::uint32_t seen_ = 0;           ///< so many rounds
  mutable std::uint64_t shown_ = 0;  ///< of the task that was refused last
};

}}}}  // namespace skua::v0::policies::automatic
