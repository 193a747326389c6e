// SPDX-License-Identifier: MIT
// How the twins of an iterative app spread a loop, and the two options that choose it: --openmp and --tbb. Which of
// these keeps a worker at its data decides the comparison. [adws-sc19 5.1]
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace skua::apps {

/// How an OpenMP twin spreads its loop: equal blocks, pieces on demand, or the app's recursion with tasks.
enum class openmp_schedule : std::uint8_t { of_static, of_dynamic, of_tasks };
/// oneTBB's partitioners; apps/tbb_partitioners.hpp makes them.
enum class tbb_partitioner : std::uint8_t { of_auto, of_static, of_affinity, of_simple };

/// What the user chose for the two twins.
class loop_styles {
 public:
  /// The default of --openmp is the app's choice: what its paper compares with.
  explicit loop_styles(std::string_view openmp = "static") : openmp_word_(openmp) {}

  /// Declare --openmp and --tbb; this object must outlive the parsing.
  void add_to(CLI::App& command);
  /// Throws usage_error, in the name of the app, for a word that is none of the above.
  void read(std::string_view app);

  /// The words of --openmp and of --tbb.
  [[nodiscard]] static std::span<std::string_view const> openmp_words() noexcept;
  [[nodiscard]] static std::span<std::string_view const> tbb_words() noexcept;
  /// After read(): from now on this schedule or partitioner, one of the words above, until as_asked().
  void choose_openmp(std::string_view word);
  void choose_tbb(std::string_view word);
  /// What the two options said.
  void as_asked();

  [[nodiscard]] openmp_schedule openmp() const noexcept { return schedule_; }
  [[nodiscard]] tbb_partitioner tbb() const noexcept { return partitioner_; }
  /// Add the two words that count now to an app's facts.
  void add_to(nlohmann::json& facts) const;

 private:
  std::string openmp_word_;
  std::string tbb_word_ = "auto";
  openmp_schedule schedule_{};
  tbb_partitioner partitioner_{};
};

}  // namespace skua::apps
