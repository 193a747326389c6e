// SPDX-License-Identifier: MIT
// What a pool knows of its detached calls: how many have not ended, and who hears of their exceptions.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;
class region;

class detached_tasks {
 public:
  /// Before any call is announced.
  void report_to(std::function<void(std::exception_ptr)> handler) noexcept { on_exception_ = std::move(handler); }

  void add() noexcept { out_.add(); }
  /// The same. False: `most` or more were out before.
  [[nodiscard]] bool add_counting(std::uint64_t most) noexcept {
    if (out_.add_below(most)) return true;
    out_.add();
    return false;
  }
  void finish() noexcept { out_.finish(); }
  [[nodiscard]] bool none_left() const noexcept { return out_.done(); }
  [[nodiscard]] wait_group const& out() const noexcept { return out_; }
  /// Call this in the handler of what a call threw. Ends the process if the pool has no handler, or the handler throws.
  [[gnu::cold]] void failed() const noexcept;

  /// Returns when no call is left. A worker does other work meanwhile; another thread works in the place of a sleeping
  /// worker of `where`, or blocks if there is none. Throws usage_error inside of such a call, which would wait for itself.
  void wait(region& where);
  /// The same for the end of the pool: a thread that is no worker blocks, and so needs nothing that could be refused.
  void wait_for_workers() noexcept;

 private:
  wait_group out_;
  std::function<void(std::exception_ptr)> on_exception_;
};

}}}  // namespace skua::v0::runtime
