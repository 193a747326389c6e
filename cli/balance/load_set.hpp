// SPDX-License-Identifier: MIT
// The loads of a machine as a file gives them: one phase, in nanoseconds, and what `skua balance` says of the rest of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "skua/policy/balance/loads.hpp"

namespace skua::cli {

using policies::balance::load_ns;
using policies::balance::machine_loads;

inline constexpr std::uint64_t most_ranks = 1'000'000;
inline constexpr std::uint64_t most_tasks = 100'000'000;  ///< of the phase that counts
inline constexpr std::uint64_t most_phases = 1'000'000;

/// The unit of the loads in a text file.
enum class load_unit : std::uint8_t { ns, us, ms, s };
inline constexpr std::string_view names_of_units[] = {"ns", "us", "ms", "s"};

/// A load as whole nanoseconds, rounded: "0.25" s is 250000000. None: it is no number from 0 to 2^64 - 1 ns. A number without an
/// exponent is read exactly, as many digits as it has.
[[nodiscard]] std::optional<load_ns> nanoseconds_in(std::string_view text, load_unit unit);
/// A text that nanoseconds_in reads as this load again, without an exponent.
[[nodiscard]] std::string in_unit(load_ns load, load_unit unit);

/// What the user wants of a file.
struct load_request {
  load_unit unit = load_unit::ns;           ///< of a text file
  std::optional<std::uint64_t> phase = {};  ///< none: the last one
  std::optional<std::uint32_t> ranks = {};  ///< none: as many as the file has
  bool keeps_entities = false;              ///< whether load_set::entities have their texts, and metadata is there
};

/// Which phase counts, while a file is read that may have its phases in any order.
class phase_choice {
 public:
  enum class answer : std::uint8_t { skip, take, start_over };

  explicit phase_choice(std::optional<std::uint64_t> asked) noexcept : asked_(asked) {}

  /// start_over: it counts, and what was taken before does not. Throws usage_error for more than a million phases.
  [[nodiscard]] answer see(std::uint64_t phase);
  [[nodiscard]] std::optional<std::uint64_t> chosen() const;
  /// "phase 3, the last of 4"
  [[nodiscard]] std::string in_words() const;
  /// "0, 1, 2, 5": at most ten of them.
  [[nodiscard]] std::string seen_in_words() const;

 private:
  std::optional<std::uint64_t> asked_;
  std::set<std::uint64_t> seen_;
};

/// What a file says of a task besides its load. DARMA vt's files only.
struct task_entity {
  bool migratable = true;
  std::string text;  ///< the task as JSON; empty unless the request keeps entities
};

struct load_set {
  enum class form : std::uint8_t { text, vt };

  form of = form::text;
  load_unit unit = load_unit::ns;
  machine_loads loads;                             ///< ns
  std::vector<std::vector<task_entity>> entities;  ///< [rank][task] of vt's files, or empty
  std::optional<std::uint64_t> phase;              ///< none: the file has no phases
  std::string phase_text;                          ///< phase_choice::in_words
  std::vector<std::string> metadata;               ///< [rank] of vt's files as JSON, or empty: vt_file_facts
  std::string name_begin;                          ///< of each of vt's files, before the rank
  std::string name_end;                            ///< after it
  std::vector<std::string> notes;                  ///< what was not read, a sentence each

  /// Appends a task. `where` begins the usage_error for a sum of all loads above 2^64 - 1 and for too many tasks.
  void add(std::size_t rank, load_ns load, std::string const& where);
  /// Forgets all tasks, and keeps the ranks.
  void clear_tasks();

 private:
  load_ns sum_ = 0;  // a sum that wraps around would give a wrong average
  std::uint64_t tasks_ = 0;
};

}  // namespace skua::cli
