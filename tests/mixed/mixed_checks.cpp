// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_checks.hpp"

#include <mutex>
#include <utility>

namespace skua::inline v0::testing {
namespace {

std::mutex lock;
std::string first_wrong;  ///< under the lock
/// Something is there: asked far more often than it is so.
std::atomic<bool> is_wrong{false};
/// Of the calling thread: the innermost isolated call that it is inside of. Read where a fiber cannot have moved since. Atomic, because
/// ThreadSanitizer follows fibers, of which several use it in turn.
thread_local std::atomic<isolated_mark const*> inside_of{nullptr};

}  // namespace

void note_wrong(std::string const& what) noexcept {
  std::lock_guard const held(lock);
  if (first_wrong.empty()) first_wrong = what;
  is_wrong = true;
}

std::string take_wrong() noexcept {
  if (!is_wrong) return {};
  std::lock_guard const held(lock);
  is_wrong = false;
  return std::exchange(first_wrong, {});
}

void late_bodies::expect_few(int of_each, int more, char const* where) const {
  int const late = late_;
  if (late <= 2 * of_each * static_cast<int>(workers_ - 1) + more) return;
  note_wrong(std::to_string(late) + " tasks of a " + where + " begin after " + (fails_ ? "a failure" : "a stop") +
             ", on " + std::to_string(workers_) + " workers");
}

isolated_mark::isolated_mark() noexcept : outer_(inside_of) { inside_of = this; }

isolated_mark::~isolated_mark() {
  if (inside_of != this) note_wrong("an isolated call ends on another thread, or out of turn");
  inside_of = outer_;
}

void isolated_mark::expect_own(isolated_mark const* innermost) noexcept {
  isolated_mark const* const inside = inside_of;
  if (inside != nullptr && inside != innermost) note_wrong("a thread inside of isolate() runs another task");
}

}  // namespace skua::inline v0::testing
