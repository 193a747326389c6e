// SPDX-License-Identifier: MIT
// Where calls of threads that are no workers run: in the default pool, on all of its workers, or on its first ones while a
// limit lives. A pool cannot shrink, but a region of fewer workers costs nothing that a narrower pool would not cost.
#pragma once

#include <cstdint>
#include <limits>

namespace skua { inline namespace v0 { namespace runtime {

class region;

/// While it lives, calls of threads that are no workers use at most so many workers of the default pool. The least of all
/// limits holds; calls in progress keep what they have. Any thread may make and destroy them. In a child of fork() those that
/// lived hold on, also where the thread is gone that would end them.
class worker_limit {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Throws std::bad_alloc.
  explicit worker_limit(std::uint32_t most);
  ~worker_limit();
  worker_limit(worker_limit const&) = delete;
  worker_limit& operator=(worker_limit const&) = delete;

  /// The least of those that live; `none` without one.
  [[nodiscard]] static std::uint32_t least() noexcept;

  struct number;

 private:
  number* const
      mine_;  ///< not in this object, which may lie on the stack of a thread that a child of fork() does not have
};

/// Throws what default_pool() throws, and std::bad_alloc when a limit is used for the first time.
region& default_region();

/// How many workers a call of the calling thread can use: those of the region around it, or of default_region().
[[nodiscard]] std::uint32_t workers_around();

}}}  // namespace skua::v0::runtime
