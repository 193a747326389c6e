// SPDX-License-Identifier: MIT
#include "tests/mixed/mixed_checks.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "tests/programs/this_thread.hpp"

namespace skua { inline namespace v0 { namespace testing {
namespace {

std::mutex lock;
std::string first_wrong;  ///< under the lock
/// Something is there: asked far more often than it is so.
std::atomic<bool> is_wrong{false};
/// Of the calling thread: the innermost isolated call that it is inside of. Read where a fiber cannot have moved since. In a table and not
/// a thread_local, because ThreadSanitizer follows fibers, and takes the beginning of a thread for a write of its thread_locals.
std::atomic_ref<isolated_mark const*> inside_of() noexcept {
  constexpr std::size_t threads_max = std::size_t{1} << 22;  // of a kernel: more have no numbers
  static constinit isolated_mark const* all[threads_max]{};
  return std::atomic_ref(all[static_cast<std::size_t>(this_thread_number()) % threads_max]);
}
constexpr auto relaxed =
    std::memory_order_relaxed;  // only the thread's own fibers use its entry, and ThreadSanitizer is to see no edge

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

isolated_mark::isolated_mark() noexcept : outer_(inside_of().load(relaxed)) { inside_of().store(this, relaxed); }

isolated_mark::~isolated_mark() {
  if (inside_of().load(relaxed) != this) note_wrong("an isolated call ends on another thread, or out of turn");
  inside_of().store(outer_, relaxed);
}

void isolated_mark::expect_own(isolated_mark const* innermost) noexcept {
  isolated_mark const* const inside = inside_of().load(relaxed);
  if (inside != nullptr && inside != innermost) note_wrong("a thread inside of isolate() runs another task");
}

}}}  // namespace skua::v0::testing
