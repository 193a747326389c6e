// SPDX-License-Identifier: MIT
// The windows of a communicator on one rank. A window ends on all ranks together, but matrices end where and when the program lets
// them: so a matrix only retires its window, and the ranks free what all of them have retired when they make the next matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "skua/machine/ranks/transport/window.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Outlives its communicator where a matrix does. One thread: that of the communicator.
class window_table {
 public:
  /// The number of the next one, counted from 1, alike on all ranks.
  std::uint32_t next() noexcept { return ++last_; }
  void add(std::uint32_t number, std::unique_ptr<window> w) { all_.push_back({number, std::move(w), false}); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  /// A matrix of this rank lives.
  [[nodiscard]] bool is_used() const noexcept {
    return std::ranges::any_of(all_, [](entry const& e) { return !e.is_retired; });
  }

  /// Completes what this rank has started, at all targets.
  void flush() {
    for (entry const& e : all_) e.where->flush();
  }
  [[nodiscard]] bool is_flushed() const noexcept {
    return std::ranges::all_of(all_, [](entry const& e) { return e.where->is_flushed(); });
  }
  void publish() {
    for (entry const& e : all_) e.where->publish();
  }

  void retire(std::uint32_t number) noexcept {
    auto const at = std::ranges::find(all_, number, &entry::number);
    if (at != all_.end()) at->is_retired = true;
  }
  /// In rising order.
  [[nodiscard]] std::vector<std::uint32_t> retired() const {
    std::vector<std::uint32_t> numbers;
    for (entry const& e : all_) {
      if (e.is_retired) numbers.push_back(e.number);
    }
    return numbers;
  }
  /// Collective: the same numbers on every rank.
  void free(std::vector<std::uint32_t> const& numbers) {
    for (std::uint32_t const n : numbers) {
      auto const at = std::ranges::find(all_, n, &entry::number);
      if (at != all_.end()) all_.erase(at);
    }
  }

  /// Collective: frees all.
  void end() {
    while (!all_.empty()) all_.erase(all_.begin());
  }
  /// Ranks have died, and could not take part: the memory stays until the process ends.
  void abandon() noexcept {
    for (entry& e : all_) static_cast<void>(e.where.release());
    all_.clear();
  }

 private:
  struct entry {
    std::uint32_t number;
    std::unique_ptr<window> where;
    bool is_retired;
  };
  std::uint32_t last_ = 0;
  std::vector<entry> all_;
};

}}}  // namespace skua::v0::ranks
