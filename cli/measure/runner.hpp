// SPDX-License-Identifier: MIT
// The runners of an app: Skua under a policy, or a peer (the serial elision, OpenMP, oneTBB).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/app.hpp"
#include "apps/loop_styles.hpp"
#include "skua/machine/threads/face/pool.hpp"

namespace skua::cli {

class app_arguments;

/// A runtime that Skua is compared with.
struct peer {
  std::string_view name;
  std::string_view about;
  bool (*can_run)(apps::app& what);  ///< true if the app has this twin
  void (*run)(apps::app& what, unsigned workers);
  bool is_parallel;
  /// The loop styles of its twins, where an app has styles, and how to choose one; null for serial.
  std::span<std::string_view const> (*styles)() noexcept = nullptr;
  void (apps::loop_styles::*choose)(std::string_view) = nullptr;
};
[[nodiscard]] std::span<peer const> peers() noexcept;
/// Those of this app. It may have none.
[[nodiscard]] std::vector<std::string_view> peers_of(apps::app& what);
/// Throws usage_error for an unknown name; `option` is what the error names.
[[nodiscard]] peer const& peer_of(std::string_view option, std::string_view name);

/// A peer, and how its twin spreads its loops.
struct peer_choice {
  peer const* which = nullptr;
  std::string style = {};  ///< a name of apps/loop_styles.hpp; empty: as the app's options say

  /// "tbb", "tbb:affinity"
  [[nodiscard]] std::string name() const;
  friend bool operator==(peer_choice const&, peer_choice const&) = default;
};
/// Reads NAME or NAME:STYLE. Throws as peer_of, and usage_error for a twin that `what` lacks or a style that its twins do
/// not have.
[[nodiscard]] peer_choice peer_choice_of(std::string_view option, std::string_view text, apps::app& what);

/// Throws usage_error for an option of the app's own that neither these peers nor pools, if there are some, read.
/// `peer_option` is what named the peers; `typed` is all that was typed for the runners.
void refuse_unused(app_arguments const& of, std::span<peer_choice const> peers, bool has_pools,
                   std::string_view peer_option, std::string_view typed);

/// One way to run an app, ready to be called again and again.
struct runner {
  std::string name;  ///< the policy as typed, or the peer's name, also with a style: tbb:affinity
  unsigned workers = 1;
  bool is_serial = false;
  bool is_peer = false;                          ///< a parallel one, so that being faster than it means something
  std::function<void(apps::app&)> prepare = {};  ///< untimed, before each run; may be empty
  std::function<void(apps::app&)> run;
  std::function<apps::task_map(apps::mapped&)> run_mapped = {};  ///< empty: only Skua's workers record their leaves
  /// Marks in the trace where run `number` begins or ends, for `skua report`; empty: there is no trace of its own.
  std::function<void(char const* name, std::uint64_t number)> mark = {};
  /// The counters of its workers at a time; set if the runs' times are to be broken down.
  std::function<std::vector<worker_counters>(std::chrono::steady_clock::time_point)> counters = {};

  /// "random with 2 workers"
  [[nodiscard]] std::string full_name() const;
};

/// Throws usage_error if the peer's library cannot run so many workers.
void refuse_too_many(peer const& which, unsigned workers);
/// Throws as refuse_too_many.
[[nodiscard]] runner runner_of(peer_choice const& chosen, unsigned workers);
enum class breaking_down : std::uint8_t { off, on };
/// The runner keeps the pool alive.
[[nodiscard]] runner runner_of(std::shared_ptr<pool> const& workers, std::string name, breaking_down how);

}  // namespace skua::cli
