// SPDX-License-Identifier: MIT
// The frames that only the present thread of a worker may resume, and the caller that waits for them before it leaves the
// worker's place (caller.md, C4). For that thread alone. next_step_model.cpp runs it.
#pragma once

#include <cstdint>
#include <utility>

#include "skua/machine/threads/fork/group/share_count.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class departure {
 public:
  /// Call it when a frame parks that is tied to this thread.
  void ties() noexcept { ++tied_; }
  /// Call it when such a frame resumes.
  void unties() noexcept { --tied_; }
  /// True if no frame is tied: the worker may be lent, and a caller may leave at once.
  [[nodiscard]] bool is_free() const noexcept { return tied_ == 0; }

  /// The caller's call has ended; the caller parks until `left`, of which it has one of two children, ends.
  void waits_in(share_count<Sync>& left) noexcept { left_ = &left; }
  [[nodiscard]] bool is_waited_for() const noexcept { return left_ != nullptr; }
  /// True if the caller waits and its own frame is the only one that is tied.
  [[nodiscard]] bool is_due() const noexcept { return left_ != nullptr && tied_ <= 1; }
  /// Takes the frame of the caller, which resumes now and leaves; null if it is not due.
  [[nodiscard]] parked<Sync>* take() noexcept {
    return is_due() ? std::exchange(left_, nullptr)->finish(1, 0, [] {}) : nullptr;
  }

 private:
  std::uint32_t tied_ = 0;
  share_count<Sync>* left_ = nullptr;
};

}}}  // namespace skua::v0::runtime
