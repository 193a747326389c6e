// SPDX-License-Identifier: MIT
// The modes of a command, and which of its options count in which. `skua sim --ranks` has no use for --noise: an option without
// effect would let its user believe in a figure that it never touched, so it is refused.
//
// A mode bears the name that users type: "--ranks" is on if that option is given. Of other modes a command says whether they are
// on, and what users typed for that. Each option states at its declaration which modes it is refused in (parser::never_with), or which one it needs (only_with);
// one check after parsing reads these rules. An option without rules counts in every mode; tests/cli/options_test.py checks that.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace skua::cli {

/// Why an option is refused in a mode, or without it.
struct mode_rule {
  enum class when { on, off };
  std::string mode;
  when refused_when;
  std::string why;
};

class command_modes {
 public:
  /// A mode that several options choose, or a value of one. `asked_by` returns what asked for it, or nothing if it is off.
  void add(std::string name, std::function<std::string()> asked_by);
  void add(CLI::Option const& option, mode_rule rule);
  /// What a mode's name stands for, if it is an option's.
  void note(CLI::Option const& option);

  /// Throws usage_error for the first given option that has no effect: "--noise is given with --ranks; allowed: one of them,
  /// because WHY", "--balance is given without --ranks; allowed: only with --ranks, because WHY".
  void check() const;

 private:
  struct refusal {
    CLI::Option const* of;
    mode_rule rule;
  };
  /// What asked for the mode; empty: it is off.
  [[nodiscard]] std::string asked_by(std::string const& mode) const;

  std::map<std::string, std::function<std::string()>> modes_;
  std::vector<CLI::Option const*> options_;
  std::vector<refusal> rules_;
};

}  // namespace skua::cli
