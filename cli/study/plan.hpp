// SPDX-License-Identifier: MIT
// What a study does, in its order: what matters most comes first, so that one that is cut off has the most important figures (study.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

/// What a part finds out; the page shows each kind in a section of its own.
enum class part_kind { machine, calibration, prediction, scaling, bench, crowded };
[[nodiscard]] std::string_view name_of(part_kind kind) noexcept;

/// One program that the study runs.
struct study_part {
  std::string key;  ///< "scaling/heat-640"; unique, and the name of its files
  part_kind kind;
  std::string title;               ///< "heat --n 640 --iterations 300"
  std::vector<std::string> words;  ///< the program and its arguments; {json}: the file that it writes
  double seconds = 10;             ///< about what it takes
  bool is_repeated = false;        ///< a better measurement of what an earlier part of this key has found
  unsigned copies = 1;             ///< processes that run it at the same time
};

struct study_wish {
  bool quick = false;
  unsigned workers = 1;                ///< of the largest pool
  std::string skua;                    ///< this program
  std::string programs;                ///< the folder of the benches
  std::string folder;                  ///< where the model is written
  std::string policies;                ///< "random,adws,..."; `auto` comes on top where it is measured
  std::vector<std::string> only = {};  ///< keys of apps and benches; empty: all
  std::string launcher = {};           ///< mpirun; empty: there is none
};

/// The launcher of MPI jobs in these folders, separated by colons, such as those of PATH; empty: none.
[[nodiscard]] std::string launcher_in(std::string const& folders);

/// 1, 2, 4, .. and `all`; quick: 1 and `all`.
[[nodiscard]] std::vector<unsigned> study_worker_counts(unsigned all, bool quick);

/// An app with a size that takes 20 to 300 ms serially on processors of 2020, and the one with which it is simulated, which is smaller
/// where simulating each task would take minutes.
struct study_app {
  std::string_view key;
  std::string_view words;
  std::string_view simulated = {};  ///< empty: the same
  bool leaves_are_measured = true;
  std::string_view peers = {};  ///< empty: all; those that take seconds for a task per call are left out
  std::string_view also = {};   ///< a scheduler that is made for it, beside the others
};
[[nodiscard]] std::vector<study_app> study_apps(bool quick);

/// Benches that lie beside the command.
struct study_bench {
  std::string_view key;
  std::string_view program;
  std::string_view options;
  std::string_view quick_options;
  std::string_view title;
  double seconds;
};
[[nodiscard]] std::vector<study_bench> study_benches();

/// The keys that a study of this kind has, for `only`.
[[nodiscard]] std::vector<std::string_view> study_keys(bool quick);

[[nodiscard]] std::vector<study_part> plan_of(study_wish const& wish);

}  // namespace skua::cli
