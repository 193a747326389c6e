// SPDX-License-Identifier: MIT
// One process and its pools between two snapshots, and how that is shown: as text of a given size, and as JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/text/report.hpp"
#include "cli/top/rates.hpp"
#include "skua/machine/threads/observe/processes.hpp"

namespace skua::cli::top {

struct pool_sample {
  runtime::pool_snapshot snapshot;
  double seconds = 0;  ///< since the snapshot before
  std::vector<worker_rates> workers;
  double regions = 0;       ///< of an OpenMP program, per second
  std::string region = {};  ///< the place of the present one, or the last one; empty: there was none
};

struct sample {
  runtime::process_identity process;
  std::string command;
  std::vector<pool_sample> pools;  ///< the oldest first; a program may have none for a while
};

/// Looks at a process again and again.
class observer {
 public:
  using clock = std::function<std::chrono::steady_clock::time_point()>;
  /// Takes the first snapshot. Throws error: its pools cannot be read.
  explicit observer(runtime::process_identity const& process, clock now = std::chrono::steady_clock::now);

  [[nodiscard]] runtime::process_identity const& process() const noexcept { return process_; }
  /// What happened since the last call, or since the constructor; in a pool that was not there then, since it was opened.
  /// Looks for pools that were opened or closed once a second at most: that reads all of the process's open files. Throws error.
  [[nodiscard]] sample next();

 private:
  struct pool {
    std::shared_ptr<runtime::attached_pool> at;
    runtime::pool_snapshot last;
  };
  [[nodiscard]] std::string const& place_of(std::uint64_t code);
  void find_pools();

  clock const now_;
  std::chrono::steady_clock::time_point found_at_;
  runtime::process_identity const process_;
  std::string command_;
  std::vector<pool> pools_;
  std::unordered_map<std::uint64_t, std::string> places_;  ///< of code
};

/// How much there is room for.
struct screen_size {
  std::size_t columns = 120;
  std::size_t rows = 0;  ///< 0: any number
};

/// Lines for people. If there are more workers than rows, those from `first` on; `first` is brought back to where the last
/// row is still full.
[[nodiscard]] std::vector<std::string> lines_of(sample const& s, screen_size size, std::size_t& first);
[[nodiscard]] json json_of(sample const& s);

}  // namespace skua::cli::top
