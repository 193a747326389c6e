// SPDX-License-Identifier: MIT
// The region for calls of threads that are no workers: all workers of the default pool, or its first ones while a limit
// lives. A pool cannot shrink, but a region of fewer workers costs no more than a smaller pool.
#pragma once

#include <cstdint>
#include <limits>

namespace skua { inline namespace v0 { namespace runtime {

class region;

/// While it lives, calls of threads that are no workers use at most `most` workers of the default pool. The least of
/// all living limits holds; calls in progress keep their workers. Any thread may make and destroy limits. In a child of
/// fork() the limits that lived at the fork() hold on, even if the thread that would destroy them does not exist there.
class worker_limit {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Throws std::bad_alloc.
  explicit worker_limit(std::uint32_t most);
  ~worker_limit();
  worker_limit(worker_limit const&) = delete;
  worker_limit& operator=(worker_limit const&) = delete;

  /// The least of the living limits; `none` if there are none.
  [[nodiscard]] static std::uint32_t least() noexcept;

  struct number;

 private:
  number* const
      mine_;  ///< not in this object, which may lie on the stack of a thread that a child of fork() does not have
};

/// Throws what default_pool() throws; may throw std::bad_alloc at the first use of a limit.
region& default_region();

/// The number of workers that a call of the calling thread can use: those of the region around it, or of
/// default_region().
[[nodiscard]] std::uint32_t workers_around();

}}}  // namespace skua::v0::runtime
