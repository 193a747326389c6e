// SPDX-License-Identifier: MIT
// SKUA_STALL: a pool in which nothing moves says who waits for whom. States and rules: stall.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "skua/machine/threads/engine/core/parked_frames.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;

class stall_watch {
 public:
  /// Null where SKUA_STALL is unset, 0 or inf. Throws usage_error for a value that is no duration.
  [[nodiscard]] static std::unique_ptr<stall_watch> if_asked(pool_core& c);
  stall_watch(pool_core& c, std::uint64_t limit_ns) noexcept : core_(c), limit_ns_(limit_ns) {}
  stall_watch(stall_watch const&) = delete;
  stall_watch& operator=(stall_watch const&) = delete;

  /// Has the pool looked at from now on, by a thread that watches all pools of the process. Throws resource_error.
  void begin();
  /// When this returns nobody looks at the pool any more. Without a begin: does nothing.
  void end() noexcept;

  [[nodiscard]] parked_frames& parked() noexcept { return parked_; }
  [[nodiscard]] std::uint64_t limit_ns() const noexcept { return limit_ns_; }
  /// For the thread that watches: compares the pool with what it was at the last look. Returns the report when nothing has moved
  /// for the limit and something waits or runs; once until something moves again. Else it is empty.
  [[nodiscard]] std::string look(std::uint64_t now_ns);

 private:
  pool_core& core_;
  std::uint64_t const limit_ns_;
  parked_frames parked_;
  std::uint64_t moved_ = 0;     ///< what stood for the pool's state at the last look
  std::uint64_t since_ns_ = 0;  ///< when it changed
  bool has_told_ = false;       ///< since then
  bool is_watched_ = false;
};

}}}  // namespace skua::v0::runtime
