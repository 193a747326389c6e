// SPDX-License-Identifier: MIT
// SKUA_STALL: a pool that makes no progress reports which fibers wait for what. States and rules: stall.md.
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

  /// From now on a thread that watches all pools of the process watches this one, too. Throws resource_error.
  void begin();
  /// Ends the watching; when this returns, the watching thread does not touch the pool any more. No effect without a begin.
  void end() noexcept;

  [[nodiscard]] parked_frames& parked() noexcept { return parked_; }
  [[nodiscard]] std::uint64_t limit_ns() const noexcept { return limit_ns_; }
  /// For the thread that watches: compares the pool with its state at the last look. Returns the report if the pool has made no
  /// progress for the limit and has work, once until it makes progress again; else an empty text.
  [[nodiscard]] std::string look(std::uint64_t now_ns);

 private:
  pool_core& core_;
  std::uint64_t const limit_ns_;
  parked_frames parked_;
  std::uint64_t moved_ = 0;     ///< a hash of the pool's state at the last look
  std::uint64_t since_ns_ = 0;  ///< when the state last changed
  bool has_told_ = false;       ///< a report since then
  bool is_watched_ = false;
};

}}}  // namespace skua::v0::runtime
