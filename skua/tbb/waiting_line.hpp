// SPDX-License-Identifier: MIT
// Who has a lock for one writer or many readers, and who waits for it: the state of parking_lock, without its own lock and without sleeping.
// waiting_line.md has the rules; mutexes_test.cpp runs every order of steps.
#pragma once

#include <cstdint>
#include <utility>

namespace skua { inline namespace v0 { namespace tbb {

/// Somebody who waits, in the frame that waits.
struct place_in_line {
  bool is_writer;
  bool has_lock = false;  ///< it was handed over; else a writer that is woken tries again
  place_in_line* next = nullptr;
};

/// Functions that return places give the first of those to wake, linked by `next`. Not thread-safe.
template <bool fair>
class waiting_line {
 public:
  /// False: the lock is taken, or others wait who come first.
  [[nodiscard]] bool take(bool as_writer) noexcept {
    bool const waits = first_ != nullptr && (fair || !as_writer);
    if (has_writer_ || waits || (as_writer && readers_ != 0)) return false;
    if (as_writer) {
      has_writer_ = true;
    } else {
      ++readers_;
    }
    return true;
  }
  /// After take has failed.
  void join(place_in_line& me) noexcept {
    *(first_ == nullptr ? &first_ : &last_->next) = &me;
    last_ = &me;
  }
  [[nodiscard]] place_in_line* writer_leaves() noexcept {
    has_writer_ = false;
    return admit();
  }
  [[nodiscard]] place_in_line* reader_leaves() noexcept {
    --readers_;
    return admit();
  }
  /// A reader becomes the writer. False: other readers are there; it is no reader any more, and must take the lock as writer.
  [[nodiscard]] bool upgrade() noexcept {
    has_writer_ = --readers_ == 0;
    return has_writer_;
  }
  /// The writer becomes a reader.
  [[nodiscard]] place_in_line* downgrade() noexcept {
    has_writer_ = false;
    readers_ = 1;
    return admit();
  }
  [[nodiscard]] bool is_idle() const noexcept { return !has_writer_ && readers_ == 0 && first_ == nullptr; }

 private:
  [[nodiscard]] place_in_line* admit() noexcept {
    place_in_line* woken = nullptr;
    if (first_ == nullptr || has_writer_) return nullptr;
    if (first_->is_writer) {
      if (readers_ != 0) return nullptr;
      woken = pop();
      woken->has_lock = has_writer_ = fair;
      return woken;
    }
    for (place_in_line** end = &woken; first_ != nullptr && !first_->is_writer; end = &(*end)->next) {
      *end = pop();
      (*end)->has_lock = true;
      ++readers_;
    }
    return woken;
  }
  [[nodiscard]] place_in_line* pop() noexcept {
    place_in_line* const one = first_;
    first_ = std::exchange(one->next, nullptr);
    return one;
  }

  bool has_writer_ = false;
  std::uint32_t readers_ = 0;
  place_in_line* first_ = nullptr;
  place_in_line* last_ = nullptr;  ///< unless first_ is null
};

}}}  // namespace skua::v0::tbb
