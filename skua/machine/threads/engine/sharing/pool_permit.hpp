// SPDX-License-Identifier: MIT
// A pool's permit from the Thread Composability Manager: how many of its workers may be awake beside those of other runtimes. States, steps and invariants:
// permits.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "skua/machine/threads/engine/sharing/permit_library.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_permit final : private limit_keeper {
 public:
  /// Without the library, or if 64 pools have permits, the pool uses all its workers, and nothing below has an effect. `bound`: the processors of pinned workers; empty:
  /// any. `exposed`: how many the permit allows, while it is active. Before the workers' threads begin.
  pool_permit(sleep_state<>& workers_of, std::uint32_t workers, std::vector<std::uint32_t> bound,
              std::atomic<std::uint32_t>& exposed);
  /// For a guest's pool: none.
  pool_permit() noexcept = default;
  /// The workers' threads have ended.
  ~pool_permit();
  pool_permit(pool_permit const&) = delete;
  pool_permit& operator=(pool_permit const&) = delete;

  /// The process ends: the library, too, may be gone soon. The pool uses all its workers from now on, and calls the library no more.
  void abandon() noexcept;

  /// While it works, a worker's own thread counts as one of the permit: what it asks for inside its tasks is nested. Returns true if `registered` must be given back.
  [[nodiscard]] bool enter_thread() const noexcept;
  void leave_thread() const noexcept;

  /// True if the library grants this pool its workers.
  [[nodiscard]] bool is_asked_for() const noexcept { return of_ != nullptr; }

 private:
  struct slot;
  static tcm::result changed(tcm::handle, void* in, std::uint32_t) noexcept;
  void workers_wanted() noexcept override;
  void all_sleep() noexcept override;
  [[nodiscard]] bool may_ask() const noexcept;
  [[nodiscard]] bool ask() noexcept;
  void read_grant() noexcept;
  void note_refusal() noexcept;
  [[nodiscard]] tcm::request wanted(tcm::constraints& where) const noexcept;

  /// Without a worker of its own no work of the pool would ever run.
  static constexpr std::uint32_t always_allowed = 1;

  tcm::library const* library_ = nullptr;
  slot* of_ = nullptr;
  sleep_state<>* sleep_ = nullptr;
  std::uint32_t workers_ = 0;
  std::atomic<std::uint32_t>* exposed_ = nullptr;
  tcm::bitmap* mask_ = nullptr;
  std::mutex changing_;  ///< one thread at a time asks or gives back
  // Under the lock:
  bool is_connected_ = false;
  std::uint64_t client_ = 0;
  // Written under the lock:
  std::atomic<tcm::handle> handle_{nullptr};
  std::atomic<bool> is_active_{false};
  std::atomic<bool> is_refused_{false};
  std::atomic<bool> is_abandoned_{false};  ///< not under the lock
};

}}}  // namespace skua::v0::runtime
