// SPDX-License-Identifier: MIT
// skua topology: the machine as Skua sees it, or another one, and where workers run on it.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/probes/topology_view.hpp"
#include "cli/subcommand.hpp"
#include "cli/text/output.hpp"
#include "cli/text/pool_flags.hpp"
#include "skua/parts/topology/core_kinds.hpp"

namespace skua::cli {
namespace {

struct arguments {
  pool_flags flags;
  std::string json_path;
};

int execute(arguments const& given) {
  json_target const target(given.json_path);
  pool_options const chosen = given.flags.options();
  auto const [machine, details] = given.flags.described_machine();
  layout const map = layout_of(machine, chosen);
  if (target.wanted()) target.write(topology_json(machine, map));
  if (target.takes_stdout()) return exit_done;

  std::string text = fmt::format("{}\n{}", tree_text(machine, map), places_text(map));
  if (std::string const kinds = runtime::core_kinds_text(machine); !kinds.empty()) text += fmt::format("\n{}\n", kinds);
  text += details_text(details);
  if (!machine.remarks().empty()) text += "\n";
  for (std::string const& remark : machine.remarks()) text += fmt::format("note: {}\n", remark);
  write_to_stdout(text);
  return exit_done;
}

}  // namespace

subcommand add_topology(parser root) {
  parser const command = root.add_subcommand("topology", "show the machine as a tree, with the workers on it");
  auto const given = std::make_shared<arguments>();
  given->flags.add_to(command, {.policy = false, .running = false});
  add_optional_json(command, given->json_path);
  return {command, [given] { return execute(*given); }};
}

}  // namespace skua::cli
