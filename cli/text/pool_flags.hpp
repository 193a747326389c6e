// SPDX-License-Identifier: MIT
// The options that choose a pool. An option that is not given comes from the environment, as in any program.
#pragma once

#include <optional>
#include <string>

#include "cli/text/command.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::cli {

class pool_flags {
 public:
  /// Which of them a subcommand offers; compare takes lists of workers and policies instead.
  struct offer {
    bool workers = true;
    bool policy = true;
    bool running = true;  ///< pinning, spinning and stacks, which matter only if workers run
  };
  void add_to(parser command, offer which);

  /// Everything as given. Throws usage_error that names the option, its value and what is allowed.
  [[nodiscard]] pool_options options() const;
  /// The machine that a pool with these options would see. Throws usage_error.
  [[nodiscard]] topology machine() const;
  /// It and its memories, distances and kinds of cores; none of a synthetic one.
  [[nodiscard]] runtime::described_machine described_machine() const;

 private:
  /// A text for topology::named. Standard input can be read once, and a command that runs may make several pools.
  [[nodiscard]] std::string file_of_machine() const;

  std::optional<std::string> workers_, policy_, places_, partitions_, history_, trace_, pin_, spin_, stack_,
      count_forks_, synthetic_, xml_;
  bool scatter_ = false;
  bool runs_ = true;
};

/// The settings of a pool with these options: the environment's, overruled by the options.
[[nodiscard]] runtime::settings effective_settings(pool_options const& chosen);
/// The PUs and places of its workers.
[[nodiscard]] layout layout_of(topology const& machine, pool_options const& chosen);

}  // namespace skua::cli
