// SPDX-License-Identifier: MIT
// How the twins of an iterative app spread a loop, and the two options that choose it: --openmp and --tbb. The
// comparison depends on whether a style keeps a worker at its data. [adws-sc19 5.1]
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "apps/json_value.hpp"
#include "apps/parameter.hpp"

namespace skua::apps {

/// How an OpenMP twin spreads its loop: in equal blocks, in pieces on demand, or by the app's recursion with tasks.
enum class openmp_schedule : std::uint8_t { of_static, of_dynamic, of_tasks };
/// oneTBB's partitioners; apps/tbb_partitioners.hpp makes them.
enum class tbb_partitioner : std::uint8_t { of_auto, of_static, of_affinity, of_simple };

/// The user's choice for the two twins.
class loop_styles {
 public:
  /// Adds the two options. The app chooses the default of --openmp: the style that its paper compares with.
  explicit loop_styles(option_table& of, std::string_view openmp = "static");

  /// The words that --openmp and --tbb accept.
  [[nodiscard]] static std::span<std::string_view const> openmp_words() noexcept;
  [[nodiscard]] static std::span<std::string_view const> tbb_words() noexcept;
  /// Uses this schedule or partitioner, one of the words above, until as_asked().
  void choose_openmp(std::string_view word);
  void choose_tbb(std::string_view word);
  /// What --openmp says; it need not be allowed yet.
  [[nodiscard]] openmp_schedule asked_openmp() const { return asked_openmp_; }
  /// Applies the values of the two options; they must be allowed.
  void as_asked();

  [[nodiscard]] openmp_schedule openmp() const noexcept { return schedule_; }
  [[nodiscard]] tbb_partitioner tbb() const noexcept { return partitioner_; }
  /// Adds the two words in effect to an app's facts.
  void add_to(json_value& facts) const;

 private:
  choice_option<openmp_schedule> asked_openmp_;
  choice_option<tbb_partitioner> asked_tbb_;
  openmp_schedule schedule_{};
  tbb_partitioner partitioner_{};
};

}  // namespace skua::apps
