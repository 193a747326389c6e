// SPDX-License-Identifier: MIT
// Tasks that are a number, plain and serialized, for tests that run the same scene with both: which of them ran, and how often.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace numbered_tasks {

using plain_number = std::uint64_t;

/// Of different lengths; a text that was damaged on its way is noticed.
struct written_number {
  std::uint64_t number = 0;
  std::string text;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, text);
  }
};

inline std::string text_of(std::uint64_t number) { return std::string(number % 40, 'x') + std::to_string(number); }

inline std::uint64_t number_of(plain_number task) { return task; }
inline std::uint64_t number_of(written_number const& task) {
  EXPECT_EQ(task.text, text_of(task.number));
  return task.number;
}

template <class Task>
Task task_of(std::uint64_t number) {
  if constexpr (std::is_same_v<Task, written_number>) {
    return {number, text_of(number)};
  } else {
    return number;
  }
}

/// What each rank ran of tasks 0 .. count - 1 in one iteration. Threads of a rank write different elements.
class ran_tasks {
 public:
  ran_tasks(communicator& world, std::uint64_t count) : world_(world), times_(count, 0) {}
  void ran(std::uint64_t task) { times_.at(task) += 1; }
  [[nodiscard]] std::vector<double> const& here() const noexcept { return times_; }
  /// Collective; forgets them.
  void expect_each_once(std::string const& when) {
    world_.sum(std::span(times_));
    for (double const times : times_) ASSERT_EQ(times, 1) << when;
    times_.assign(times_.size(), 0);
  }

 private:
  communicator& world_;
  std::vector<double> times_;
};

}}}}  // namespace skua::v0::ranks::numbered_tasks
