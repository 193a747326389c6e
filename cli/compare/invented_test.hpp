// SPDX-License-Identifier: MIT
// Measurements that tests invent: runners that never run, and their times.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "cli/compare/comparison.hpp"

namespace skua::cli {

class invented_rows {
 public:
  record& serial(std::vector<double> times_s) {
    return add({.name = "serial", .is_serial = true, .run = nothing}, std::move(times_s));
  }
  record& policy(std::string name, unsigned workers, std::vector<double> times_s) {
    return add({.name = std::move(name), .workers = workers, .run = nothing}, std::move(times_s));
  }
  record& peer(std::string name, unsigned workers, std::vector<double> times_s) {
    return add({.name = std::move(name), .workers = workers, .is_peer = true, .run = nothing}, std::move(times_s));
  }

  /// Valid until the next runner is added.
  [[nodiscard]] std::vector<row> const& rows() {
    rows_.clear();
    for (std::size_t i = 0; i < runners_.size(); ++i) rows_.push_back({.who = &runners_[i], .what = &records_[i]});
    return rows_;
  }

 private:
  static void nothing(apps::app&) {}
  record& add(runner who, std::vector<double> times_s) {
    runners_.push_back(std::move(who));
    record& made = records_.emplace_back();
    made.times_s = std::move(times_s);
    return made;
  }

  std::deque<runner> runners_;
  std::deque<record> records_;
  std::vector<row> rows_;
};

}  // namespace skua::cli
