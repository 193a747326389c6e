// SPDX-License-Identifier: MIT
// The options of a command line that choose a pool. What is not given comes from the environment, as in any program.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "skua/machine/threads/pool/pool.hpp"
#include "skua/parts/topology/topology.hpp"

namespace CLI {
class App;
}

namespace skua::cli {

class pool_flags {
 public:
  /// What one verb offers of them; compare has lists of its own for workers and policies.
  struct offer {
    bool workers = true;
    bool policy = true;
    bool running = true;  ///< pinning, spinning, stacks: what matters only if workers run
  };
  void add_to(CLI::App& words, offer which);

  /// Throws usage_error if one of these was given that is not among `honoured`: "OPTION and OTHER exclude each other: WHY".
  void refuse_all_but(std::initializer_list<std::string_view> honoured, std::string_view other,
                      std::string_view why) const;

  /// Everything as given. Throws usage_error that names the option, its value and what is allowed.
  [[nodiscard]] pool_options options() const;
  /// The machine that a pool with these options would see. Throws usage_error.
  [[nodiscard]] topology machine() const;

 private:
  std::optional<std::string> workers_, policy_, places_, pin_, spin_, stack_, synthetic_, xml_;
  bool scatter_ = false;
};

/// What a pool that is made of these would use: the environment's settings, overruled by the options.
[[nodiscard]] settings effective_settings(pool_options const& chosen);
/// Where its workers would sit.
[[nodiscard]] layout layout_of(topology const& machine, pool_options const& chosen);

}  // namespace skua::cli
