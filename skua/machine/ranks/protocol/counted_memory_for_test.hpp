// SPDX-License-Identifier: MIT
// The memory of a test program that counts it, spoils what is given back, and runs out of it on request.
#pragma once

namespace skua { inline namespace v0 { namespace ranks { namespace counted_memory {

/// Allocations of all threads that have not been given back.
[[nodiscard]] long alive() noexcept;

/// While it lives, an allocation of this thread throws std::bad_alloc, once: the first, or the one after so many that succeed.
class one_failure {
 public:
  explicit one_failure(long after) noexcept;
  ~one_failure();
  one_failure(one_failure const&) = delete;
  one_failure& operator=(one_failure const&) = delete;
  /// False: the thread did not come to it.
  [[nodiscard]] bool happened() const noexcept;
};

}}}}  // namespace skua::v0::ranks::counted_memory
