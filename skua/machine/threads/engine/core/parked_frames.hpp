// SPDX-License-Identifier: MIT
// The waiting frames of a pool, for the report of a stall (engine/stall/stall.md). Kept only if the user asks for that report.
#pragma once

#include <cstdint>
#include <mutex>

#include "skua/machine/threads/fork/fiber/frame.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class parked_frames {
 public:
  /// Before the frame can be resumed. Any worker.
  void add(frame& f) noexcept {
    std::lock_guard const hold(changing_);
    ++moves_;
    f.noted.later = first_;
    if (first_ != nullptr) first_->noted.earlier = &f;
    first_ = &f;
  }
  /// Before the frame resumes.
  void remove(frame& f) noexcept {
    std::lock_guard const hold(changing_);
    ++moves_;
    (f.noted.earlier != nullptr ? f.noted.earlier->noted.later : first_) = f.noted.later;
    if (f.noted.later != nullptr) f.noted.later->noted.earlier = f.noted.earlier;
  }
  /// The number of additions and removals so far.
  [[nodiscard]] std::uint64_t moves() noexcept {
    std::lock_guard const hold(changing_);
    return moves_;
  }
  /// Calls visit(frame const&), the latest first. No frame resumes meanwhile.
  template <class Visit>
  void each(Visit&& visit) {
    std::lock_guard const hold(changing_);
    for (frame const* f = first_; f != nullptr; f = f->noted.later) visit(*f);
  }

 private:
  std::mutex changing_;
  frame* first_ = nullptr;
  std::uint64_t moves_ = 0;
};

}}}  // namespace skua::v0::runtime
