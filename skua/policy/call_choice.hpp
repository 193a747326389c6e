// SPDX-License-Identifier: MIT
// What a policy that chooses between schedulers knows of one call site, in a form that outlives its region: which one it chose, since
// when, on which evidence, and what it cost to find out (automatic/automatic.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skua { inline namespace v0 { namespace policies {

/// Why a scheduler is the best one of a call site.
enum class evidence : std::uint8_t {
  first,     ///< the rule for all calls of its kind
  spawns,    ///< the rule for calls that spawn tasks before they fork
  measured,  ///< it won a trial
  tiny,      ///< the rule for calls that end before their tasks are sent anywhere
};
/// As in files.
inline constexpr std::array<std::string_view, 4> evidence_words{"first", "spawns", "measured", "tiny"};

struct call_choice {
  /// Trials of one scheduler.
  struct trials_of {
    std::string scheduler;
    std::uint32_t trials = 0;
    std::uint32_t since_change = 0;  ///< so many raise the price of the next one
    double ratio = 0;                ///< of the last one: its time over that of the best then; 0: unknown
    friend bool operator==(trials_of const&, trials_of const&) = default;
  };
  /// Groups that are alike.
  struct shape {
    std::uint64_t number = 0;
    double usual_ns = 0;  ///< under the best
    friend bool operator==(shape const&, shape const&) = default;
  };

  std::uint64_t code = 0;      ///< machine_view::called_code::number
  std::string call = {};       ///< its name; empty: none
  std::string scheduler = {};  ///< the best one
  evidence why = evidence::first;
  // Counts and times include earlier runs.
  std::uint64_t since_call = 1;     ///< the number of the call that chose it
  std::uint64_t since_group = 1;    ///< the same in outermost groups
  std::uint64_t calls = 0;          ///< that have ended, and were alone
  std::uint64_t earlier_calls = 0;  ///< those of them in earlier runs
  double calls_ns = 0;              ///< all of them together
  std::uint64_t groups = 0;         ///< outermost groups that were timed
  double groups_ns = 0;             ///< all of them together
  double lost_ns = 0;               ///< by trials
  double gain = 1;            ///< of the last change: the time under the new scheduler over that under the old one
  std::uint32_t changes = 0;  ///< of the best one, by measurements
  std::vector<trials_of> others = {};  ///< schedulers that had trials
  std::vector<shape> shapes = {};      ///< those that are known
  friend bool operator==(call_choice const&, call_choice const&) = default;

  [[nodiscard]] bool is_of_earlier_run() const noexcept { return since_call <= earlier_calls; }
  [[nodiscard]] std::uint32_t trials() const noexcept {
    std::uint32_t all = 0;
    for (trials_of const& t : others) all += t.trials;
    return all;
  }
  [[nodiscard]] double call_mean_ns() const noexcept { return calls == 0 ? 0 : calls_ns / static_cast<double>(calls); }
};

/// What a policy that chooses between schedulers has just done, for the counters and the trace of its machine.
struct scheduler_note {
  std::string_view scheduler = {};   ///< in force from now on; empty: the same as before
  std::string_view call = {};        ///< for this call; empty: it has no name
  bool is_trial = false;             ///< the call site tries it
  std::uint64_t all_lost_ns = 0;     ///< by all trials of the call site
  std::uint32_t trials_begun = 0;    ///< since the last note
  std::uint64_t trials_lost_ns = 0;  ///< the same
};

/// "it spawns tasks before it forks", "measured: 0.8 of the time under the last choice", ...
[[nodiscard]] std::string reason_of(call_choice const& c);
/// "random: 2, the last one took 1.4 times as long", ...; empty: there were none.
[[nodiscard]] std::string trials_text(call_choice const& c);
/// All of it in one line for people, without its end.
[[nodiscard]] std::string text_of(call_choice const& c);

}}}  // namespace skua::v0::policies
